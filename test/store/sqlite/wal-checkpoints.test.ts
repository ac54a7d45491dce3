/** A long write-ahead log is copied by a real worker while commits go on. */
import { Database as Sqlite } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { sleep, systemClock } from "../../../src/core/clock.ts";
import type { Database } from "../../../src/core/database.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { fileProblems } from "../../../src/store/sqlite/integrity.ts";
import { spawnCheckpointWorker } from "../../../src/workers.ts";

const PAGE_BYTES = 4096;
/**
 * Limits of wal-checkpoints.ts: pages at which a copy is requested, and at which SQLite copies at a commit.
 */
const PAGES = 4000;
const PAGES_MAX = 4 * PAGES;

// In memory if possible: other processes' writes must not influence the result.
const directory = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "linevoice-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let files = 0;

async function open(spawn: () => Worker) {
  const file = join(directory, `${++files}.db`);
  const database = openDatabase(file, systemClock.now(), systemClock, spawn);
  await database.tx(async (queries) => {
    await queries.run(sql`CREATE TABLE pages (content BLOB)`);
  });
  const other = new Sqlite(file);
  const log = () =>
    other.query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)").get() ?? {
      log: 0,
      checkpointed: 0,
    };
  return { file, database, other, log };
}

const add = (database: Database, pages: number) =>
  database.tx(async (queries) => {
    await queries.run(sql`INSERT INTO pages VALUES (zeroblob(${pages * (PAGE_BYTES - 4)}))`);
  });

const until = async (condition: () => boolean) => {
  while (!condition()) await sleep(systemClock, 5);
};

/** A worker that counts its requests. */
function counted() {
  const seen = { asked: 0, workers: 0 };
  const spawn = () => {
    seen.workers++;
    const worker = spawnCheckpointWorker();
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message: unknown) => {
      seen.asked++;
      post(message);
    };
    return worker;
  };
  return { seen, spawn };
}

test("a short log is not copied; from 16 MB on a worker copies it, not a commit", async () => {
  const { seen, spawn } = counted();
  const { database, log } = await open(spawn);
  await add(database, PAGES - 1 - log().log - 20);
  expect([seen.workers, log().checkpointed]).toEqual([0, 0]);
  await add(database, 40);
  await until(() => log().checkpointed >= PAGES);
  expect(seen.workers).toBe(1);
  await database.close();
});

test("copied frames are finished before the next transaction, so that the log restarts", async () => {
  const { seen, spawn } = counted();
  const { file, database, log } = await open(spawn);
  const handles = () => readdirSync("/proc/self/fd").length;
  let begun = 0;
  let before = 0;
  // Less than SQLite would copy by itself. A slow disk may miss one.
  for (let round = 0; round < 3; round++) {
    await add(database, PAGES);
    await until(() => log().checkpointed >= PAGES);
    await sleep(systemClock, 20);
    before ||= handles();
    await add(database, 1);
    if (log().log < PAGES) begun++;
  }
  expect(begun).toBeGreaterThan(0);
  expect(seen.workers).toBe(1);
  expect(handles()).toBeLessThanOrEqual(before + 3);
  await database.close();
  expect(fileProblems(file, "integrity_check")).toEqual([]);
  const kept = new Sqlite(file, { readonly: true });
  expect(kept.query("SELECT count(*) AS n FROM pages").get()).toEqual({ n: 6 });
  kept.close();
});

test("while a reader needs an old state, copies are requested once per 16 MB, not at each commit", async () => {
  const { seen, spawn } = counted();
  const { database, other, log } = await open(spawn);
  other.run("BEGIN");
  other.query("SELECT count(*) FROM pages").get();
  for (let n = 0; n < 35; n++) await add(database, PAGES / 10);
  expect(seen.asked).toBeLessThanOrEqual(6);
  other.run("COMMIT");
  await add(database, PAGES);
  await until(() => log().checkpointed > 0);
  await database.close();
});

test("without its worker the log is still limited, and transactions continue", async () => {
  let spawned = 0;
  const { file, database } = await open(() => {
    spawned++;
    return new Worker("data:text/javascript,throw new Error('died')");
  });
  for (let n = 0; n < 60; n++) await add(database, PAGES / 10);
  expect(spawned).toBeGreaterThan(0);
  expect(statSync(`${file}-wal`).size).toBeLessThan(1.2 * PAGES_MAX * PAGE_BYTES);
  await database.close();
  expect(fileProblems(file, "integrity_check")).toEqual([]);
});
