/** Values to and from a libSQL server, over sockets (the real sqld) and over HTTP (a fake one). */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { systemClock as clock } from "../../../src/core/clock.ts";
import type { Database } from "../../../src/core/database.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { openRemoteDatabase } from "../../../src/store/libsql/database.ts";
import { startHranaServer } from "../../support/store/hrana-server.ts";
import { startSqld } from "../../support/store/sqld-server.ts";
import { tempDir } from "../../support/temp-dir.ts";

const WAYS = {
  async "over sockets"() {
    const { url, token, stop } = await startSqld();
    return { url, authToken: token, stop };
  },
  async "over HTTP"() {
    const { url, stop } = startHranaServer({ path: join(tempDir(), "hrana.db") });
    return { url, authToken: null, stop };
  },
};

describe.each(Object.entries(WAYS))("%s", (_, start) => {
  let database: Database;
  let end: () => Promise<void>;

  beforeAll(async () => {
    const { stop, ...address } = await start();
    database = await openRemoteDatabase(address, { clock, random, owner: "node" });
    end = async () => {
      await database.close();
      await stop();
    };
  });
  afterAll(() => end());

  const back = async (value: unknown) =>
    (
      await database.read.all<{ value: unknown; kind: string }>(
        sql`SELECT ${value} AS value, typeof(${value}) AS kind`,
      )
    )[0];

  test.each([
    [null, "null"],
    [0, "integer"],
    [-7, "integer"],
    [Number.MAX_SAFE_INTEGER, "integer"],
    [Number.MIN_SAFE_INTEGER, "integer"],
    [0.1, "real"],
    [-1e300, "real"],
    ["", "text"],
    ['ąčęėįšųūž „"\\ \n 😀', "text"],
  ])("%p comes back unchanged", async (value, kind) => {
    expect(await back(value)).toEqual({ value, kind });
  });

  test("bytes come back unchanged", async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const found = await back(bytes);
    expect(found?.kind).toBe("blob");
    expect(Buffer.from(found?.value as Uint8Array)).toEqual(bytes);
    expect(await back(new Uint8Array())).toMatchObject({ kind: "blob" });
  });

  test("a number beyond JavaScript's exact range is refused, not rounded", async () => {
    const [read] = await Promise.allSettled([database.read.all(sql`SELECT 9007199254740993 AS v`)]);
    expect(read).toMatchObject({ status: "rejected" });
  });

  test("of reads in one batch a failed one does not affect the others", async () => {
    const [first, second, third] = await Promise.allSettled([
      back(1),
      database.read.all(sql`SELECT no_such_column FROM tenants`),
      back("3"),
    ]);
    expect(first).toMatchObject({ value: { value: 1 } });
    expect(second).toMatchObject({
      reason: { cause: { message: expect.stringContaining("no such column") } },
    });
    expect(third).toMatchObject({ value: { value: "3" } });
  });

  test("rows of raw SQL have only their column names", async () => {
    const rows = await database.read.all(sql`SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y'`);
    expect(rows).toEqual([
      { a: 1, b: "x" },
      { a: 2, b: "y" },
    ]);
  });
});
