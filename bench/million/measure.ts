/**
 * How long reads of money and calls take a tenant with a million calls, and what its month's CSV does to
 * the server's memory and to whoever else asks meanwhile. `bun bench/million/measure.ts [calls]`;
 * building the history takes a few minutes.
 */
import { fileURLToPath } from "node:url";
import { sleep, systemClock } from "../../src/core/clock.ts";
import { firstLine } from "../http/first-line.ts";
import { residentMemory } from "../process/usage.ts";

interface Target {
  readonly base: string;
  readonly key: string;
  readonly buildSeconds: number;
}

export interface PathTimes {
  readonly path: string;
  readonly status: number;
  readonly bytes: number;
  readonly minMs: number;
  readonly p50Ms: number;
  readonly maxMs: number;
}

export interface Download {
  readonly path: string;
  readonly megabytes: number;
  readonly lines: number;
  readonly seconds: number;
  /** Largest memory of the server's own meanwhile, above what it was before. */
  readonly grewMegabytes: number;
  /** What others wait for GET /ping meanwhile. */
  readonly pingP99Ms: number;
  readonly pingMaxMs: number;
}

const TIMES = 15;
const month = (atMs: number) => new Date(atMs).toISOString().slice(0, 7);
const THIS_MONTH = month(Date.now());
const LAST_MONTH = month(Date.now() - 25 * 86_400_000);

const READS = [
  "/tenant",
  "/plans",
  "/billing/balance",
  "/usage",
  `/usage?year=${LAST_MONTH.slice(0, 4)}&month=${Number(LAST_MONTH.slice(5))}`,
  "/analytics",
  "/analytics?days=365",
  "/calls?limit=200",
  "/calls?limit=200&status=no_answer&agent_id=1",
  "/calls?limit=200&offset=100000",
  `/billing/statements/${THIS_MONTH}`,
  `/billing/statements/${LAST_MONTH}`,
  `/billing/statements/${LAST_MONTH}/page`,
];

const DOWNLOADS = [
  `/billing/statements/${THIS_MONTH}/csv?rows=calls`,
  `/billing/statements/${THIS_MONTH}/csv?rows=ledger`,
];

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

export async function measureMillion(calls: number) {
  const serve = fileURLToPath(new URL("./serve.ts", import.meta.url));
  const server = Bun.spawn([process.execPath, serve, String(calls)], {
    ...{ stdin: "pipe", stdout: "pipe", stderr: "inherit" },
  });
  try {
    const target = JSON.parse(await firstLine(server.stdout)) as Target;
    const reads: PathTimes[] = [];
    for (const path of READS) reads.push(await timed(target, path));
    const downloads: Download[] = [];
    for (const path of DOWNLOADS) downloads.push(await download(target, server.pid, path));
    return { buildSec: target.buildSeconds, reads, downloads };
  } finally {
    await server.stdin.end();
    await server.exited;
  }
}

const ask = ({ base, key }: Target, path: string) =>
  fetch(`${base}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });

async function timed(target: Target, path: string): Promise<PathTimes> {
  const times: number[] = [];
  let status = 0;
  let bytes = 0;
  for (let n = 0; n < TIMES; n++) {
    const startedAt = performance.now();
    const response = await ask(target, path);
    bytes = (await response.arrayBuffer()).byteLength;
    status = response.status;
    times.push(performance.now() - startedAt);
  }
  times.sort((left, right) => left - right);
  return { path, status, bytes, minMs: at(times, 0), p50Ms: at(times, 0.5), maxMs: at(times, 1) };
}

async function download(target: Target, pid: number, path: string): Promise<Download> {
  const before = residentMemory(pid).own;
  let highest = before;
  let isOver = false;
  const pings: number[] = [];
  const watching = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await (await fetch(`${target.base}/api/v1/ping`)).arrayBuffer();
      pings.push(performance.now() - startedAt);
      highest = Math.max(highest, residentMemory(pid).own);
      await sleep(systemClock, 5);
    }
  })();
  const startedAt = performance.now();
  const response = await ask(target, path);
  let bytes = 0;
  let lines = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    for (const byte of chunk) if (byte === 10) lines++;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  isOver = true;
  await watching;
  pings.sort((left, right) => left - right);
  return {
    ...{ path, megabytes: bytes / 1e6, lines, seconds, grewMegabytes: highest - before },
    ...{ pingP99Ms: at(pings, 0.99), pingMaxMs: at(pings, 1) },
  };
}

if (import.meta.main) {
  const { buildSec, reads, downloads } = await measureMillion(Number(process.argv[2] ?? 1_000_000));
  console.log(`built in ${buildSec.toFixed(0)} s`);
  console.table(reads);
  console.table(downloads);
}
