/**
 * Lateness of scheduled entries: many entries due at the same instant, with and without a cap, and
 * single entries. Real scheduler, system clock, real file. To fire an entry is the dialer's
 * transaction.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock as clock, sleep } from "../../src/core/clock.ts";
import type { Database } from "../../src/core/database.ts";
import { AppError } from "../../src/core/errors.ts";
import { silentLog } from "../../src/core/log.ts";
import { scheduleStore } from "../../src/features/schedule/schedule-store.ts";
import { Scheduler } from "../../src/features/schedule/scheduler.ts";
import { tenants } from "../../src/store/schema/index.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";

export interface Lateness {
  readonly entries: number;
  readonly firedTwice: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly latestMs: number;
  readonly perSecond: number;
}

export interface LatenessOptions {
  readonly entries: number;
  /** Interval between entries; 0 if all are due at once. */
  readonly everyMs: number;
  /** Maximum number of concurrent calls, each of `callMs`. */
  readonly cap: number;
  readonly callMs: number;
}

async function insertTenant(database: Database): Promise<number> {
  const [row] = await database.tx((queries) =>
    queries
      .insert(tenants)
      .values({
        name: "Bench",
        email: "bench@example.com",
        plan: "start",
        timeZone: "UTC",
        webhookSecretSealed: "",
        webhookSecretPrefix: "",
        createdAt: 0,
      })
      .returning({ id: tenants.id }),
  );
  return row?.id ?? 0;
}

export async function measureLateness(options: LatenessOptions): Promise<Lateness> {
  const { entries, everyMs, cap, callMs } = options;
  const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
  const database = openDatabase(join(directory, "schedule.db"), clock.now());
  const tenantId = await insertTenant(database);
  const firstMs = clock.now() + 2_000 + entries / 20;
  await database.tx(async (queries) => {
    for (let n = 0; n < entries; n++)
      await scheduleStore(queries).insert(tenantId, {
        callUuid: crypto.randomUUID(),
        toNumber: "+37061234567",
        fromNumber: "+37052123456",
        scheduleAt: Math.round(firstMs + n * everyMs),
        status: "pending",
        immediate: false,
        createdAt: 0,
      });
  });
  const late: number[] = [];
  const seen = new Map<number, number>();
  let live = 0;
  const capIsFull = new AppError({ code: "plan_limit_reached", publicMessage: "full" });
  const scheduler = new Scheduler({
    records: scheduleStore,
    database,
    clock,
    log: silentLog,
    owner: "bench",
    isDraining: () => false,
    async fire({ id, scheduleAt, leaseToken }) {
      if (live >= cap) return { type: "waits", error: capIsFull };
      const moved = await database.tx((queries) =>
        scheduleStore(queries).leavePending(tenantId, id, "fired", {}, leaseToken),
      );
      if (!moved) return { type: "gone" };
      live++;
      clock.after(callMs, () => {
        live--;
        scheduler.freed(tenantId);
      });
      late.push(clock.now() - scheduleAt);
      seen.set(id, (seen.get(id) ?? 0) + 1);
      return { type: "dialed" };
    },
    async abandon() {},
  }).start();
  while (late.length < entries) await sleep(clock, 50);
  await scheduler.stop();
  await database.close();
  rmSync(directory, { recursive: true, force: true });
  const sorted = [...late].sort((a, b) => a - b);
  const share = (of: number) => sorted[Math.min(sorted.length - 1, Math.floor(entries * of))] ?? 0;
  const latestMs = share(1);
  return {
    entries,
    latestMs,
    p50Ms: share(0.5),
    p99Ms: share(0.99),
    firedTwice: [...seen.values()].filter((times) => times > 1).length,
    perSecond: Math.round(entries / Math.max(0.001, latestMs / 1000)),
  };
}
