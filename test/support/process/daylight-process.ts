/**
 * A scheduler in a process with a separate time zone, during a change to or from summer time.
 * Prints the fired entries.
 */
import { join } from "node:path";
import { silentLog } from "../../../src/core/log.ts";
import { scheduleStore } from "../../../src/features/schedule/schedule-store.ts";
import { Scheduler } from "../../../src/features/schedule/scheduler.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { fakeClock } from "../fake-clock.ts";
import { insertTenant } from "../store/stored-rows.ts";
import { tempDir } from "../temp-dir.ts";

const MINUTE = 60_000;
const ENTRIES = 150;
const startMs = Date.parse(process.argv[2] ?? "");
const clock = fakeClock(startMs);
const database = openDatabase(join(tempDir(), "daylight.db"), clock.now());
const tenantId = await insertTenant(database);
await database.tx(async (queries) => {
  for (let minute = 1; minute <= ENTRIES; minute++)
    await scheduleStore(queries).insert(tenantId, {
      callUuid: crypto.randomUUID(),
      toNumber: "+37061234567",
      fromNumber: "+37052123456",
      scheduleAt: startMs + minute * MINUTE,
      status: "pending",
      immediate: false,
      createdAt: 0,
    });
});
const fired = new Map<number, number>();
let latestMs = 0;
const scheduler = new Scheduler({
  records: scheduleStore,
  database,
  clock,
  log: silentLog,
  owner: "daylight",
  isDraining: () => false,
  async fire(entry) {
    const { id, leaseToken } = entry;
    await database.tx((queries) =>
      scheduleStore(queries).leavePending(tenantId, id, "fired", {}, leaseToken),
    );
    fired.set(id, (fired.get(id) ?? 0) + 1);
    latestMs = Math.max(latestMs, clock.now() - entry.scheduleAt);
    return { type: "dialed" };
  },
  async abandon() {},
}).start();
for (let second = 0; second < (ENTRIES + 1) * 60; second++) {
  await clock.advance(1_000);
  await scheduler.idle();
}
await scheduler.stop();
await database.close();
const offset = (ms: number) => new Date(ms).getTimezoneOffset();
console.log(
  JSON.stringify({
    zoneShifts: offset(startMs) !== offset(startMs + ENTRIES * MINUTE),
    entries: ENTRIES,
    fired: fired.size,
    once: [...fired.values()].every((times) => times === 1),
    latestMs,
  }),
);
