/**
 * A node with a file, with a libSQL server on loopback, and with a longer network delay to it:
 * authenticated reads and writes per second, time from INVITE to 200, and number of round trips.
 * sqld, the node and the load share the machine.
 */
import { fileURLToPath } from "node:url";
import { type Log, silentLog } from "../../src/core/log.ts";
import { OWN_NUMBER, startAppliance } from "../../test/support/appliance/appliance.ts";
import type { Phone } from "../../test/support/media/phone/phone.ts";
import { type DelayingRelay, startDelayingRelay } from "../../test/support/net/delaying-relay.ts";
import { startSqld } from "../../test/support/store/sqld-server.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import { firstLine } from "../http/first-line.ts";
import { load, PAGE_AFTER_PAGE } from "../http/reads.ts";

interface RemoteStoreResult {
  /** Added to each round trip; null: a file. */
  readonly delayMs: number | null;
  readonly coldReadsPerSecond: number;
  readonly repeatedReadsPerSecond: number;
  readonly writesPerSecond: number;
  /** Round trips to the store per request without other load. Null: not measured. */
  readonly roundTrips: { readonly read: number; readonly write: number } | null;
  readonly setUp: SetUp;
}

interface SetUp {
  readonly aloneMs: readonly number[];
  readonly togetherMs: readonly number[];
  readonly failed: number;
  /** Number of trunks released and registered again during the measurement. */
  readonly trunksLost: number;
}

interface Target {
  readonly base: string;
  readonly key: string;
  readonly agentId: number;
}

const HOST = "127.0.8.62";
const CONNECTIONS = 8;
const WRITERS = 4;
const TOGETHER = 4;
/** First page that the load has not read. */
const PAGES_READ = 600;
const TALK_MS = 200;
const REST_MS = 500;

/** Amount of work to measure. */
interface Extent {
  /** Seconds per kind of request. */
  readonly seconds: number;
  /** Number of calls one after another. */
  readonly alone: number;
  /** Number of rounds of concurrent calls. */
  readonly rounds: number;
}

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export async function measureRemoteStore(
  delaysMs: readonly number[],
  extent: Extent,
): Promise<RemoteStoreResult[]> {
  const sqld = await startSqld();
  const relay = await startDelayingRelay({ host: "127.0.0.1", port: sqld.port });
  const url = `http://127.0.0.1:${relay.port}`;
  try {
    const way = { relay, url, token: sqld.token, delaysMs };
    const requests = await measureRequests({ ...way, seconds: extent.seconds });
    const setUps = await measureSetUps(way, extent);
    const far = requests.map((figures, at) => ({ ...figures, setUp: setUps[at] ?? NO_CALLS }));
    return [await measureFile(extent), ...far];
  } finally {
    relay.close();
    await sqld.stop();
  }
}

const NO_CALLS: SetUp = { aloneMs: [], togetherMs: [], failed: 0, trunksLost: 0 };

async function measureFile(extent: Extent): Promise<RemoteStoreResult> {
  const figures = await withServer([], async (target) => ({
    ...(await ratesOf(target, extent.seconds)),
    delayMs: null,
    roundTrips: null,
  }));
  const [setUp = NO_CALLS] = await measureSetUps(null, extent);
  return { ...figures, setUp };
}

interface Way {
  readonly relay: DelayingRelay;
  readonly url: string;
  readonly token: string;
  readonly delaysMs: readonly number[];
}

async function measureRequests({
  relay,
  url,
  token,
  delaysMs,
  seconds,
}: Way & { readonly seconds: number }): Promise<Omit<RemoteStoreResult, "setUp">[]> {
  return await withServer([url, token], async (target) => {
    const results: Omit<RemoteStoreResult, "setUp">[] = [];
    for (const [at, delayMs] of delaysMs.entries()) {
      relay.delayMs = delayMs;
      const rates = await ratesOf(target, seconds);
      // The number of round trips does not depend on the delay.
      const roundTrips = at === 0 ? await roundTripsOf(relay, target) : null;
      results.push({ delayMs, ...rates, roundTrips });
    }
    return results;
  });
}

/** Runs the measured process while `work` runs. */
async function withServer<Result>(
  way: readonly string[],
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  const command = [process.execPath, file("./remote-serve.ts"), ...way];
  const server = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  try {
    const target = JSON.parse(await firstLine(server.stdout)) as Target;
    await load(target, "/tenant", CONNECTIONS, 1);
    return await work(target);
  } finally {
    await server.stdin.end();
    await server.exited;
  }
}

async function ratesOf(target: Target, seconds: number) {
  const page = `/calls?limit=25${PAGE_AFTER_PAGE}`;
  const cold = await load(target, page, CONNECTIONS, seconds);
  const repeated = await load(target, `/agents/${target.agentId}`, CONNECTIONS, seconds);
  return {
    coldReadsPerSecond: cold.requestsPerSecond,
    repeatedReadsPerSecond: repeated.requestsPerSecond,
    writesPerSecond: await writesPerSecond(target, seconds),
  };
}

const headersOf = ({ key }: Target) => ({
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
});

async function rename(target: Target, name: string): Promise<void> {
  const response = await fetch(`${target.base}/api/v1/agents/${target.agentId}`, {
    method: "PATCH",
    headers: headersOf(target),
    body: JSON.stringify({ name }),
  });
  if (!response.ok) throw new Error(`a change was answered ${response.status}`);
  await response.arrayBuffer();
}

async function readPage(target: Target, offset: number): Promise<void> {
  const url = `${target.base}/api/v1/calls?limit=25&offset=${offset}`;
  const response = await fetch(url, { headers: headersOf(target) });
  if (!response.ok) throw new Error(`a read was answered ${response.status}`);
  await response.arrayBuffer();
}

async function writesPerSecond(target: Target, seconds: number): Promise<number> {
  let written = 0;
  const until = performance.now() + seconds * 1000;
  const writer = async () => {
    while (performance.now() < until) await rename(target, `Bench ${written++}`);
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  return Math.round(written / seconds);
}

/** Number of round trips: the increase of the fastest request's time when the delay increases. */
async function roundTripsOf(relay: DelayingRelay, target: Target) {
  const before = relay.delayMs;
  const LONGER_MS = 40;
  let count = 0;
  const fastest = async (work: () => Promise<void>) => {
    let best = Number.POSITIVE_INFINITY;
    for (let n = 0; n < 12; n++) {
      const startedAt = performance.now();
      await work();
      best = Math.min(best, performance.now() - startedAt);
    }
    return best;
  };
  const trips = async (work: () => Promise<void>) => {
    relay.delayMs = 0;
    const near = await fastest(work);
    relay.delayMs = LONGER_MS;
    const far = await fastest(work);
    return Math.round((far - near) / LONGER_MS);
  };
  const roundTrips = {
    read: await trips(() => readPage(target, PAGES_READ + count++)),
    write: await trips(() => rename(target, `Bench ${count++}`)),
  };
  relay.delayMs = before;
  return roundTrips;
}

/** `way`: null for a file. */
async function measureSetUps(way: Way | null, extent: Extent): Promise<SetUp[]> {
  if (way) way.relay.delayMs = 0;
  let trunksLost = 0;
  const log: Log = {
    ...silentLog,
    warn(event) {
      if (event === "trunk.released") trunksLost++;
    },
    with: () => log,
  };
  const appliance = await startAppliance({
    dataDir: tempDir(),
    host: HOST,
    log,
    settings: (settings) => ({
      ...settings,
      plans: settings.plans.map((plan) => ({ ...plan, maxConcurrentCalls: 50 })),
      storage: way
        ? {
            ...settings.storage,
            remote: { url: way.url, authToken: way.token },
            shared: true,
          }
        : settings.storage,
    }),
  });
  const phones: Phone[] = [];
  for (let n = 0; n < TOGETHER; n++) phones.push(await appliance.phone(`+3706888800${n}`));
  const results: SetUp[] = [];
  for (const phone of phones) await setUpMs(phone);
  for (const delayMs of way?.delaysMs ?? [0]) {
    if (way) way.relay.delayMs = delayMs;
    trunksLost = 0;
    await Bun.sleep(REST_MS);
    const alone: (number | null)[] = [];
    for (let n = 0; n < extent.alone; n++) alone.push(await setUpMs(phones[0]));
    const together: (number | null)[] = [];
    for (let n = 0; n < extent.rounds; n++) {
      await Bun.sleep(REST_MS);
      together.push(...(await Promise.all(phones.map((phone) => setUpMs(phone)))));
    }
    const taken = (all: readonly (number | null)[]) =>
      all.filter((ms) => ms !== null).sort((a, b) => a - b);
    results.push({
      aloneMs: taken(alone),
      togetherMs: taken(together),
      trunksLost,
      failed: [...alone, ...together].filter((ms) => ms === null).length,
    });
  }
  if (way) way.relay.delayMs = 0;
  await appliance.close();
  return results;
}

/** Time from INVITE to 200 through the carrier; null if the call was not answered. */
async function setUpMs(phone: Phone | undefined): Promise<number | null> {
  if (!phone) return null;
  const startedAt = performance.now();
  const call = await phone.call(OWN_NUMBER);
  try {
    await call.answered;
  } catch {
    return null;
  }
  const tookMs = performance.now() - startedAt;
  await Bun.sleep(TALK_MS);
  await call.hangUp();
  return tookMs;
}
