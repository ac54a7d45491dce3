/**
 * The appliance with N live calls: CPU and memory a call, and authenticated reads beside them. The
 * appliance, the callers and the HTTP load are three processes; the callers share a core with the
 * HTTP load.
 */
import { fileURLToPath } from "node:url";
import { firstLine } from "../http/first-line.ts";
import { load, type ReadsResult } from "../http/reads.ts";
import { cpuSeconds, residentMemory } from "../process/usage.ts";
import type { CallTarget } from "./target.ts";

/** What the callers print. */
interface SetUp {
  readonly up: number;
  readonly setUpMs: { readonly p50: number; readonly p99: number };
}

export interface CallsResult {
  readonly callsAskedFor: number;
  readonly callsUp: number;
  /** Of one core, for each call, the HTTP load not counted. */
  readonly cpuPercentPerCall: number;
  readonly megabytesPerCall: number;
  readonly idleMegabytes: number;
  readonly setUpMs: SetUp["setUpMs"];
  /** Reads while the calls run. */
  readonly reads: ReadsResult;
}

const SETTLE_MS = 3_000;

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export async function measureCalls(calls: number, seconds: number): Promise<CallsResult> {
  const server = Bun.spawn([process.execPath, file("./serve.ts"), String(calls)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const target = JSON.parse(await firstLine(server.stdout)) as CallTarget;
  const idleMegabytes = residentMemory(target.pid).own;
  const callers = Bun.spawn(
    [process.execPath, file("./callers.ts"), JSON.stringify(target), String(calls)],
    { stdin: "pipe", stdout: "pipe", stderr: "inherit" },
  );
  try {
    const { up: callsUp, setUpMs } = JSON.parse(await firstLine(callers.stdout)) as SetUp;
    await Bun.sleep(SETTLE_MS);
    const before = cpuSeconds(target.pid);
    await Bun.sleep(seconds * 1000);
    const cpu = cpuSeconds(target.pid) - before;
    const megabytes = residentMemory(target.pid).own - idleMegabytes;
    const reads = await load({ base: target.base, key: target.key }, "/tenant", 16, seconds);
    return {
      callsAskedFor: calls,
      callsUp,
      cpuPercentPerCall: (100 * cpu) / seconds / Math.max(1, callsUp),
      megabytesPerCall: megabytes / Math.max(1, callsUp),
      idleMegabytes,
      setUpMs,
      reads,
    };
  } finally {
    await callers.stdin.end();
    await callers.exited;
    await server.stdin.end();
    await server.exited;
  }
}

if (import.meta.main)
  console.log(await measureCalls(Number(process.argv[2] ?? 100), Number(process.argv[3] ?? 5)));
