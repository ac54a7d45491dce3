/**
 * Authenticated reads a second of the HTTP server, on one core, with latency percentiles. The server
 * runs in a process of its own, the load in another, each pinned to a core where `taskset` exists.
 * Whoever wants to see reads beside live calls runs the calls while this measures.
 */
import { fileURLToPath } from "node:url";
import { cpuSeconds } from "../process/usage.ts";
import { firstLine } from "./first-line.ts";

export interface ReadsOptions {
  /** Calls in the store. */
  readonly callsStored?: number;
  readonly seconds?: number;
  readonly connections?: number;
  /** Below /api/v1; default: five kinds. */
  readonly paths?: readonly string[];
}

export interface ReadsResult {
  readonly path: string;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers other than 200. */
  readonly failures: number;
  readonly tool: "wrk" | "own";
  /** Processor time of the server for a request: what it could do alone on a core follows. */
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

/** At a path's end: every request asks for another page, so that none is answered from what was kept. */
export const PAGE_AFTER_PAGE = "&offset=…";

/**
 * Beside calls whoever asks goes first, on any core: on one core, behind call workers, its own wait for the
 * processor was told as the server's. Without the right it runs as others do.
 */
const FIRST = ["nice", "-n", "-20"];

/** Each waits before it asks again: enough of them keep the rate while one waits for its answer. */
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
      // What is compiled while it runs would be in the figure of a page that takes much code.
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
 * Reads at about a rate, below what the server could do: what a request waits beside other work. `path`
 * is below /api/v1. null without wrk.
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

/** As many as the server takes. `path` is below /api/v1. */
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
