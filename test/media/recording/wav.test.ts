import { afterAll, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { open, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decode } from "node-wav";
import { silentLog } from "../../../src/core/log.ts";
import { CallRecorder } from "../../../src/media/recording/recorder.ts";
import { openWav, repairWav, wavHeader } from "../../../src/media/recording/wav.ts";

const folder = mkdtempSync(join(tmpdir(), "linevoice-wav-"));
afterAll(() => rm(folder, { recursive: true }));
const STEREO = { sampleRateHz: 8000, channels: 2 };

test("a file cut at any byte is repaired to whole frames with true sizes", async () => {
  const path = join(folder, "cut.wav");
  const pcm = Int16Array.from({ length: 80 }, (_, index) => index * 100);
  const whole = Buffer.concat([wavHeader(STEREO, 0), new Uint8Array(pcm.buffer)]);
  for (let size = 0; size <= whole.length; size++) {
    await Bun.write(path, whole);
    await truncate(path, size);
    const frames = Math.max(0, Math.floor((size - 44) / 4));
    const repaired = await repairWav(path);
    expect(repaired).toEqual({ durationMs: Math.round(frames / 8), bytes: 44 + frames * 4 });
    expect(await repairWav(path)).toEqual(repaired);
    const wav = await openWav(path);
    expect(wav.info.dataBytes).toBe(frames * 4);
    const samples = (await wav.read(1000)) ?? new Int16Array(0);
    expect([...samples]).toEqual([...pcm.subarray(0, frames * 2)]);
    await wav.close();
  }
});

test("a damaged header is rewritten and no sample is lost", async () => {
  const path = join(folder, "damaged.wav");
  const pcm = Int16Array.from({ length: 80 }, (_, index) => index * 100);
  for (let damaged = 0; damaged < 44; damaged++) {
    const whole = Buffer.concat([wavHeader(STEREO, 0), new Uint8Array(pcm.buffer)]);
    whole[damaged] = (whole[damaged] ?? 0) ^ 0xff;
    await Bun.write(path, whole);
    expect((await repairWav(path)).bytes).toBe(whole.length);
    const kept = Buffer.from(await Bun.file(path).arrayBuffer()).subarray(44);
    expect(kept.equals(Buffer.from(pcm.buffer))).toBe(true);
  }
});

test("a WAV is read in pieces, past unknown chunks of odd size", async () => {
  const path = join(folder, "chunks.wav");
  const header = wavHeader({ sampleRateHz: 16000, channels: 1 }, 6);
  const list = Uint8Array.from([...Buffer.from("LIST"), 3, 0, 0, 0, 1, 2, 3, 0]);
  const data = new Uint8Array(Int16Array.of(1, 2, 3).buffer);
  await Bun.write(path, Buffer.concat([header.subarray(0, 36), list, header.subarray(36), data]));
  const wav = await openWav(path);
  expect(wav.info).toMatchObject({ sampleRateHz: 16000, channels: 1, dataBytes: 6 });
  expect([...((await wav.read(2)) ?? [])]).toEqual([1, 2]);
  expect([...((await wav.read(2)) ?? [])]).toEqual([3]);
  expect(await wav.read(2)).toBeNull();
  await wav.close();
});

test("a recording above 4 GiB is repaired and read completely", async () => {
  const path = join(folder, "long.wav");
  const dataBytes = 4_500_000_000;
  const file = await open(path, "w");
  await file.write(wavHeader({ sampleRateHz: 8000, channels: 2 }, 0));
  // Sparse: only the last frame and an odd byte after it take disk space.
  const last = new Uint8Array(new Int16Array([1234, -1234]).buffer);
  await file.write(last, 0, 4, 44 + dataBytes - 4);
  await file.write(new Uint8Array([7]), 0, 1, 44 + dataBytes);
  await file.close();
  expect(await repairWav(path)).toEqual({
    durationMs: Math.round(dataBytes / 32),
    bytes: 44 + dataBytes,
  });
  const reader = await openWav(path);
  expect(reader.info.dataBytes).toBe(dataBytes);
  await reader.close();
  const again = await repairWav(path);
  expect(again.bytes).toBe(44 + dataBytes);
});

test("a file other than WAV is refused", async () => {
  const path = join(folder, "text.wav");
  await Bun.write(path, "this is no sound at all, but long enough to be taken for a header");
  expect(openWav(path)).rejects.toThrow("not a WAV file");
});

test("a recording is readable before it is closed, and has every frame afterwards", async () => {
  const path = join(folder, "call.wav");
  const recorder = new CallRecorder(path, 8000, silentLog);
  const left = new Int16Array(160).fill(5);
  const right = new Int16Array(160).fill(-7);
  for (let tick = 0; tick < 333; tick++) {
    recorder.write(left, right);
    if (tick % 50 === 0) await Bun.sleep(5);
  }
  const early = await openWav(path);
  await early.close();
  const info = await recorder.close();
  expect(info).toEqual({ path, durationMs: 6660, bytes: 44 + 333 * 640 });
  expect(await recorder.close()).toEqual(info);
  const wav = await openWav(path);
  const samples = (await wav.read(1_000_000)) ?? new Int16Array(0);
  await wav.close();
  expect(samples.length).toBe(333 * 320);
  expect(samples.every((value, index) => value === (index % 2 === 0 ? 5 : -7))).toBe(true);
});

test("silence of any length is recorded at its position, and stops no recording", async () => {
  const path = join(folder, "silence.wav");
  const recorder = new CallRecorder(path, 8000, silentLog);
  const frame = new Int16Array(160).fill(5);
  const expected = new Int16Array(61_620 * 16);
  let at = 0;
  for (const silentMs of [20, 60_010, 490, 480, 500, 0]) {
    recorder.write(frame, frame);
    recorder.writeSilence(silentMs * 8);
    expected.fill(5, at, at + 320);
    at += 320 + silentMs * 16;
  }
  const info = await recorder.close();
  expect(info?.durationMs).toBe(61_620);
  const wav = await openWav(path);
  const samples = (await wav.read(2_000_000)) ?? new Int16Array(0);
  await wav.close();
  expect(Buffer.from(samples.buffer).equals(Buffer.from(expected.buffer))).toBe(true);
});

test("another WAV reader accepts a recording", async () => {
  const path = join(folder, "foreign-reader.wav");
  const recorder = new CallRecorder(path, 8000, silentLog);
  const caller = new Int16Array(160).fill(8192);
  const agent = new Int16Array(160).fill(-16384);
  for (let tick = 0; tick < 60; tick++) recorder.write(caller, agent);
  await recorder.close();
  const { sampleRate, channelData } = decode(Buffer.from(await Bun.file(path).arrayBuffer()));
  expect(sampleRate).toBe(8000);
  expect(channelData.map((channel) => channel.length)).toEqual([9600, 9600]);
  expect(channelData[0]?.[5000]).toBeCloseTo(0.25, 3);
  expect(channelData[1]?.[5000]).toBeCloseTo(-0.5, 3);
});

test("a disk that cannot be written ends only the recording", async () => {
  const recorder = new CallRecorder(join(folder, "no/such/call.wav"), 8000, silentLog);
  for (let tick = 0; tick < 200; tick++) recorder.write(new Int16Array(160), new Int16Array(160));
  expect(await recorder.close()).toBeNull();
});
