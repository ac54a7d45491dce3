/**
 * Webhook deliveries per second, and the delivery delay of healthy endpoints while others are dead
 * or slow. Real database, real TLS, as in production; the receivers run in another process.
 *
 * Two runs. Paced: events are stored one by one at a steady rate; latency is from commit to
 * arrival. Burst: all events are stored before the worker starts; the rate is the speed of working
 * off the backlog.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import type { Database } from "../../src/core/database.ts";
import { uuidV7 } from "../../src/core/ids.ts";
import { silentLog } from "../../src/core/log.ts";
import { systemRandom } from "../../src/core/random.ts";
import { callStarted } from "../../src/features/webhook/catalogue.ts";
import { DeliveryWorker } from "../../src/features/webhook/delivery.ts";
import { createEventSink } from "../../src/features/webhook/sink.ts";
import { webhookStores } from "../../src/features/webhook/webhook-stores.ts";
import { SafeHttpClient } from "../../src/platform/net/outbound-http.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { testCa } from "../../test/support/net/test-ca.ts";
import { plainVault } from "../../test/support/store/plain-vault.ts";
import { insertTenant, insertWebhook } from "../../test/support/store/stored-rows.ts";
import { percentile } from "../process/percentile.ts";
import { pathOf, startReceivers } from "./receiving-side.ts";

export interface DeliveriesOptions {
  readonly events?: number;
  readonly endpoints?: number;
  /** Number of dead (one half) or slow (the other half) endpoints. */
  readonly troubled?: number;
  /** Events per second of the paced run. */
  readonly perSecond?: number;
}

export interface DeliveriesResult {
  readonly events: number;
  readonly endpoints: number;
  readonly troubled: number;
  readonly perSecond: number;
  /** Paced run, healthy endpoints: commit to arrival. */
  readonly healthyP50Ms: number;
  readonly healthyP99Ms: number;
  readonly healthyMaxMs: number;
  /** CPU of the sending process in the paced run, in percent of one core. */
  readonly cpuPercent: number;
  /** Delay of a 10 ms timer on the sending thread in the paced run. */
  readonly stallP99Ms: number;
  /** Burst run: healthy deliveries per second. */
  readonly deliveriesPerSecond: number;
  /** Burst run, healthy endpoints: from the start, with the whole backlog, to arrival. */
  readonly burstP50Ms: number;
  readonly burstP99Ms: number;
  /** Burst run: CPU time of the sending process per healthy delivery. */
  readonly burstCpuMsEach: number;
  /** Healthy deliveries that never arrived, in both runs. */
  readonly missing: number;
}

const HOST = "127.46.0.1";
const TIMEOUT_MS = 8000;
const WAIT_MAX_MS = 120_000;
const TICK_MS = 10;

interface Run {
  /** Commit time of each healthy event, by call id. */
  readonly storedAt: ReadonlyMap<string, number>;
  readonly arrivals: Readonly<Record<string, number>>;
  readonly startedAt: number;
  readonly cpuPercent: number;
  /** CPU time of the sending process while it works off the backlog. */
  readonly burstCpuMs: number;
  readonly stallsMs: readonly number[];
}

export async function measureDeliveries(
  options: DeliveriesOptions = {},
): Promise<DeliveriesResult> {
  const { events = 2000, endpoints = 200, troubled = 20, perSecond = 100 } = options;
  const setting = { events, endpoints, troubled, perSecond };
  const paced = await run(setting, "paced");
  const burst = await run(setting, "burst");
  const latencies = [...paced.storedAt]
    .flatMap(([call, at]) => (paced.arrivals[call] ? [paced.arrivals[call] - at] : []))
    .sort((a, b) => a - b);
  const arrived = Object.values(burst.arrivals);
  const waited = arrived.map((at) => at - burst.startedAt).sort((a, b) => a - b);
  const tookMs = percentile(waited, 1);
  const expected = paced.storedAt.size + burst.storedAt.size;
  return {
    ...setting,
    healthyP50Ms: percentile(latencies, 0.5),
    healthyP99Ms: percentile(latencies, 0.99),
    healthyMaxMs: percentile(latencies, 1),
    cpuPercent: paced.cpuPercent,
    stallP99Ms: Math.round(percentile(paced.stallsMs, 0.99)),
    burstP50Ms: percentile(waited, 0.5),
    burstP99Ms: percentile(waited, 0.99),
    burstCpuMsEach: Math.round((burst.burstCpuMs * 100) / arrived.length) / 100,
    deliveriesPerSecond: Math.round((arrived.length * 1000) / tookMs),
    missing: expected - latencies.length - arrived.length,
  };
}

async function run(setting: Required<DeliveriesOptions>, mode: "paced" | "burst"): Promise<Run> {
  const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
  const ca = testCa(directory);
  const receivers = await startReceivers(ca.issue([`IP:${HOST}`]), HOST);
  const database = openDatabase(join(directory, "bench.db"), systemClock.now());
  try {
    const tenants = await storeEndpoints(database, setting, receivers.base);
    const sent = await send(database, ca.caPem, setting, tenants, mode);
    return { ...sent, arrivals: await receivers.arrivals() };
  } finally {
    await receivers.close();
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** One webhook per tenant; the troubled ones come first. */
async function storeEndpoints(
  database: Database,
  { endpoints, troubled }: Required<DeliveriesOptions>,
  base: string,
): Promise<number[]> {
  const tenants: number[] = [];
  for (let index = 0; index < endpoints; index++) {
    const tenantId = await insertTenant(database);
    const url = `${base}${pathOf(index, troubled)}`;
    await insertWebhook(database, tenantId, { url, events: ["call.started"] });
    tenants.push(tenantId);
  }
  return tenants;
}

async function send(
  database: Database,
  caPem: string,
  { events, troubled, perSecond }: Required<DeliveriesOptions>,
  tenants: readonly number[],
  mode: "paced" | "burst",
): Promise<Omit<Run, "arrivals">> {
  const storedAt = new Map<string, number>();
  let outstanding = 0;
  const shared = { database, stores: webhookStores, clock: systemClock, random: systemRandom };
  const client = new SafeHttpClient({ allowNetworks: [`${HOST}/32`], caPem });
  const worker = new DeliveryWorker({
    ...shared,
    vault: plainVault,
    log: silentLog,
    timeoutMs: TIMEOUT_MS,
    client: {
      async request(request) {
        const response = await client.request(request);
        if (request.url.endsWith("/healthy")) outstanding--;
        return response;
      },
    },
  });
  const sink = createEventSink({ ...shared, wake: () => worker.wake() });

  async function emit(index: number): Promise<void> {
    const place = index % tenants.length;
    const callUuid = uuidV7(systemClock, systemRandom);
    const call = { callUuid, fromNumber: "+37060000001", toNumber: "+37052000000", agentId: null };
    const event = callStarted({ ...call, direction: "inbound" }, "ringing");
    await database.tx((queries) => sink.emit(queries, tenants[place] ?? 0, event));
    if (place < troubled) return;
    storedAt.set(callUuid, Date.now());
    outstanding++;
  }

  let startedAt = Date.now();
  if (mode === "paced") worker.start();
  const stallsMs: number[] = [];
  let lastTickAt = performance.now();
  const ticking = setInterval(() => {
    const now = performance.now();
    stallsMs.push(Math.max(0, now - lastTickAt - TICK_MS));
    lastTickAt = now;
  }, TICK_MS);
  const cpuBefore = process.cpuUsage();
  for (let index = 0; index < events; index++) {
    await emit(index);
    if (mode === "burst") continue;
    sink.wake();
    const aheadMs = startedAt + ((index + 1) * 1000) / perSecond - Date.now();
    // Sleep even if late: a loop of microtasks alone would block sending.
    await Bun.sleep(Math.max(0, aheadMs));
  }
  clearInterval(ticking);
  stallsMs.sort((a, b) => a - b);
  const cpu = process.cpuUsage(cpuBefore);
  const cpuPercent = Math.round((cpu.user + cpu.system) / 10 / (Date.now() - startedAt));
  if (mode === "burst") {
    startedAt = Date.now();
    worker.start();
  }
  const cpuAtStart = process.cpuUsage();
  const giveUpAt = Date.now() + WAIT_MAX_MS;
  while (outstanding > 0 && Date.now() < giveUpAt) await Bun.sleep(20);
  const burstCpu = process.cpuUsage(cpuAtStart);
  const burstCpuMs = (burstCpu.user + burstCpu.system) / 1000;
  await worker.stop(0);
  return { storedAt, startedAt, cpuPercent, burstCpuMs, stallsMs };
}

if (import.meta.main) {
  const [events, perSecond] = process.argv.slice(2).map(Number);
  console.table(
    await measureDeliveries({ ...(events ? { events } : {}), ...(perSecond ? { perSecond } : {}) }),
  );
}
