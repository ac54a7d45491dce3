import { afterEach, expect, test } from "bun:test";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MPEGDecoder } from "mpg123-decoder";
import { createEncoder } from "../../../src/media/recording/encoder.ts";
import { wavHeader } from "../../../src/media/recording/wav.ts";
import { sine, toneShare } from "../../../src/platform/audio/tones.ts";
import { spawnEncoderWorker } from "../../../src/workers.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const tags = {
  title: "Call with Ąžuolas",
  callId: "0198-abc",
  recordedAt: new Date("2026-11-21T04:05:06Z"),
};

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "linevoice-encoder-"));
  cleanups.push(() => rm(path, { recursive: true }));
  return path;
}

function encoder() {
  const made = createEncoder(spawnEncoderWorker);
  cleanups.push(() => made.close());
  return made;
}

async function writeStereo(path: string, seconds: number): Promise<void> {
  const left = sine(440, seconds * 1000, 8000);
  const right = sine(1000, seconds * 1000, 8000);
  const pcm = new Int16Array(left.length * 2);
  left.forEach((value, index) => {
    pcm[index * 2] = value;
    pcm[index * 2 + 1] = right[index] ?? 0;
  });
  const header = wavHeader({ sampleRateHz: 8000, channels: 2 }, pcm.byteLength);
  await Bun.write(path, Buffer.concat([header, new Uint8Array(pcm.buffer)]));
}

test("the waveform has the lowest and highest value of every slot of either side", async () => {
  const folder = await directory();
  const [wav, mp3] = [join(folder, "p.wav"), join(folder, "p.mp3")];
  await writeStereo(wav, 2);
  const { peaks } = await encoder().encode(wav, mp3, tags);
  expect(peaks.slotsPerSecond).toBe(50);
  expect([peaks.left.length, peaks.right.length]).toEqual([200, 200]);
  const pcm = sine(440, 2000, 8000);
  const highest = pcm.reduce((most, sample) => Math.max(most, sample), 0) >> 8;
  for (let slot = 0; slot < 100; slot++) {
    expect(peaks.left[slot * 2] ?? 0).toBeLessThan(-highest * 0.9);
    expect(peaks.left[slot * 2 + 1] ?? 0).toBeGreaterThan(highest * 0.9);
  }
});

test("the MP3 has both sides at the recording's length, with our tag in front", async () => {
  const folder = await directory();
  const [wav, mp3] = [join(folder, "a.wav"), join(folder, "a.mp3")];
  await writeStereo(wav, 5);
  const result = await encoder().encode(wav, mp3, tags);
  const bytes = await Bun.file(mp3).bytes();
  expect(result).toMatchObject({ durationMs: 5000, bytes: bytes.length });
  expect(Buffer.from(bytes.subarray(0, 5)).toString("latin1")).toBe("ID3\u0004\u0000");
  const head = Buffer.from(bytes.subarray(0, 200)).toString("utf8");
  for (const text of [tags.title, "TDRC", "2026-11-21T04:05:06", `call_id\0${tags.callId}`]) {
    expect(head).toContain(text);
  }
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const decoded = decoder.decode(bytes);
  decoder.free();
  expect(Math.abs(decoded.samplesDecoded / decoded.sampleRate - 5)).toBeLessThan(0.2);
  const [left, right] = decoded.channelData.map((channel) =>
    Int16Array.from(channel.subarray(16000, 48000), (value) => value * 32767),
  );
  expect(toneShare(left ?? new Int16Array(0), 440, decoded.sampleRate)).toBeGreaterThan(0.97);
  expect(toneShare(right ?? new Int16Array(0), 1000, decoded.sampleRate)).toBeGreaterThan(0.97);
});

test("jobs in a row are all encoded, and a failed one does not affect the others", async () => {
  const folder = await directory();
  const made = encoder();
  await writeStereo(join(folder, "a.wav"), 1);
  const results = await Promise.allSettled([
    made.encode(join(folder, "a.wav"), join(folder, "1.mp3"), tags),
    made.encode(join(folder, "missing.wav"), join(folder, "2.mp3"), tags),
    made.encode(join(folder, "a.wav"), join(folder, "3.mp3"), tags),
  ]);
  expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(existsSync(join(folder, "2.mp3"))).toBe(false);
});

test("a cancelled job rejects, leaves no partial file, and the next one runs", async () => {
  const folder = await directory();
  const made = encoder();
  await writeStereo(join(folder, "long.wav"), 600);
  await writeStereo(join(folder, "short.wav"), 1);
  await made.encode(join(folder, "short.wav"), join(folder, "warm.mp3"), tags);
  const controller = new AbortController();
  const long = made.encode(
    join(folder, "long.wav"),
    join(folder, "l.mp3"),
    tags,
    controller.signal,
  );
  const short = made.encode(join(folder, "short.wav"), join(folder, "s.mp3"), tags);
  setTimeout(() => controller.abort(new Error("no longer wanted")), 100);
  expect((await Promise.allSettled([long]))[0]?.status).toBe("rejected");
  expect((await short).durationMs).toBe(1000);
  expect(existsSync(join(folder, "l.mp3"))).toBe(false);
  expect(existsSync(join(folder, "l.mp3.part"))).toBe(false);
});

test("a worker terminated during a job leaves no file open, and the next job can use the files", async () => {
  const folder = await directory();
  const clock = fakeClock();
  const made = createEncoder(spawnEncoderWorker, clock);
  cleanups.push(() => made.close());
  const [wav, mp3] = [join(folder, "long.wav"), join(folder, "l.mp3")];
  await writeStereo(wav, 1800);
  const open = () =>
    readdirSync("/proc/self/fd").filter((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`).startsWith(folder);
      } catch {
        return false;
      }
    }).length;
  const late = made.encode(wav, mp3, tags);
  await eventually(() => open() === 2, "it is encoding");
  await Bun.sleep(50);
  await clock.advance(15 * 60_000);
  expect(late).rejects.toMatchObject({ retryable: true });
  const controller = new AbortController();
  const again = made.encode(wav, mp3, tags, controller.signal);
  await eventually(() => open() === 4, "the next one reads and writes");
  await clock.advance(10_000);
  await eventually(() => open() === 2, "the files that were left are closed");
  controller.abort(new Error("enough"));
  await again.catch(() => {});
  expect(open()).toBe(0);
}, 30_000);

test("closing rejects the waiting jobs and can be repeated", async () => {
  const folder = await directory();
  const made = encoder();
  await writeStereo(join(folder, "long.wav"), 300);
  const job = made.encode(join(folder, "long.wav"), join(folder, "l.mp3"), tags);
  const settled = Promise.allSettled([job]);
  await made.close();
  await made.close();
  expect((await settled)[0]?.status).toBe("rejected");
});
