/**
 * `npm run bench`: one table and bench/results/<time>.json. The short form takes about two minutes;
 * `--full` runs longer and with more calls. Figures of one run on one machine: compare ratios, not
 * absolute numbers, between machines.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { measureBinary } from "./binary/start.ts";
import { measureCalls } from "./calls/load.ts";
import { measureFirstPaint } from "./dashboard/first-paint.ts";
import { measureGrowth } from "./growth/exponents.ts";
import { measureReads } from "./http/reads.ts";
import { measureCodecs, measureToneDetection } from "./media/codecs.ts";
import { measureEncoding } from "./media/encoding.ts";
import { measurePacing } from "./media/pacing.ts";
import { type Lateness, measureLateness } from "./schedule/lateness.ts";
import { measureTurns } from "./turns/latency.ts";
import { measureDeliveries } from "./webhook/deliveries.ts";

interface Figure {
  readonly what: string;
  readonly value: string;
  readonly method: string;
}

const full = process.argv.includes("--full");
const only = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const figures: Figure[] = [];
const raw: Record<string, unknown> = {};
const ms = (value: number) => `${value.toFixed(2)} ms`;

async function section(name: string, measure: () => Promise<unknown>): Promise<void> {
  if (only.length > 0 && !only.includes(name)) return;
  console.error(`measuring ${name} …`);
  raw[name] = await measure();
}

function note(what: string, value: string, method: string): void {
  figures.push({ what, value, method });
}

await section("http", async () => {
  const reads = await measureReads({ seconds: full ? 10 : 3 });
  for (const read of reads)
    note(
      `API read ${read.path.replace(/\d+/, "N")}`,
      `${read.requestsPerSecond}/s, p50 ${ms(read.p50Ms)}, p99 ${ms(read.p99Ms)}; ${(read.cpuMicroseconds ?? 0).toFixed(0)} µs of processor time each`,
      `server on one core, ${read.tool} on the other, 32 connections, 10,000 calls stored`,
    );
  return reads;
});

await section("calls", async () => {
  const result = await measureCalls(100, full ? 15 : 5);
  const up = `${result.callsUp} of ${result.callsAskedFor} calls up`;
  note(
    "CPU a call",
    `${result.cpuPercentPerCall.toFixed(2)} % of a core`,
    `${up}, silent callers, recording on`,
  );
  note(
    "memory a call",
    `${result.megabytesPerCall.toFixed(2)} MB`,
    `memory of its own over ${result.idleMegabytes.toFixed(0)} MB idle, carrier included`,
  );
  const { reads } = result;
  note(
    "set-up, call → answered",
    `p50 ${ms(result.setUpMs.p50)}, p99 ${ms(result.setUpMs.p99)}`,
    `${up}, at the caller, through the carrier with its challenge; greeting prepared meanwhile`,
  );
  note(
    "API read /tenant beside 100 calls",
    `${reads.requestsPerSecond}/s, p50 ${ms(reads.p50Ms)}, p99 ${ms(reads.p99Ms)}`,
    `${up}; callers and ${reads.tool} share what the appliance leaves of the cores`,
  );
  return result;
});

await section("media", async () => {
  const results = [];
  for (const streams of full ? [50, 100, 250, 500] : [100, 250]) {
    const result = await measurePacing(streams, full ? 20 : 6);
    if (!result) continue;
    results.push(result);
    for (const [who, pacing] of Object.entries(result))
      note(
        `|interval − 20 ms|, ${streams} streams, ${who}`,
        `p50 ${ms(pacing.p50)}, p99 ${ms(pacing.p99)}, p99.9 ${ms(pacing.p999)}; lost ${pacing.lost}; ${pacing.cpuPercent.toFixed(0)} % of a core`,
        who === "ours"
          ? "kernel time stamps in a receiving process of its own"
          : "a plain C loop with a socket a stream, same receiver",
      );
  }
  return results;
});

await section("codecs", async () => {
  const audioSec = full ? 120 : 30;
  const codecs = await measureCodecs(audioSec);
  for (const { line, encode, decode, cpuPercentPerCall } of codecs)
    note(
      `codec ${line}`,
      `out ${encode.toFixed(0)} ×, in ${decode.toFixed(0)} × real time; ${cpuPercentPerCall.toFixed(2)} % of a core a call`,
      "frame to datagram, datagram to frame, 20 ms, one core",
    );
  const toneDetection = measureToneDetection(audioSec);
  note(
    "DTMF tone detection",
    `${toneDetection.toFixed(0)} × real time`,
    "without telephone-events",
  );
  return { codecs, toneDetection };
});

await section("mp3", async () => {
  const result = await measureEncoding(full ? 600 : 120);
  note(
    "MP3",
    `${result.timesRealTime.toFixed(0)} × real time`,
    `${result.audioSec} s stereo 8 kHz WAV in the encoder worker; native LAME in ffmpeg: ${result.nativeTimesRealTime?.toFixed(0) ?? "not here"} ×`,
  );
  return result;
});

await section("turns", async () => {
  const results = await measureTurns(full ? 40 : 8);
  for (const { engine, turns, injectedMs, p50Ms, p95Ms } of results)
    note(
      `own share of turn latency, ${engine}`,
      `p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms`,
      `${turns} spoken turns over RTP; less 350 ms of endpointing and ${injectedMs} ms the provider was told to take`,
    );
  return results;
});

await section("webhooks", async () => {
  const result = await measureDeliveries({ events: full ? 10_000 : 2000 });
  const { endpoints, troubled, perSecond } = result;
  note(
    "webhook deliveries",
    `${result.deliveriesPerSecond}/s`,
    `${result.events} events to ${endpoints} endpoints worked off, ${troubled} of them dead or slow`,
  );
  note(
    "burst → healthy endpoint",
    `p50 ${ms(result.burstP50Ms)}, p99 ${ms(result.burstP99Ms)}`,
    `${result.events} events waiting at once; ${result.burstCpuMsEach} ms of processor each`,
  );
  note(
    "event → healthy endpoint",
    `p50 ${ms(result.healthyP50Ms)}, p99 ${ms(result.healthyP99Ms)}`,
    `${perSecond} events/s, ${troubled} of ${endpoints} endpoints dead or slow; ${result.missing} missing`,
  );
  return result;
});

await section("scheduler", async () => {
  const alone = await measureLateness({ entries: 100, everyMs: 70, cap: 1000, callMs: 10 });
  const crowd = await measureLateness({ entries: 10_000, everyMs: 0, cap: 20_000, callMs: 10 });
  const capped = await measureLateness({ entries: 2_000, everyMs: 0, cap: 200, callMs: 500 });
  const lateness = (of: Lateness) =>
    `p50 ${of.p50Ms} ms, p99 ${of.p99Ms} ms, last ${of.latestMs} ms late; ${of.firedTwice} twice`;
  note("schedule, single entries", lateness(alone), "100 entries, 70 ms apart");
  note("schedule, 10,000 due at once", lateness(crowd), `no cap; ${crowd.perSecond}/s`);
  note("schedule, a crowd under a cap", lateness(capped), "2,000 due at once, 200 calls of 0.5 s");
  return { alone, crowd, capped };
});

await section("binary", async () => {
  const result = await measureBinary(full ? 10 : 4);
  note(
    "start → first answer",
    `median ${ms(result.firstAnswerMs)}`,
    `${result.runs} starts of dist/linevoice, GET /api/v1/ping`,
  );
  note(
    "idle memory",
    `${result.idle.own.toFixed(0)} MB of its own, ${result.idle.all.toFixed(0)} MB resident`,
    "3 s after the start; the rest are pages of the program's file",
  );
  note("binary size", `${result.megabytes.toFixed(0)} MB`, "dist/linevoice");
  return result;
});

await section("growth", async () => {
  const results = await measureGrowth(full ? 10 : 2);
  for (const { what, amounts, costs, unit, exponent } of results)
    note(
      `growth, ${what}`,
      `exponent ${exponent.toFixed(2)}`,
      `${costs.map((cost) => cost.toFixed(0)).join(" → ")} ${unit} at ${amounts.join(" → ")}`,
    );
  return results;
});

await section("dashboard", async () => {
  const result = await measureFirstPaint(full ? 15 : 5);
  if (!result) return null;
  const { runs, firstPaintMs, dataShownMs, layoutShift, transferredKilobytes } = result;
  note(
    "dashboard, first paint",
    `median ${firstPaintMs.toFixed(0)} ms, with data ${dataShownMs.toFixed(0)} ms`,
    `${runs} visits of Home in Chromium with an empty cache, ${transferredKilobytes.toFixed(0)} KB sent, layout shift ${layoutShift.toFixed(3)}`,
  );
  return result;
});

const width = Math.max(...figures.map(({ what }) => what.length));
for (const { what, value, method } of figures)
  console.log(`${what.padEnd(width)}  ${value}\n${" ".repeat(width)}    ${method}`);

const results = fileURLToPath(new URL("./results/", import.meta.url));
mkdirSync(results, { recursive: true });
const stamp = new Date().toISOString().replace(/[:.]/g, "-");
writeFileSync(
  `${results}${stamp}.json`,
  `${JSON.stringify({ at: stamp, full, cpu: cpus()[0]?.model, cores: cpus().length, figures, raw }, null, 2)}\n`,
);
process.exit(0);
