/**
 * Audio quality as callers experience it. sipp places N calls and holds them, a C program is the
 * phones (media/native/phones.c), and a plain C loop sends as many streams in the same minute. This
 * separates the lateness caused by the callers, our program and the machine. Needs sipp and a C
 * compiler.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { firstLine } from "../http/first-line.ts";
import { loadAtRate, PAGE_AFTER_PAGE, type ReadsResult } from "../http/reads.ts";
import { type Native, nativePrograms } from "../media/native.ts";
import { measureLoop, type Pacing } from "../media/pacing.ts";
import type { PacketTimings } from "../media/packet-listener.ts";
import { cpuSeconds, residentMemory } from "../process/usage.ts";
import type { SignallingTarget } from "../signalling/hosts.ts";
import { type HeldCalls, startHeldCalls } from "./held-calls.ts";

export interface PhonesResult {
  readonly calls: number;
  readonly talking: boolean;
  readonly pacing: PacketTimings;
  /** The same number of streams from a plain C loop, in the same minute. */
  readonly reference: Pacing;
  /** Datagrams that the kernel dropped because the receiver was late. */
  readonly overflowed: number;
  /** Percent of one core per call. */
  readonly cpuPercentPerCall: number;
  /** Growth of the appliance's own memory beyond the first 20 calls, in MB per call. */
  readonly megabytesPerCall: number;
  /** API reads at a fixed rate during the calls. Empty without wrk. */
  readonly reads: readonly ReadsResult[];
  readonly answers: Answers;
}

interface PhonesOptions {
  readonly calls: number;
  readonly seconds: number;
  /** Seconds per kind of read. */
  readonly readSeconds?: number;
  /** File of A-law octets that every caller repeats; missing: they only listen. */
  readonly speech?: string;
  /**
   * The first octets of `speech` that are a question; the rest is a pause for the answer. Unit:
   * octets.
   */
  readonly questionOctets?: number;
  /** Program to measure; default: of this tree. */
  readonly serve?: string;
  readonly serveArguments?: readonly string[];
}

/** How long callers waited for an answer, from their last sound to its first loud packet. */
export interface Answers {
  readonly answers: number;
  /** Questions without an answer before the next question. */
  readonly unanswered: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

const FIRST_CALLS = 20;
/** The callers have already gone, so do not wait long for their BYE. */
const CLOSE_MS = 2_000;
const READS_PER_SECOND = 500;
const WARM_UP_SECONDS = 1;
const READS = ["/tenant", "/agents", "/analytics", `/calls?limit=25${PAGE_AFTER_PAGE}`];
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Null without sipp or a C compiler. */
export async function measurePhones(options: PhonesOptions): Promise<PhonesResult | null> {
  const native = Bun.which("sipp") ? nativePrograms() : null;
  if (!native) return null;
  try {
    const { calls, seconds } = options;
    const ours = await measureOurs(native, options);
    return { ...ours, reference: await measureLoop(native, calls, Math.min(seconds, 10)) };
  } finally {
    native.remove();
  }
}

/** Without the C loop for comparison. */
export async function measureOurs(
  native: Native,
  options: PhonesOptions,
): Promise<Omit<PhonesResult, "reference">> {
  const { calls, seconds, speech, readSeconds = 0 } = options;
  const { serve = file("../signalling/appliance-serve.ts"), serveArguments = [] } = options;
  const room = String(Math.ceil(calls / 10));
  const piped = { stdin: "pipe", stdout: "pipe", stderr: "inherit" } as const;
  const server = Bun.spawn([process.execPath, serve, room, ...serveArguments], piped);
  const said = speech ? [speech, String(options.questionOctets ?? 0)] : [];
  let held: HeldCalls | null = null;
  try {
    const { sip, pid, ...api } = JSON.parse(await firstLine(server.stdout)) as SignallingTarget;
    held = await startHeldCalls(native, sip, said);
    const { place, told } = held;
    await place(FIRST_CALLS);
    const awake = residentMemory(pid).own;
    if (calls > FIRST_CALLS) await place(calls - FIRST_CALLS);
    await told("now");
    await told("answers");
    const before = { cpu: cpuSeconds(pid), overflowed: overflowed() };
    await Bun.sleep(seconds * 1000);
    const cpu = cpuSeconds(pid) - before.cpu;
    const pacing = await told<PacketTimings>("now");
    const megabytes = residentMemory(pid).own - awake;
    const answers = await told<Answers>("answers");
    const reads: ReadsResult[] = [];
    for (const path of readSeconds > 0 ? READS : []) {
      // Warm-up: the first requests after a start include compilation.
      await loadAtRate(api, path, READS_PER_SECOND, WARM_UP_SECONDS);
      const read = await loadAtRate(api, path, READS_PER_SECOND, readSeconds);
      if (read) reads.push(read);
    }
    return {
      reads,
      answers,
      calls,
      talking: speech !== undefined,
      pacing,
      overflowed: overflowed() - before.overflowed,
      cpuPercentPerCall: (100 * cpu) / seconds / calls,
      megabytesPerCall: megabytes / Math.max(1, calls - FIRST_CALLS),
    };
  } finally {
    await held?.close();
    await server.stdin.end();
    await Promise.race([server.exited, Bun.sleep(CLOSE_MS)]);
    server.kill("SIGKILL");
    await server.exited;
  }
}

/** `RcvbufErrors` of UDP in the whole network namespace (proc(5), /proc/net/snmp). */
function overflowed(): number {
  const rows = readFileSync("/proc/net/snmp", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("Udp: "))
    .map((line) => line.split(" "));
  return Number(rows[1]?.[rows[0]?.indexOf("RcvbufErrors") ?? -1] ?? 0);
}

if (import.meta.main) {
  const [calls = "250", seconds = "10", speech = "", ...trees] = process.argv.slice(2);
  for (const tree of trees.length > 0 ? trees : [undefined])
    console.log(
      tree ?? "",
      JSON.stringify(
        await measurePhones({
          calls: Number(calls),
          seconds: Number(seconds),
          ...(speech ? { speech } : {}),
          ...(tree ? { serve: join(tree, "bench/signalling/appliance-serve.ts") } : {}),
        }),
      ),
    );
}
