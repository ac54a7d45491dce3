/** Answers of a real libSQL server get lost, with their connections: nobody waits for it, and what can be tried again is. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { openRemoteDatabase } from "../../../src/adapter/store/remote-database.ts";
import { tenants } from "../../../src/adapter/store/schema/index.ts";
import { systemClock as clock } from "../../../src/core/clock.ts";
import type { Database, Queries } from "../../../src/core/database.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { type DelayingRelay, startDelayingRelay } from "../../support/delaying-relay.ts";
import { type SqldServer, startSqld } from "../../support/sqld-server.ts";
import { insertTenant } from "../../support/stored-rows.ts";

setDefaultTimeout(120_000);

/** sqld ends a transaction of somebody else after five seconds. */
const LOCK_MS = 5_000;

let server: SqldServer;
let relay: DelayingRelay;
/** Every nth answer is lost; 0: none. */
let nth = 0;
let answers = 0;
let lost = 0;
/** Its answers get lost. */
let lossy: Database;
let other: Database;
let tenantId = 0;

beforeAll(async () => {
  server = await startSqld();
  relay = await startDelayingRelay({ host: "127.0.0.1", port: server.port });
  relay.losesAnswer = () => {
    const isLost = nth > 0 && ++answers % nth === 0;
    if (isLost) lost++;
    return isLost;
  };
  const open = (port: number, owner: string) =>
    openRemoteDatabase(
      { url: `http://127.0.0.1:${port}`, authToken: server.token },
      { clock, random, owner },
    );
  other = await open(server.port, "other");
  lossy = await open(relay.port, "lossy");
  tenantId = await insertTenant(other);
});
afterAll(async () => {
  nth = 0;
  await lossy.close();
  await other.close();
  relay.close();
  await server.stop();
});

/** The next answer, and no other. */
function loseNext(): void {
  const { losesAnswer } = relay;
  relay.losesAnswer = () => {
    relay.losesAnswer = losesAnswer;
    return true;
  };
}

const nameOf = async (queries: Queries) =>
  (await queries.select().from(tenants).where(eq(tenants.id, tenantId)))[0]?.name;

const setName = (database: Database, name: string) =>
  database.tx(async (queries) => {
    await nameOf(queries);
    await queries.update(tenants).set({ name }).where(eq(tenants.id, tenantId));
  });

test("a transaction whose answer is lost keeps no other node's writer out", async () => {
  await setName(lossy, "before");
  const begun = Promise.withResolvers<void>();
  const broken = lossy
    .tx(async (queries) => {
      await nameOf(queries);
      begun.resolve();
      loseNext();
      await nameOf(queries);
      await queries.update(tenants).set({ name: "broken" }).where(eq(tenants.id, tenantId));
    })
    .catch((error) => (error as { code?: string }).code);
  await begun.promise;
  expect(await broken).toBe("STORE_UNREACHABLE");
  const askedAt = performance.now();
  await setName(other, "other");
  expect(performance.now() - askedAt).toBeLessThan(LOCK_MS - 1_000);
  expect(await nameOf(other.read)).toBe("other");
});

test("a transaction whose beginning is lost is begun again at once", async () => {
  await setName(lossy, "before");
  loseNext();
  const askedAt = performance.now();
  await setName(lossy, "again");
  expect(performance.now() - askedAt).toBeLessThan(LOCK_MS - 1_000);
  expect(await nameOf(other.read)).toBe("again");
});

test("with every thirtieth answer lost all reads succeed, and each change that is told as done is done", async () => {
  nth = 30;
  for (let n = 0; n < 200; n++) expect(await nameOf(lossy.read)).toBeString();
  let failed = 0;
  let longestMs = 0;
  for (let n = 0; n < 150; n++) {
    const startedAt = performance.now();
    const isDone = await setName(lossy, `name ${n}`).then(
      () => true,
      () => false,
    );
    longestMs = Math.max(longestMs, performance.now() - startedAt);
    if (isDone) expect(await nameOf(other.read)).toBe(`name ${n}`);
    else failed++;
  }
  nth = 0;
  console.log(`${lost} answers lost: ${failed} of 150 changes failed`);
  expect(lost).toBeGreaterThan(10);
  // Only the answer to a COMMIT cannot be asked for again.
  expect(failed).toBeLessThan(15);
  expect(longestMs).toBeLessThan(LOCK_MS - 1_000);
});
