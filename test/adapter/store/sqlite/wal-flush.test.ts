/** Flushes of the write-ahead log: real ones, and what must be on the disk before it is told. */
import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { walFlush } from "../../../../src/adapter/store/sqlite/wal-flush.ts";
import { sleep, systemClock, yieldToEventLoop } from "../../../../src/core/clock.ts";
import { ask, startApiServer } from "../../../support/http/api-server.ts";
import { tempDir } from "../../../support/temp-dir.ts";

const api = await startApiServer({ directory: tempDir() });
afterAll(() => api.stop());

test("who asks while a flush runs shares the next one; then nothing is pending", async () => {
  const path = join(tempDir(), "a.db");
  writeFileSync(`${path}-wal`, "frames");
  const log = walFlush(path);
  expect(log.pending()).toBeNull();
  const first = log.flush();
  const [second, third] = [log.flush(), log.flush()];
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  expect(log.pending()).toBe(second);
  await Promise.all([first, second]);
  expect(log.pending()).toBeNull();
  await log.flush();
  await log.close();
});

test("a log that cannot be opened fails its flush, and the one behind it", async () => {
  const log = walFlush(join(tempDir(), "none.db"));
  const outcomes = await Promise.allSettled([log.flush(), log.flush()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(log.pending()).toBeNull();
  await log.close();
});

test("logs that nobody closes end nothing when their databases are collected", async () => {
  const leave = async () => {
    const path = join(tempDir(), "left.db");
    writeFileSync(`${path}-wal`, "frames");
    await walFlush(path).flush();
  };
  for (let left = 0; left < 20; left++) await leave();
  for (let turn = 0; turn < 5; turn++) {
    Bun.gc(true);
    await sleep(systemClock, 10);
  }
});

test("a transaction that resolved leaves nothing pending", async () => {
  await api.tenant();
  expect(api.database.settled()).toBeNull();
});

test("an answer over HTTP waits until what was read is on the disk", async () => {
  const tenant = await api.tenant();
  const { settled } = api.database;
  const disk = Promise.withResolvers<void>();
  api.database.settled = () => disk.promise;
  let status: number | null = null;
  const answer = ask(api, tenant, "GET", "/tenant").then((given) => {
    status = given.status;
  });
  for (let turn = 0; turn < 50; turn++) await yieldToEventLoop();
  expect(status).toBeNull();
  disk.resolve();
  await answer;
  api.database.settled = settled;
  expect(Number(status)).toBe(200);
});
