/**
 * `npm run soak media`: runs the appliance for LINEVOICE_SOAK_MINUTES (120) with
 * LINEVOICE_SOAK_CALLS (50) calls that come and go. Every ten seconds it writes a line to
 * LINEVOICE_SOAK_CSV (soak-<time>.csv in the temporary directory): memory, descriptors, threads,
 * late audio, and the machine's load. Exit 1 if its own memory or descriptors grew: the median of
 * the last quarter exceeds that of the second quarter by more than a tenth (the first quarter is
 * the warm-up).
 */
import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BENCH_HOST, type CallTarget, RTP_PORTS } from "../calls/target.ts";
import { firstLine } from "../http/first-line.ts";
import { linesOf } from "../media/lines.ts";
import { startPacketListener } from "../media/packet-listener.ts";
import { cpuSeconds, residentMemory } from "../process/usage.ts";

const minutes = Number(process.env.LINEVOICE_SOAK_MINUTES ?? 120);
const calls = Number(process.env.LINEVOICE_SOAK_CALLS ?? 50);
const started = new Date().toISOString().replace(/[:.]/g, "-");
const csv = process.env.LINEVOICE_SOAK_CSV ?? join(tmpdir(), `soak-${started}.csv`);
const SAMPLE_MS = 10_000;
const PRINT_EVERY = 6;
const GROWTH_MAX = 1.1;
/** Wait after the last call: mails, encoding, garbage collection. */
const QUIET_MS = 60_000;

interface CallersReport {
  readonly up: number;
  readonly placed: number;
  readonly answered: number;
  readonly failures: readonly string[];
  readonly setUpP50Ms: number;
  readonly setUpP99Ms: number;
}

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const entries = (pid: number, of: "fd" | "task") => readdirSync(`/proc/${pid}/${of}`).length;

const server = Bun.spawn([process.execPath, file("../calls/serve.ts"), String(calls)], {
  stdin: "pipe",
  stdout: "pipe",
  stderr: "inherit",
});
const target = JSON.parse(await firstLine(server.stdout)) as CallTarget;
const callers = Bun.spawn(
  [process.execPath, file("./callers.ts"), JSON.stringify(target), String(calls)],
  { stdin: "pipe", stdout: "pipe", stderr: "inherit" },
);
const answers = linesOf(callers.stdout, "the callers");
const packetListener = await startPacketListener(BENCH_HOST, RTP_PORTS);

async function callersReport(): Promise<CallersReport> {
  callers.stdin.write("now\n");
  await callers.stdin.flush();
  return JSON.parse(await answers.next()) as CallersReport;
}

const startedAt = performance.now();
let cpuBefore = cpuSeconds(target.pid);

async function sample(callersSaid: CallersReport) {
  const timings = await packetListener?.timings();
  const { own, all } = residentMemory(target.pid);
  const cpu = cpuSeconds(target.pid);
  const percent = ((cpu - cpuBefore) / SAMPLE_MS) * 100_000;
  cpuBefore = cpu;
  return {
    seconds: Math.round((performance.now() - startedAt) / 1000),
    ownMegabytes: Number(own.toFixed(1)),
    residentMegabytes: Number(all.toFixed(1)),
    descriptors: entries(target.pid, "fd"),
    threads: entries(target.pid, "task"),
    cpuPercent: Number(percent.toFixed(1)),
    load: Number((loadavg()[0] ?? 0).toFixed(2)),
    callsUp: callersSaid.up,
    callsPlaced: callersSaid.placed,
    answered: callersSaid.answered,
    failed: callersSaid.failures.length,
    setUpP50Ms: Math.round(callersSaid.setUpP50Ms),
    setUpP99Ms: Math.round(callersSaid.setUpP99Ms),
    packets: timings?.packets ?? 0,
    lost: timings?.lost ?? 0,
    late: timings?.late ?? 0,
    veryLate: timings?.veryLate ?? 0,
    p50Ms: timings?.p50 ?? 0,
    p99Ms: timings?.p99 ?? 0,
    p999Ms: timings?.p999 ?? 0,
    maxMs: timings?.max ?? 0,
  };
}

type Sample = Awaited<ReturnType<typeof sample>>;
const samples: Sample[] = [];

function keep(row: Sample): void {
  if (samples.length === 0) writeFileSync(csv, `${Object.keys(row).join(",")}\n`);
  appendFileSync(csv, `${Object.values(row).join(",")}\n`);
  samples.push(row);
}

function print(row: Sample): void {
  console.log(
    `${row.seconds} s: ${row.callsUp} up, ${row.callsPlaced} placed; ${row.ownMegabytes} MB own, ${row.descriptors} descriptors; ` +
      `${row.late} late, ${row.veryLate} very late, ${row.lost} lost of ${row.packets}; p99 ${row.p99Ms} ms; load ${row.load}`,
  );
}

console.log(`samples: ${csv}`);
const until = startedAt + minutes * 60_000;
while (performance.now() < until) {
  await Bun.sleep(SAMPLE_MS);
  const callersSaid = await callersReport();
  for (const failure of callersSaid.failures) console.log(`a call failed: ${failure}`);
  const row = await sample(callersSaid);
  keep(row);
  if (samples.length % PRINT_EVERY === 0) print(row);
}
await callers.stdin.end();
await callers.exited;
await Bun.sleep(QUIET_MS);
const none = { up: 0, placed: samples.at(-1)?.callsPlaced ?? 0, answered: 0, failures: [] };
const quiet = await sample({ ...none, setUpP50Ms: 0, setUpP99Ms: 0 });
console.log("all hung up, a minute later:");
print(quiet);
await packetListener?.close();
await server.stdin.end();
await server.exited;

const median = (of: readonly Sample[], what: (row: Sample) => number) => {
  const sorted = of.map(what).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};
const quarter = Math.floor(samples.length / 4);
const early = samples.slice(quarter, quarter * 2);
const latest = samples.slice(-quarter);
const ratio = (what: (row: Sample) => number) => median(latest, what) / median(early, what);
const memory = ratio((row) => row.ownMegabytes);
const descriptors = ratio((row) => row.descriptors);
const sum = (what: (row: Sample) => number) => samples.reduce((all, row) => all + what(row), 0);
const packets = sum((row) => row.packets);
console.log(
  `memory × ${memory.toFixed(3)}, descriptors × ${descriptors.toFixed(3)} (last quarter over second); ` +
    `${sum((row) => row.late)} late and ${sum((row) => row.lost)} lost of ${packets} packets; ` +
    `${samples.at(-1)?.callsPlaced} calls, ${sum((row) => row.failed)} failed`,
);
const grew = memory > GROWTH_MAX || descriptors > GROWTH_MAX;
console.log(grew ? "It grew." : "It did not grow.");
process.exit(grew ? 1 : 0);
