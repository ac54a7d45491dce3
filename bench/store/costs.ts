/**
 * Store costs per call, on a file with tenants and past calls: recognise an API key, find the owner
 * of the called number, begin a call (admission, row, hold), charge it (settle and the call's last
 * write), claim a due schedule entry. Each in the appliance's own transaction, durable at its end.
 * Measures CPU time and elapsed time of the same statements at a small and a large amount.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Admission } from "../../src/call/admission/admission.ts";
import { NO_TOTALS } from "../../src/call/call-totals.ts";
import { callSetupStore } from "../../src/call/store/call-setup-store.ts";
import { callStore } from "../../src/call/store/call-store.ts";
import { callStores } from "../../src/call/store/call-stores.ts";
import { systemClock as clock } from "../../src/core/clock.ts";
import type { Database } from "../../src/core/database.ts";
import { microEur } from "../../src/core/money.ts";
import { Billing } from "../../src/features/billing/billing.ts";
import { billingStores } from "../../src/features/billing/billing-stores.ts";
import { apiKeyStore } from "../../src/features/key/api-key-store.ts";
import { scheduleStore } from "../../src/features/schedule/schedule-store.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { prepaidPlan, wideDialing } from "../../test/support/plans.ts";
import { percentile } from "../process/percentile.ts";
import { type Amount, fill } from "./filled.ts";

export interface StoreCost {
  readonly what: string;
  /** CPU time of one operation. */
  readonly cpuMicroseconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const ROUNDS = 300;
const WARM_UP = 50;
const ANSWERED_MS = 61_000;
const LEASE_MS = 10_000;
const RATE = prepaidPlan.overagePerMinute;

export async function measureStore(amount: Amount): Promise<StoreCost[]> {
  const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
  const database = openDatabase(join(directory, "store.db"), clock.now());
  try {
    await fill(database, amount, clock.now());
    return await measureAll(database, amount);
  } finally {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measureAll(database: Database, amount: Amount): Promise<StoreCost[]> {
  const plans = [{ ...prepaidPlan, maxConcurrentCalls: ROUNDS * 2 }];
  const billing = new Billing({ database, stores: billingStores, plans, clock });
  const admission = new Admission({
    stores: callStores,
    billing,
    clock,
    concurrentCallsMax: ROUNDS * 2,
    liveCalls: () => 0,
    dialing: () => wideDialing,
  });
  const tenantId = 1;
  await billing.credit(tenantId, microEur(1_000_000_000), "bench");
  const tenant = await callSetupStore(database.read).tenant(tenantId);
  if (!tenant) throw new Error("the bench has no tenant");
  const uuidOf = (n: number) => `bench-${n}`;
  const someTenant = (n: number) => 1 + ((n * 7919) % amount.tenants);

  async function begin(n: number): Promise<void> {
    const nowMs = clock.now();
    await database.tx(async (queries) => {
      if (tenant) admission.inbound(tenant, await admission.loadOf(queries, tenant));
      await callStore(queries).insert(tenantId, {
        callUuid: uuidOf(n),
        direction: "inbound",
        status: "ringing",
        recordingStatus: "none",
        fromNumber: "+37061111111",
        toNumber: "+37060000001",
        createdAt: nowMs,
        agentId: 1,
        overageRate: RATE,
        cost: microEur(0),
      });
      await billing.hold(queries, tenantId, uuidOf(n));
    });
  }

  async function charge(n: number): Promise<void> {
    await database.tx(async (queries) => {
      const { billableSeconds, includedSeconds, overageSeconds, cost } = await billing.settle(
        ...([queries, tenantId, uuidOf(n), ANSWERED_MS, RATE] as const),
      );
      const ended = { status: "completed", reason: "caller_hangup", explanation: "" } as const;
      await callStore(queries).finish(tenantId, uuidOf(n), {
        ending: { ...ended, fault: null, sipCode: null },
        endedAt: clock.now(),
        figures: { ...NO_TOTALS, billableSeconds, includedSeconds, overageSeconds, cost },
      });
    });
  }

  await database.tx(async (queries) => {
    for (let n = 0; n < ROUNDS + WARM_UP; n++)
      await scheduleStore(queries).insert(someTenant(n), {
        callUuid: `later-${n}`,
        toNumber: "+37061111111",
        fromNumber: "+37052000001",
        scheduleAt: 1,
        status: "pending",
        immediate: false,
        createdAt: 0,
      });
  });

  return [
    await measure("recognise an API key", (n) =>
      apiKeyStore(database.read).findByHash(someTenant(n).toString(16).padStart(64, "0")),
    ),
    await measure("find whose number rings", (n) => {
      const number = `+3706${String(someTenant(n)).padStart(7, "0")}`;
      return callSetupStore(database.read).claimsTo([number]);
    }),
    await measure("begin a call", begin),
    await measure("charge a call and end it", charge),
    await measure("claim a due schedule entry", () =>
      database.tx((queries) =>
        scheduleStore(queries).claimDue("bench", clock.now(), LEASE_MS, 1, {
          exceptTenants: [],
          node: null,
          immediateOnly: false,
        }),
      ),
    ),
  ];
}

async function measure(what: string, one: (n: number) => Promise<unknown>): Promise<StoreCost> {
  for (let n = 0; n < WARM_UP; n++) await one(n);
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let n = WARM_UP; n < ROUNDS + WARM_UP; n++) {
    const startedAt = performance.now();
    await one(n);
    times.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  return {
    what,
    cpuMicroseconds: (user + system) / ROUNDS,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  };
}

if (import.meta.main)
  for (const amount of [
    { tenants: 10, calls: 1_000 },
    { tenants: Number(process.argv[2] ?? 2_000), calls: Number(process.argv[3] ?? 100_000) },
  ])
    console.table(await measureStore(amount));
