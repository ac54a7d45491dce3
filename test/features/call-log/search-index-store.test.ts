/** The word index: old calls, other tenants, erased or expired data, concurrent indexing, a kill. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { indexSomeCalls } from "../../../src/app/call-indexing.ts";
import type { Database } from "../../../src/core/database.ts";
import { createCallSearch } from "../../../src/features/call-log/call-search.ts";
import { searchIndexStore } from "../../../src/features/call-log/search-index-store.ts";
import { eraseStore } from "../../../src/features/privacy/erase-store.ts";
import { retentionStore } from "../../../src/features/privacy/retention-store.ts";
import { calls } from "../../../src/store/schema/index.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { indexAll, insertCalls } from "../../support/store/searched-calls.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { isRemote, openRemote, openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(240_000);

const DAY_MS = 86_400_000;
const page = { limit: 25, offset: 0 };
const noPause = async () => undefined;

async function idsFound(database: Database, tenantId: number, words: string): Promise<number[]> {
  const { calls } = await createCallSearch(database).find(tenantId, {}, words, page);
  return calls.map(({ id }) => id);
}

const openStore = () => openTestDatabase(join(tempDir(), "linevoice.db"), 0);

const countOf = async (database: Database, table: string) => {
  const [row] = await database.read.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM ${sql.identifier(table)}`,
  );
  return row?.n;
};

test("a word of the oldest of 10,100 calls is found, before and after indexing", async () => {
  const database = await openStore();
  const tenantId = await insertTenant(database);
  const [oldest] = await insertCalls(
    database,
    tenantId,
    Array.from({ length: 10_100 }, (_, at) => ({
      said: at === 0 ? ["Mano žirafa serga."] : [],
      createdAt: at * 1000,
    })),
  );
  expect(await idsFound(database, tenantId, "ZIRAF")).toEqual([oldest ?? 0]);
  await indexAll(database);
  expect(await countOf(database, "search_queue")).toBe(0);
  expect(await idsFound(database, tenantId, "iraf")).toEqual([oldest ?? 0]);
  await database.close();
});

test("the newest come first, also among calls not indexed yet, page by page", async () => {
  const database = await openStore();
  const tenantId = await insertTenant(database);
  const times = Array.from({ length: 200 }, (_, at) => (at % 7 === 0 ? 1000 + at : at));
  const said = ["labas"];
  const ids = await insertCalls(
    database,
    tenantId,
    times.map((createdAt) => ({ said, createdAt })),
  );
  await indexAll(database);
  const timeOf = (id: number) => times[ids.indexOf(id)] ?? 0;
  const expected = ids.toSorted((a, b) => timeOf(b) - timeOf(a));
  const search = createCallSearch(database);
  const found: number[] = [];
  for (const offset of [0, 25, 50, 75, 100, 125, 150, 175]) {
    const { calls, more } = await search.find(tenantId, {}, "labas", { limit: 25, offset });
    expect(more).toBe(offset < 175);
    found.push(...calls.map(({ id }) => id));
  }
  expect(found).toEqual(expected);
  await database.close();
});

test("missed calls of any status are found in the index, and no others", async () => {
  const database = await openStore();
  const tenantId = await insertTenant(database);
  const kinds = [
    ["inbound", "completed"],
    ["inbound", "no_answer"],
    ["inbound", "busy"],
    ["outbound", "failed"],
    ["inbound", "cancelled"],
  ] as const;
  const ids = await insertCalls(
    database,
    tenantId,
    kinds.map(([direction], createdAt) => ({ direction, createdAt, said: [], summary: "labas" })),
  );
  for (const [at, [, status]] of kinds.entries())
    await database.tx((queries) =>
      queries
        .update(calls)
        .set({ status })
        .where(eq(calls.id, ids[at] ?? 0)),
    );
  await indexAll(database);
  const search = createCallSearch(database);
  const { calls: found } = await search.find(tenantId, { missed: true }, "labas", page);
  expect(found.map(({ id }) => ids.indexOf(id))).toEqual([4, 2, 1]);
  await database.close();
});

test("another tenant's words are neither found nor read", async () => {
  const database = await openStore();
  const [tenantId, neighbour] = [await insertTenant(database), await insertTenant(database)];
  const said = ["viena sąskaita"];
  const [own] = await insertCalls(database, tenantId, [{ said, createdAt: 1 }]);
  await insertCalls(database, neighbour, [{ said, createdAt: 1 }]);
  await indexAll(database);
  for (let first = 0; first < 100_000; first += 10_000)
    await database.tx((queries) =>
      queries.run(
        sql`WITH RECURSIVE n(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${first + 9_999})
          INSERT INTO search_words (tenant_id, word) SELECT ${neighbour}, 'sa' || i FROM n`,
      ),
    );
  for (const words of ["sa", "saskait", "a", "viena saskaita"])
    expect([words, await idsFound(database, tenantId, words)]).toEqual([words, [own ?? 0]]);
  await database.close();
});

test("a call with more words than the index limit, or a word above the length limit, is found", async () => {
  const database = await openStore();
  const tenantId = await insertTenant(database);
  const many = Array.from({ length: 5_001 }, (_, n) => `w${n}`).join(" ");
  const ids = await insertCalls(database, tenantId, [
    { said: [many], createdAt: 1 },
    { said: [`ž${"a".repeat(40)}b`], createdAt: 2 },
    { said: [`ž${"a".repeat(31)}`], createdAt: 3 },
  ]);
  await indexAll(database);
  expect(await idsFound(database, tenantId, "w5000")).toEqual([ids[0] ?? 0]);
  expect(await idsFound(database, tenantId, `${"a".repeat(40)}b`)).toEqual([ids[1] ?? 0]);
  expect(await idsFound(database, tenantId, "zaaaa")).toEqual([ids[2] ?? 0, ids[1] ?? 0]);
  await database.close();
});

test("words spoken only by an erased person are neither in the index nor in the file", async () => {
  const path = join(tempDir(), "linevoice.db");
  const database = await openTestDatabase(path, 0);
  const tenantId = await insertTenant(database);
  const others = Array.from({ length: 8 }, (_, at) => ({
    said: ["sveiki, mano sąskaita"],
    createdAt: at + 10,
  }));
  const [erased] = await insertCalls(database, tenantId, [
    { said: ["mano zyzzyvalangas"], createdAt: 1, fromNumber: "+37069999111" },
    ...others,
  ]);
  const id = erased ?? 0;
  await indexAll(database);
  while (await database.tx((queries) => searchIndexStore(queries).merge()));
  expect(await idsFound(database, tenantId, "zyzzyva")).toEqual([id]);
  const words = (await countOf(database, "search_words")) ?? 0;
  await database.tx((queries) => eraseStore(queries).unindex(tenantId, id, 0));
  expect(await idsFound(database, tenantId, "zyzzyva")).toEqual([id]);
  await database.tx(async (queries) => {
    const store = eraseStore(queries);
    await store.erase(tenantId, "+37069999111", await store.callsWith(tenantId, "+37069999111"), 0);
  });
  await indexAll(database);
  expect(await countOf(database, "search_words")).toBe(words - 2);
  expect(await idsFound(database, tenantId, "zyzzyva")).toEqual([]);
  expect(await idsFound(database, tenantId, "69999111")).toEqual([]);
  expect(await idsFound(database, tenantId, "saskaita")).toHaveLength(8);
  const checked = database.tx((queries) =>
    queries.run(sql`INSERT INTO search_index (search_index) VALUES ('integrity-check')`),
  );
  expect(await checked.then(() => "sound", String)).toBe("sound");
  await database.close();
  if (isRemote) return;
  const bytes = readFileSync(path);
  expect(bytes.includes("saskaita")).toBe(true);
  for (const word of ["zyzzyva", "yzzyvalangas", "37069999111", "69999111"])
    expect([word, bytes.includes(word)]).toEqual([word, false]);
});

test("an expired transcript leaves the index; number and summary stay", async () => {
  const database = await openStore();
  const tenantId = await insertTenant(database);
  const [old, fresh] = await insertCalls(database, tenantId, [
    { said: ["mano žirafa"], createdAt: 0, summary: "Apie dramblį." },
    { said: ["mano žirafa"], createdAt: 95 * DAY_MS },
  ]);
  await indexAll(database);
  const expired = await database.tx((queries) =>
    retentionStore(queries).expireTranscripts(95 * DAY_MS, 90, 10),
  );
  expect(expired).toBe(1);
  for (const _ of ["in the queue", "in the index"]) {
    expect(await idsFound(database, tenantId, "zirafa")).toEqual([fresh ?? 0]);
    expect(await idsFound(database, tenantId, "drambl")).toEqual([old ?? 0]);
    await indexAll(database);
  }
  await database.close();
});

test("calls indexed one by one leave few parts to be searched", async () => {
  const database = await openStore();
  const tenantId = await insertTenant(database);
  const calls = Array.from({ length: 127 }, (_, at) => ({ said: [`labas ${at}`], createdAt: at }));
  const parts = new Set<number>();
  for (const call of calls) {
    await insertCalls(database, tenantId, [call]);
    await indexAll(database);
    const [row] = await database.read.all<{ n: number }>(
      sql`SELECT count(DISTINCT id >> 37) AS n FROM search_index_data WHERE id >> 37 > 0`,
    );
    parts.add(row?.n ?? 0);
  }
  expect(Math.max(...parts)).toBeLessThanOrEqual(2);
  expect(await idsFound(database, tenantId, "labas 12")).toHaveLength(8);
  await database.close();
});

test("two nodes that index at once index every call once", async () => {
  const path = join(tempDir(), "linevoice.db");
  const nodes = [await openRemote(path), await openRemote(path)];
  const [first] = nodes;
  if (!first) throw new Error("no node");
  const tenantId = await insertTenant(first);
  const said = ["labas rytas"];
  await insertCalls(
    first,
    tenantId,
    Array.from({ length: 400 }, (_, createdAt) => ({ said, createdAt })),
  );
  await Promise.all(nodes.map(indexAll));
  expect(await countOf(first, "search_queue")).toBe(0);
  expect(await countOf(first, "search_documents")).toBe(400);
  const [row] = await first.read.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM search_index WHERE search_index MATCH (SELECT cast(id AS TEXT) FROM search_words WHERE word = 'rytas')`,
  );
  expect(row?.n).toBe(400);
  for (const node of nodes) await node.close();
});

async function killedInTheMiddle() {
  const path = join(tempDir(), "linevoice.db");
  const database = openDatabase(path, 0);
  const tenantId = await insertTenant(database);
  const spoken = Array.from({ length: 1_500 }, (_, at) => ({
    said: [`labas ${at} rytas n${at}n`],
    createdAt: at,
  }));
  const ids = await insertCalls(database, tenantId, spoken);
  await database.close();
  const child = Bun.spawn(
    [
      process.execPath,
      "-e",
      `import { openDatabase } from "${import.meta.dir}/../../../src/store/sqlite/database.ts";
       import { indexAll } from "${import.meta.dir}/../../support/store/searched-calls.ts";
       const database = openDatabase(${JSON.stringify(path)}, 0);
       console.log("begun");
       await indexAll(database);`,
    ],
    { stdout: "pipe", stderr: "inherit" },
  );
  expect((await child.stdout.getReader().read()).done).toBe(false);
  await Bun.sleep(60);
  child.kill("SIGKILL");
  await child.exited;
  const again = openDatabase(path, 0);
  for (const at of [0, 700, 1_499])
    expect(await idsFound(again, tenantId, `n${at}n`)).toEqual([ids[at] ?? 0]);
  while (await indexSomeCalls(again, 1e9, noPause));
  expect(await countOf(again, "search_queue")).toBe(0);
  for (const at of [0, 700, 1_499])
    expect(await idsFound(again, tenantId, `n${at}n`)).toEqual([ids[at] ?? 0]);
  await again.close();
}

// Always a file, whatever store the tests use.
if (!isRemote) test("a kill in mid-indexing loses nothing", killedInTheMiddle);
