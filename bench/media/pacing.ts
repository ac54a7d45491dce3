/**
 * Regularity of outgoing RTP: |interval − 20 ms| of each stream by the kernel's time stamps, taken
 * in a separate receiver (native/receiver.c). For comparison, in the same minute, the same number
 * of streams is sent by a plain C loop (native/pacer.c) and relayed by rtpengine, if installed.
 * Needs a C compiler, otherwise there are no figures.
 */
import { fileURLToPath } from "node:url";
import { cpuSeconds } from "../process/usage.ts";
import { linesOf } from "./lines.ts";
import { type Native, nativePrograms } from "./native.ts";
import { RTPENGINE_HOST, startRtpEngine } from "./rtpengine.ts";

export interface Pacing {
  readonly streams: number;
  readonly packets: number;
  readonly lost: number;
  /** Percentiles in ms. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  /** Percent of one core for the sending process. */
  readonly cpuPercent: number;
  readonly kilobytesPerStream?: number;
}

export type Pacer = "ours" | "plain C loop" | "rtpengine";

export interface PacingResult {
  readonly who: Pacer;
  readonly pacing: Pacing;
}

export const PACERS: Readonly<Record<Pacer, string>> = {
  ours: "kernel time stamps in a separate receiving process",
  "plain C loop": "reference: a socket a stream, same receiver, same minute",
  rtpengine: "reference: relays what the C loop sends, in user space, same receiver, same minute",
};

const HOST = "127.0.42.1";
const WARM_UP_MS = 1000;
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Runs each sender for `seconds` after a warm-up. Returns null without a C compiler. */
export async function measurePacing(streams: number, seconds = 10): Promise<PacingResult[] | null> {
  const native = nativePrograms();
  if (!native) return null;
  try {
    const results: PacingResult[] = [
      { who: "ours", pacing: await measureOurs(native, streams, seconds) },
      { who: "plain C loop", pacing: await measureLoop(native, streams, seconds) },
    ];
    const relayed = await measureRtpEngine(native, streams, seconds);
    if (relayed) results.push({ who: "rtpengine", pacing: relayed });
    return results;
  } finally {
    native.remove();
  }
}

/** Our sender only. */
export async function measureOurPacing(streams: number, seconds: number): Promise<Pacing | null> {
  const native = nativePrograms();
  if (!native) return null;
  try {
    return await measureOurs(native, streams, seconds);
  } finally {
    native.remove();
  }
}

const measureOurs = (native: Native, streams: number, seconds: number) =>
  measure(native, seconds, async (port) => [
    ...[process.execPath, file("./sender.ts"), HOST, port, String(streams)],
  ]);

export async function measureLoop(
  native: Native,
  streams: number,
  seconds: number,
): Promise<Pacing> {
  const pacer = await native.build("pacer");
  return await measure(native, seconds, async (port) => [
    ...[pacer, HOST, port, String(streams), lasting(seconds)],
  ]);
}

async function measureRtpEngine(
  native: Native,
  streams: number,
  seconds: number,
): Promise<Pacing | null> {
  const engine = await startRtpEngine();
  if (!engine) return null;
  const pacer = await native.build("pacer");
  let startedAt = 0;
  let before = 0;
  try {
    const pacing = await measure(native, seconds, async (port) => {
      const to = { host: HOST, port: Number(port) };
      const ports: number[] = [];
      for (let n = 0; n < streams; n++) ports.push(await engine.call(`bench-${n}`, to));
      startedAt = performance.now();
      before = cpuSeconds(engine.pid);
      return [pacer, RTPENGINE_HOST, ports.join(","), String(streams), lasting(seconds)];
    });
    const elapsed = (performance.now() - startedAt) / 1000;
    return { ...pacing, cpuPercent: (100 * (cpuSeconds(engine.pid) - before)) / elapsed };
  } finally {
    await engine.stop();
  }
}

const lasting = (seconds: number) => String(seconds + Math.ceil(WARM_UP_MS / 1000) + 1);

async function measure(
  native: Native,
  seconds: number,
  commandFor: (port: string) => Promise<string[]>,
): Promise<Pacing> {
  const receiverFile = await native.build("receiver");
  const receiver = Bun.spawn([receiverFile, HOST], { stdin: "pipe", stdout: "pipe" });
  const lines = linesOf(receiver.stdout, "the receiver");
  const command = await commandFor((await lines.next()).replace("port ", ""));
  const sender = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  await Bun.sleep(WARM_UP_MS);
  receiver.stdin.write("start\n");
  await receiver.stdin.flush();
  await Bun.sleep(seconds * 1000);
  await receiver.stdin.end();
  const timings = JSON.parse(await lines.next()) as Omit<Pacing, "cpuPercent">;
  await sender.stdin.end();
  const output = (await new Response(sender.stdout).text()).trim().split("\n");
  return { ...timings, ...(JSON.parse(output.at(-1) ?? "{}") as { cpuPercent: number }) };
}

if (import.meta.main)
  console.log(await measurePacing(Number(process.argv[2] ?? 250), Number(process.argv[3] ?? 10)));
