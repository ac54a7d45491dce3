/** The weekly check of the database: on a real file, with a fake clock. */
import { expect, test } from "bun:test";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../src/core/log.ts";
import { runDatabaseJob } from "../../src/ops/backup/run-database-job.ts";
import { watchIntegrity } from "../../src/ops/integrity-watch.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { spawnDatabaseWorker } from "../../src/workers.ts";
import { eventually } from "../support/eventually.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { insertTenant } from "../support/store/stored-rows.ts";
import { tempDir } from "../support/temp-dir.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
/** A Saturday's noon in the machine's zone. */
const SATURDAY = new Date(2026, 10, 21, 12, 0, 0).getTime();

function arrange(check: () => Promise<readonly string[]>) {
  const clock = fakeClock(SATURDAY);
  const logged: string[] = [];
  const note = (event: string) => void logged.push(event);
  const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
  const ran: Date[] = [];
  const watch = watchIntegrity({
    clock,
    log,
    check() {
      ran.push(new Date(clock.now()));
      return check();
    },
  });
  return { clock, logged, ran, watch };
}

test("PRAGMA integrity_check runs on Sundays at five, once a week", async () => {
  const { clock, logged, ran, watch } = arrange(async () => []);
  await clock.advance(17 * 60 * MINUTE - MINUTE);
  expect(ran).toEqual([]);
  await clock.advance(2 * MINUTE);
  expect(ran).toHaveLength(1);
  await clock.advance(14 * DAY);
  expect(ran.map((at) => [at.getDay(), at.getHours(), at.getMinutes()])).toEqual([
    [0, 5, 0],
    [0, 5, 0],
    [0, 5, 0],
  ]);
  expect(logged).toEqual(["database.ok", "database.ok", "database.ok"]);
  expect(watch.problem()).toBeNull();
  watch.stop();
  expect(clock.pendingTimers).toBe(0);
});

test("damage of a page is found by the worker, logged and reported", async () => {
  const path = join(tempDir(), "linevoice.db");
  const database = openDatabase(path, SATURDAY);
  for (let n = 0; n < 20; n++) await insertTenant(database);
  await database.close();
  const { clock, logged, watch } = arrange(() =>
    runDatabaseJob<"integrity">(spawnDatabaseWorker, { type: "integrity", database: path }),
  );
  const handle = openSync(path, "r+");
  const page = Buffer.alloc(4_096, 0x5a);
  writeSync(handle, page, 0, page.length, 3 * page.length);
  closeSync(handle);
  await clock.advance(DAY);
  await eventually(() => watch.problem() !== null, "the damage is said");
  expect(watch.problem()).toStartWith("The database is damaged: ");
  expect(logged).toEqual(["database.damaged"]);
  watch.stop();
});

test("a check that cannot be made is logged, and repeated a week later", async () => {
  let fails = true;
  const { clock, logged, watch } = arrange(async () => {
    if (!fails) return [];
    throw new Error("no worker");
  });
  await clock.advance(DAY);
  expect(logged).toEqual(["database.check_failed"]);
  fails = false;
  await clock.advance(7 * DAY);
  expect(logged).toEqual(["database.check_failed", "database.ok"]);
  watch.stop();
});
