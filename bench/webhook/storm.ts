/**
 * The measured process of during-calls.ts: the whole appliance, with many tenants' webhooks in its
 * store. Prints the SIP address to call. After the first line on its standard input it emits
 * events, first at a steady rate, then all at once, and prints the results of healthy endpoints.
 * Exits when its standard input ends. Argument: a `Storm` as JSON.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { and, gte, sql } from "drizzle-orm";
import { systemClock } from "../../src/core/clock.ts";
import { uuidV7 } from "../../src/core/ids.ts";
import { systemRandom } from "../../src/core/random.ts";
import { callStarted } from "../../src/features/webhook/catalogue.ts";
import { raiseSignalling } from "../../src/platform/threads/priority.ts";
import { outbox } from "../../src/store/schema/index.ts";
import { startAppliance } from "../../test/support/appliance/appliance.ts";
import { testCa } from "../../test/support/net/test-ca.ts";
import { storeEndpoints } from "../../test/support/store/many-endpoints.ts";
import { startCarrierProcess } from "../calls/carrier-process.ts";
import { roomFor } from "../calls/room.ts";
import { firstLine } from "../http/first-line.ts";
import { percentile } from "../process/percentile.ts";
import { mainThreadTimes } from "../process/usage.ts";
import { callableBySipp } from "../signalling/callable.ts";
import { OURS } from "../signalling/hosts.ts";
import { pathOf, startReceivers } from "./receiving-side.ts";

export interface Storm {
  readonly calls: number;
  /** Number of events emitted at once. */
  readonly events: number;
  readonly endpoints: number;
  readonly troubled: number;
  /** Events per second of the steady run. */
  readonly perSecond: number;
  /**
   * Number of events of the steady run. It comes first, so that the code is already compiled in the
   * second run.
   */
  readonly steadyEvents: number;
}

/** Delay of healthy endpoints: from the commit of an event to its arrival. */
export interface StormResult {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly missing: number;
  /** Healthy deliveries per second, from the first event to the last arrival. */
  readonly deliveriesPerSecond: number;
  /** CPU time of the sending thread per 1,000 events, without the part that calls used before. */
  readonly threadMsPer1000: number;
  /** Share of the time for which the sending thread was ready but had no CPU. */
  readonly starvedPercent: number;
  readonly loadAverage: number;
  readonly callsUp: number;
}

const HOST = "127.46.0.2";
const TICK_MS = 10;
/** Events per transaction when all are emitted at once. */
const AT_ONCE = 500;
const BASELINE_MS = 1000;
const WAIT_MAX_MS = 180_000;
/** The callers have gone by then and would not answer a BYE. */
const CLOSE_MS = 1000;

const storm = JSON.parse(process.argv[2] ?? "{}") as Storm;
const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
const ca = testCa(directory);
const receivers = await startReceivers(ca.issue([`IP:${HOST}`]), HOST);
const carrier = await startCarrierProcess(OURS);
raiseSignalling(); // as `serve` does; does not affect the other processes
let masterKey = new Uint8Array();
const world = await startAppliance({
  dataDir: directory,
  host: OURS,
  carrier,
  agent: { maxDurationSeconds: 3600, transcriptEmailEnabled: false },
  settings(given) {
    const settings = roomFor(storm.calls)(given);
    masterKey = Uint8Array.from(settings.masterKey);
    return { ...settings, httpClient: { ...settings.httpClient, caPem: ca.caPem } };
  },
});
const { app } = world;
const { database, events } = app;
await callableBySipp(world);
const endpoints = await storeEndpoints(
  database,
  masterKey,
  Array.from(
    { length: storm.endpoints },
    (_, index) => receivers.base + pathOf(index, storm.troubled),
  ),
);

/**
 * Emits `amount` events in one transaction and stores its commit time for the healthy ones, by call
 * id.
 */
async function happen(from: number, amount: number, storedAt: Map<string, number>): Promise<void> {
  const healthy: string[] = [];
  await database.tx(async (queries) => {
    for (let index = from; index < from + amount; index++) {
      const place = index % endpoints.length;
      const callUuid = uuidV7(systemClock, systemRandom);
      const parties = { fromNumber: "+37060000001", toNumber: "+37052000000", agentId: null };
      const event = callStarted({ callUuid, direction: "inbound", ...parties }, "ringing");
      await events.emit(queries, endpoints[place]?.tenantId ?? 0, event);
      if (place >= storm.troubled) healthy.push(callUuid);
    }
  });
  const now = Date.now();
  for (const call of healthy) storedAt.set(call, now);
  events.wake();
}

const firstHealthy = endpoints[storm.troubled]?.webhookId ?? 0;
/** Finds one pending delivery instead of counting all, which would load the measured thread. */
async function healthyPending(): Promise<boolean> {
  const waiting = and(sql`${outbox.status} = 'pending'`, gte(outbox.webhookId, firstHealthy));
  const found = await database.read.select({ id: outbox.id }).from(outbox).where(waiting).limit(1);
  return found.length > 0;
}

async function run(mode: "steady" | "at once", count: number) {
  const storedAt = new Map<string, number>();
  const idle = { thread: mainThreadTimes(), at: Date.now() };
  await Bun.sleep(BASELINE_MS);
  const before = mainThreadTimes();
  const callsShare = (before.ranMs - idle.thread.ranMs) / (Date.now() - idle.at);
  const startedAt = Date.now();
  for (let done = 0; done < count; ) {
    const due = Math.floor(((Date.now() - startedAt) * storm.perSecond) / 1000) + 1;
    const amount = mode === "steady" ? due - done : AT_ONCE;
    if (amount > 0) await happen(done, Math.min(amount, count - done), storedAt);
    done += Math.max(0, amount);
    await Bun.sleep(mode === "steady" ? TICK_MS : 0);
  }
  while ((await healthyPending()) && Date.now() - startedAt < WAIT_MAX_MS) await Bun.sleep(100);
  const tookMs = Date.now() - startedAt;
  const after = mainThreadTimes();
  return {
    count,
    storedAt,
    startedAt,
    threadMs: after.ranMs - before.ranMs - callsShare * tookMs,
    starvedPercent: Math.round((100 * (after.waitedMs - before.waitedMs)) / tookMs),
    loadAverage: Math.round(10 * (loadavg()[0] ?? 0)) / 10,
    callsUp: app.liveCalls(),
  };
}

function summary(
  ran: Awaited<ReturnType<typeof run>>,
  arrivals: Readonly<Record<string, number>>,
): StormResult {
  const { count, storedAt, startedAt, threadMs, ...rest } = ran;
  const seen = [...storedAt].flatMap(([call, at]) => {
    const arrivedAt = arrivals[call];
    return arrivedAt ? [{ at: arrivedAt, tookMs: Math.max(0, arrivedAt - at) }] : [];
  });
  const tookMs = seen.map((one) => one.tookMs).sort((a, b) => a - b);
  const lastAt = Math.max(...seen.map(({ at }) => at));
  return {
    p50Ms: percentile(tookMs, 0.5),
    p99Ms: percentile(tookMs, 0.99),
    maxMs: percentile(tookMs, 1),
    missing: storedAt.size - seen.length,
    deliveriesPerSecond: Math.round((seen.length * 1000) / (lastAt - startedAt)),
    threadMsPer1000: Math.round((1000 * threadMs) / count),
    ...rest,
  };
}

console.log(app.addresses.sip);

const stdin = Bun.stdin.stream();
await firstLine(stdin);
const steady = await run("steady", storm.steadyEvents);
const atOnce = await run("at once", storm.events);
const arrivals = await receivers.arrivals();
console.log(
  JSON.stringify({
    steady: summary(steady, arrivals),
    atOnce: summary(atOnce, arrivals),
  }),
);
for await (const _ of stdin); // until it closes
await receivers.close();
await Promise.race([world.close(), Bun.sleep(CLOSE_MS)]);
rmSync(directory, { recursive: true, force: true });
process.exit(0);
