/** Accepted and refused audio formats of a voice's server, whatever their declared type. */
import { expect, test } from "bun:test";
import { SpeechSamples } from "../../../src/engine/openai/speech-samples.ts";
import { wavFile } from "../../../src/engine/openai/wav.ts";

const second = (rateHz: number) => new Int16Array(rateHz);
const samplesOf = (bytes: Uint8Array) => {
  const samples = new SpeechSamples(24_000, 16_000);
  return samples.push(bytes).length + samples.end().length;
};

test.each([8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 192_000])(
  "a WAV file of %d Hz is a second of speech",
  (rateHz) => {
    expect(Math.abs(samplesOf(wavFile(second(rateHz), rateHz)) - 16_000)).toBeLessThan(32);
  },
);

test.each([3_975, 22_051, 191_999, 192_025, 0xffff_ffff])(
  "a WAV file of %d Hz is refused",
  (rateHz) => {
    expect(() => samplesOf(wavFile(second(8_000), rateHz))).toThrow(`${rateHz} Hz`);
  },
);

test.each([
  ["MPEG 1", [0xff, 0xfb, 0x90, 0x64]],
  ["MPEG 2", [0xff, 0xf3, 0x40, 0xc4]],
  ["MPEG 2.5 with a checksum", [0xff, 0xe2, 0x48, 0x00]],
])("MP3 that begins with a frame of %s is refused by name", (_, frame) => {
  expect(() => samplesOf(Uint8Array.from([...frame, ...new Uint8Array(400)]))).toThrow("MP3");
});

test.each([
  [0xff, 0xff, 0xff, 0xff],
  [0xfb, 0xff, 0x90, 0x64],
  [0xff, 0xfb, 0x00, 0x00],
  [0xff, 0xfb, 0xff, 0xff],
])("samples that begin with %d %d %d %d are accepted as samples", (...bytes) => {
  expect(samplesOf(Uint8Array.from([...bytes, ...new Uint8Array(48_000)]))).toBeGreaterThan(15_000);
});
