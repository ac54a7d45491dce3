/**
 * Authenticated reads per second of the HTTP server on one core, with latency percentiles. Server
 * and load generator are separate processes, each pinned to a core if `taskset` is available. To
 * measure reads during live calls, start the calls separately.
 */
import { fileURLToPath } from "node:url";
import { cpuSeconds } from "../process/usage.ts";
import { firstLine } from "./first-line.ts";

export interface ReadsOptions {
  /** Number of calls in the store. */
  readonly callsStored?: number;
  readonly seconds?: number;
  readonly connections?: number;
  /** Paths below /api/v1; default: five kinds. */
  readonly paths?: readonly string[];
}

export interface ReadsResult {
  readonly path: string;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Responses other than 200. */
  readonly failures: number;
  readonly tool: "wrk" | "own";
  /** CPU time of the server per request, from which its maximum rate on one core follows. */
  readonly cpuMicroseconds?: number;
}

interface Target {
  readonly base: string;
  readonly key: string;
  readonly agentId: number;
}

interface Order {
  readonly url: string;
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
}

type Measured = Omit<ReadsResult, "path" | "tool" | "cpuMicroseconds">;

/**
 * At the end of a path: every request asks for another page, so that no response comes from the
 * cache.
 */
export const PAGE_AFTER_PAGE = "&offset=…";

/**
 * With live calls, the load generator gets high priority on any core. Pinned to one core behind the
 * call workers, its own waiting time would count as the server's. Without the right it runs at
 * normal priority.
 */
const FIRST = ["nice", "-n", "-20"];

/**
 * Each connection waits between its requests. With this number the rate stays constant while some
 * wait for responses.
 */
const PACED_CONNECTIONS = 30;

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const pinned = (core: number, command: readonly string[]) =>
  Bun.which("taskset") ? ["taskset", "-c", String(core), ...command] : [...command];

export async function measureReads(options: ReadsOptions = {}): Promise<ReadsResult[]> {
  const { callsStored = 10_000, seconds = 5, connections = 32 } = options;
  const server = Bun.spawn(pinned(0, [process.execPath, file("./serve.ts"), String(callsStored)]), {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    const target = JSON.parse(await firstLine(server.stdout)) as Target;
    const paths = options.paths ?? [
      ...[`/agents/${target.agentId}`, "/tenant", "/calls?limit=25", "/calls?status=busy"],
      `/calls?limit=25${PAGE_AFTER_PAGE}`,
    ];
    await load(target, "/tenant", connections, 1); // warm-up
    const results: ReadsResult[] = [];
    for (const path of paths) {
      // Warm-up: this page runs much code, whose compilation must not count.
      if (path.endsWith(PAGE_AFTER_PAGE)) await load(target, path, connections, 2);
      const before = cpuSeconds(server.pid);
      const result = await load(target, path, connections, seconds);
      const cpu = cpuSeconds(server.pid) - before;
      const cpuMicroseconds = (cpu * 1e6) / (result.requestsPerSecond * seconds);
      results.push({ ...result, cpuMicroseconds });
    }
    return results;
  } finally {
    await server.stdin.end();
    await server.exited;
  }
}

/**
 * Sends reads at an approximate rate below the server's maximum, to measure the latency during
 * other work. `path` is below /api/v1. Returns null without wrk.
 */
export async function loadAtRate(
  target: Pick<Target, "base" | "key">,
  path: string,
  perSecond: number,
  seconds: number,
): Promise<ReadsResult | null> {
  if (!Bun.which("wrk")) return null;
  const pauseMs = Math.round((1000 * PACED_CONNECTIONS) / perSecond);
  const script = ["-s", file("./paced.lua")];
  const turning = path.endsWith(PAGE_AFTER_PAGE);
  const url = `${target.base}/api/v1${turning ? path.slice(0, -PAGE_AFTER_PAGE.length) : path}`;
  const order = { url, key: target.key, connections: PACED_CONNECTIONS, seconds };
  const measured = await withWrk(order, FIRST, script, [String(pauseMs), String(turning)]);
  return { path, ...measured, tool: "wrk" };
}

/** Sends as many requests as the server can handle. `path` is below /api/v1. */
export async function load(
  target: Pick<Target, "base" | "key">,
  path: string,
  connections: number,
  seconds: number,
): Promise<ReadsResult> {
  const turning = path.endsWith(PAGE_AFTER_PAGE);
  const url = `${target.base}/api/v1${turning ? path.slice(0, -PAGE_AFTER_PAGE.length) : path}`;
  const order = { url, key: target.key, connections, seconds };
  const measured = Bun.which("wrk")
    ? await withWrk(order, pinned(1, []), turning ? ["-s", file("./pages.lua")] : [])
    : await withOwn(order, turning);
  return { path, ...measured, tool: Bun.which("wrk") ? "wrk" : "own" };
}

async function output(command: readonly string[]): Promise<string> {
  const run = Bun.spawn([...command], { stdout: "pipe", stderr: "inherit" });
  const text = await new Response(run.stdout).text();
  if ((await run.exited) !== 0) throw new Error(`the load generator failed: ${text}`);
  return text;
}

async function withWrk(
  { url, key, connections, seconds }: Order,
  runner: readonly string[],
  script: readonly string[],
  scriptArguments: readonly string[] = [],
): Promise<Measured> {
  const header = `authorization: Bearer ${key}`;
  const text = await output([
    ...[...runner, "wrk", "-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-H", header],
    ...[...script, url, "--", ...scriptArguments],
  ]);
  return {
    requestsPerSecond: Math.round(Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1] ?? 0)),
    p50Ms: millisecondsAt(text, "50%"),
    p99Ms: millisecondsAt(text, "99%"),
    failures: Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0),
  };
}

/** wrk writes `1.23ms`, `456.00us` or `1.20s`. */
function millisecondsAt(text: string, percentile: string): number {
  const match = new RegExp(`${percentile}\\s+([\\d.]+)(us|ms|s)`).exec(text);
  const factor = { us: 0.001, ms: 1, s: 1000 }[match?.[2] ?? "ms"] ?? 1;
  return Number(match?.[1] ?? 0) * factor;
}

async function withOwn(
  { url, key, connections, seconds }: Order,
  turning: boolean,
): Promise<Measured> {
  const command = [process.execPath, file("./load.ts"), url, key, String(connections)];
  const whole = pinned(1, [...command, String(seconds), String(turning)]);
  return JSON.parse(await output(whole)) as Measured;
}

if (import.meta.main) console.table(await measureReads());
