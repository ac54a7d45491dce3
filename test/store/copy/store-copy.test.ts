/** A whole store is copied from the file to a real libSQL server and back: every row, or an error. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { callStore } from "../../../src/call/store/call-store.ts";
import { systemClock as clock } from "../../../src/core/clock.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { copyStoreTo } from "../../../src/ops/backup/copy-store.ts";
import {
  openRawFile,
  openRawServer,
  type RawStore,
  type StoredValue,
} from "../../../src/store/copy/raw-store.ts";
import { copyStore } from "../../../src/store/copy/store-copy.ts";
import { openRemoteDatabase } from "../../../src/store/libsql/database.ts";
import { migrations } from "../../../src/store/migration/migrations.ts";
import { calls } from "../../../src/store/schema/index.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { requirePeer } from "../../support/peers.ts";
import { type SqldServer, startSqld } from "../../support/store/sqld-server.ts";
import { insertCall, insertTenant } from "../../support/store/stored-rows.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(120_000);

const directory = tempDir();
const source = join(directory, "source.db");
let server: SqldServer;
let place: { readonly url: string; readonly authToken: string };

/** Rows in each table, so that several pages are read. */
const ROWS = 30;
const TEXTS = ["", "Ąžuolas “x” 'y'", "+37061234567", "1", "null", "\u{1f4de}", "a\nb;--"];

/** A value for a column of this type; `n` makes it unique. */
function valueFor(type: string, isNullable: boolean, n: number): StoredValue {
  if (isNullable && n % 5 === 0) return null;
  if (type === "blob") return new Uint8Array([n, 0, 255]);
  if (type === "integer") return n % 7 === 0 ? 2n ** 53n + BigInt(n) : BigInt(n);
  if (type === "real") return n % 2 === 0 ? n : n + 0.1;
  return `${TEXTS[n % TEXTS.length]}${n}`;
}

async function fill(store: RawStore): Promise<void> {
  const tables = await store.rows(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name <> 'migrations' AND name NOT GLOB 'search_*'",
  );
  for (const [table = null] of tables) {
    const columns = await store.rows(
      'SELECT name, lower(type), "notnull", pk FROM pragma_table_info(?)',
      [table],
    );
    const names = columns.map(([name]) => `"${name}"`).join(", ");
    const sql = `INSERT OR IGNORE INTO "${table}" (${names}) VALUES (${columns.map(() => "?").join(", ")})`;
    await store.write(
      Array.from({ length: ROWS }, (_, n) => ({
        sql,
        args: columns.map(([name, type, notNull, key]) =>
          // Rows need their parents, and triggers calculate with times.
          type === "integer" && /^(created_at|id|.*_id)$/.test(String(name))
            ? BigInt(n + 1)
            : valueFor(String(type), notNull === 0n && key === 0n, n + 1),
        ),
      })),
    );
  }
}

/** The full content of a store: rows, triggers and sequence numbers. */
async function contentOf(store: RawStore): Promise<Map<string, unknown>> {
  const content = new Map<string, unknown>();
  const objects = await store.rows(
    "SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'trigger') AND name NOT IN ('commit_marks', 'migration_lock', 'migrations') AND name NOT GLOB 'sqlite_stat*' AND (type = 'trigger' OR name NOT GLOB 'search_*') ORDER BY name",
  );
  for (const [type = null, name = null, sql = null] of objects) {
    if (type === "trigger") content.set(`trigger ${name}`, sql);
    else {
      const columns = String(sql).endsWith("WITHOUT ROWID") ? "*" : "rowid, *";
      content.set(
        `table ${name}`,
        await store.rows(`SELECT ${columns} FROM "${name}" ORDER BY 2, 1`),
      );
    }
  }
  return content;
}

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => "it worked",
    (error) => (error as Error).message,
  );

beforeAll(async () => {
  server = await startSqld();
  place = { url: server.url, authToken: server.token };
  await openDatabase(source, 0).close();
  const store = openRawFile(source, false);
  await fill(store);
  store.close();
});
afterAll(() => server.stop());

test("an interrupted copy can be resumed; until then no linevoice starts on it", async () => {
  const before = openRawFile(source, true);
  const content = await contentOf(before);
  before.close();
  await (await openRemoteDatabase(place, { clock, random, owner: "test" })).close();
  const from = openRawFile(source, true);
  const to = openRawServer(place);
  let writes = 0;
  const breaking: RawStore = {
    ...to,
    async write(statements) {
      if (++writes > 20) throw new Error("the line is cut");
      await to.write(statements);
    },
  };
  expect(await messageOf(copyStore(from, breaking))).toBe("the line is cut");
  from.close();
  expect(await messageOf(openRemoteDatabase(place, { clock, random, owner: "test" }))).toContain(
    "was not finished. Run `linevoice store copy` again",
  );
  // Another source does not resume it.
  const other = join(directory, "other.db");
  await openDatabase(other, 0).close();
  expect(await messageOf(copyStoreTo(other, place, { clock, random }))).toContain(
    `an unfinished copy of ${source}`,
  );

  const copied = await copyStoreTo(source, place, { clock, random });
  expect(copied.length).toBeGreaterThan(50);
  for (const { table, rows } of copied) expect([table, rows > 0]).toEqual([table, true]);
  expect(await contentOf(to)).toEqual(content);
  to.close();
  const after = openRawFile(source, true);
  expect(await contentOf(after)).toEqual(content);
  after.close();
});

test("and back into a file: the same rows, hashes, triggers and numbers", async () => {
  const back = join(directory, "back.db");
  const copied = await copyStoreTo(place, back, { clock, random });
  const [first, last] = [openRawFile(source, true), openRawFile(back, true)];
  expect(await contentOf(last)).toEqual(await contentOf(first));
  first.close();
  last.close();
  const again = await copyStoreTo(source, join(directory, "again.db"), { clock, random });
  expect(copied).toEqual(again);
  // The store works: a new row is counted, and gets an unused number.
  const database = openDatabase(back, 0);
  const newest = Math.max(
    ...(await database.read.select({ id: calls.id }).from(calls)).map(({ id }) => id),
  );
  const uuid = crypto.randomUUID();
  const tenantId = await insertTenant(database);
  await insertCall(database, tenantId, uuid);
  expect((await callStore(database.read).find(tenantId, uuid))?.id).toBeGreaterThan(newest);
  await database.close();
});

const canRestore = requirePeer("sqlite3");

// The runtime's SQLite refuses a dump with a virtual table.
test.skipIf(!canRestore)(
  "the server's dump is a backup: restored into a file it is the same store",
  async () => {
    const headers = { authorization: `Bearer ${place.authToken}` };
    const dump = await (await fetch(`${place.url}/dump`, { headers })).text();
    const restored = join(directory, "restored.db");
    const { exitCode } = Bun.spawnSync(["sqlite3", restored], { stdin: Buffer.from(dump) });
    expect(exitCode).toBe(0);
    const [first, last] = [openRawFile(source, true), openRawFile(restored, true)];
    expect(await contentOf(last)).toEqual(await contentOf(first));
    first.close();
    last.close();
    await openDatabase(restored, 0).close();
  },
);

test("a store with rows is refused and stays unchanged, also one that was just filled", async () => {
  const target = join(directory, "used.db");
  const database = openDatabase(target, 0);
  await insertTenant(database);
  await database.close();
  const used = openRawFile(target, true);
  const content = await contentOf(used);
  used.close();
  for (const to of [target, place])
    expect(await messageOf(copyStoreTo(source, to, { clock, random }))).toContain("is not empty");
  const after = openRawFile(target, true);
  expect(await contentOf(after)).toEqual(content);
  after.close();
});

test("a different row is found and named", async () => {
  const target = join(directory, "broken.db");
  await openDatabase(target, 0).close();
  const from = openRawFile(source, true);
  const to = openRawFile(target, false);
  const lossy: RawStore = {
    ...to,
    write: (statements) =>
      to.write(
        statements.map(({ sql, args = [] }) =>
          sql.includes('INTO "wallets"')
            ? { sql, args: [...args.slice(0, -1), 5n] }
            : { sql, args },
        ),
      ),
  };
  expect(await messageOf(copyStore(from, lossy))).toMatch(/^Row \d+ of wallets differs/);
  from.close();
  to.close();
});

test("a source with replaced migrations is copied", async () => {
  const path = join(directory, "replaced.db");
  await openDatabase(path, 0).close();
  const store = openRawFile(path, false);
  await store.write([
    { sql: "UPDATE migrations SET tag = '0028_campaign_results' WHERE tag LIKE '0001%'" },
    { sql: "UPDATE migrations SET tag = '0034_scenario_calls' WHERE tag LIKE '0002%'" },
    {
      sql: "INSERT INTO migrations VALUES ('0001_after_0_1', 'x', 0), ('0029_trial_days', 'x', 0)",
    },
  ]);
  store.close();
  const to = join(directory, "of-replaced.db");
  expect((await copyStoreTo(path, to, { clock, random })).length).toBeGreaterThan(70);
});

test("a source of an older linevoice, or none, is refused; a server with an active node too", async () => {
  const old = join(directory, "old.db");
  await openDatabase(old, 0).close();
  const store = openRawFile(old, false);
  await store.write([
    { sql: "DELETE FROM migrations WHERE tag = ?", args: [migrations.at(-1)?.tag ?? ""] },
  ]);
  store.close();
  const to = join(directory, "never.db");
  expect(await messageOf(copyStoreTo(old, to, { clock, random }))).toContain("older linevoice");
  expect(await messageOf(copyStoreTo(join(directory, "none.db"), to, { clock, random }))).toContain(
    "Database not found",
  );
  const node = openRawServer(place);
  const beats: Promise<void>[] = [];
  const beat = () => beats.push(node.write([{ sql: "UPDATE nodes SET beat = beat + 1" }]));
  const beating = setInterval(beat, 500);
  expect(await messageOf(copyStoreTo(place, to, { clock, random }))).toContain("Nodes still use");
  clearInterval(beating);
  // The server is stopped after the last test: no request may be pending then.
  await Promise.all(beats);
  node.close();
});
