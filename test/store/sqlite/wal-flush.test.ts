/** Flushes of the write-ahead log: real ones, and the order of flush and reply. */
import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sleep, systemClock, yieldToEventLoop } from "../../../src/core/clock.ts";
import { walFlush } from "../../../src/store/sqlite/wal-flush.ts";
import { ask, startApiServer } from "../../support/http/api-server.ts";
import { tempDir } from "../../support/temp-dir.ts";

const api = await startApiServer({ directory: tempDir() });
afterAll(() => api.stop());

test("a flush requested during another shares the next one; then nothing is pending", async () => {
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

test("a log that cannot be opened fails its flush, and the next one", async () => {
  const log = walFlush(join(tempDir(), "none.db"));
  const outcomes = await Promise.allSettled([log.flush(), log.flush()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(log.pending()).toBeNull();
  await log.close();
});

test("unclosed logs stop nothing when their databases are collected", async () => {
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

test("a resolved transaction leaves nothing pending", async () => {
  await api.tenant();
  expect(api.database.settled()).toBeNull();
});

test("an HTTP answer waits until the data that it read is on the disk", async () => {
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
