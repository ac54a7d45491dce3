/**
 * The appliance with N live calls: CPU and memory a call, how evenly its audio leaves, and authenticated
 * reads beside them. The appliance, its carrier, the callers and the HTTP load are processes of their
 * own. Memory a call is the slope between ten calls and N: what wakes up with the first calls
 * (recogniser, voices, caches) is told apart.
 */
import { fileURLToPath } from "node:url";
import { firstLine } from "../http/first-line.ts";
import { load, loadAtRate, type ReadsResult } from "../http/reads.ts";
import { type PacketTimings, startPacketListener } from "../media/packet-listener.ts";
import { cpuSeconds, residentMemory } from "../process/usage.ts";
import { BENCH_HOST, type CallTarget, RTP_PORTS } from "./target.ts";

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
  /** With ten calls up, over idle. */
  readonly awakeMegabytes: number;
  readonly setUpMs: SetUp["setUpMs"];
  /** Null where nobody can listen in (no C compiler, no CAP_NET_RAW). */
  readonly pacing: PacketTimings | null;
  /** As many reads as it takes while the calls run. */
  readonly reads: ReadsResult;
  /** Reads at a rate while the calls run; null without wrk. */
  readonly pacedReads: ReadsResult | null;
}

const SETTLE_MS = 3_000;
const FIRST_CALLS = 10;
const READS_PER_SECOND = 3000;

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

async function callersOf(target: CallTarget, count: number, first: number) {
  const child = Bun.spawn(
    [
      ...[process.execPath, file("./callers.ts"), JSON.stringify(target)],
      ...[String(count), String(first)],
    ],
    { stdin: "pipe", stdout: "pipe", stderr: "inherit" },
  );
  const setUp = JSON.parse(await firstLine(child.stdout)) as SetUp;
  return {
    setUp,
    async hangUp() {
      await child.stdin.end();
      await child.exited;
    },
  };
}

export async function measureCalls(calls: number, seconds: number): Promise<CallsResult> {
  const server = Bun.spawn([process.execPath, file("./serve.ts"), String(calls)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const target = JSON.parse(await firstLine(server.stdout)) as CallTarget;
  const packetListener = await startPacketListener(BENCH_HOST, RTP_PORTS);
  const callers: Awaited<ReturnType<typeof callersOf>>[] = [];
  const own = () => residentMemory(target.pid).own;
  try {
    const idleMegabytes = own();
    callers.push(await callersOf(target, FIRST_CALLS, 0));
    await Bun.sleep(SETTLE_MS);
    const awake = own();
    callers.push(await callersOf(target, calls - FIRST_CALLS, FIRST_CALLS));
    await Bun.sleep(SETTLE_MS);
    await packetListener?.timings();
    const before = cpuSeconds(target.pid);
    await Bun.sleep(seconds * 1000);
    const cpu = cpuSeconds(target.pid) - before;
    const pacing = (await packetListener?.timings()) ?? null;
    const callsUp = callers.reduce((sum, { setUp }) => sum + setUp.up, 0);
    const megabytesPerCall = (own() - awake) / Math.max(1, callsUp - FIRST_CALLS);
    const pacedReads = await loadAtRate(target, "/tenant", READS_PER_SECOND, seconds);
    const reads = await load({ base: target.base, key: target.key }, "/tenant", 16, seconds);
    return {
      callsAskedFor: calls,
      callsUp,
      cpuPercentPerCall: (100 * cpu) / seconds / Math.max(1, callsUp),
      megabytesPerCall,
      idleMegabytes,
      awakeMegabytes: awake - idleMegabytes,
      setUpMs: callers[1]?.setUp.setUpMs ?? { p50: 0, p99: 0 },
      pacing,
      reads,
      pacedReads,
    };
  } finally {
    await Promise.all(callers.map(({ hangUp }) => hangUp()));
    await packetListener?.close();
    await server.stdin.end();
    await server.exited;
  }
}

if (import.meta.main)
  console.log(await measureCalls(Number(process.argv[2] ?? 100), Number(process.argv[3] ?? 5)));
