/**
 * G.722 against an independent implementation. The ITU-T test sequences (G.722 Appendix II) may not be distributed
 * by us, so the reference is FFmpeg's codec: the same octets from the encoder and the same samples from the
 * decoder, for every signal here. The hashes are of FFmpeg 5.1's output; if the program is installed it is
 * compared again.
 *
 * One difference is known and intended: the reference (ITU-T G.191, `qmf_tx`) limits each sub-band to 15 bits
 * before coding, FFmpeg does not. Only a signal driven far beyond a filter's range reaches the limit (a full-scale
 * square wave), so it is left out of the comparison.
 */
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../../src/core/random.ts";
import { G722Decoder, G722Encoder } from "../../../src/media/audio/g722/g722.ts";

const SAMPLES = 16_000 * 10;

/** Whole numbers only, so that every machine makes the same signal. */
const SIGNALS = {
  noise: () => {
    const random = seededRandom(5);
    return () => Math.floor(random.float() * 40_000) - 20_000;
  },
  "full-scale noise": () => {
    const random = seededRandom(6);
    return () => Math.floor(random.float() * 65_536) - 32_768;
  },
  "a triangle from 0 to 8 kHz": () => {
    let phase = 0;
    return (index: number) => {
      phase = (phase + Math.floor(index / 5)) % 65_536;
      return (phase < 32_768 ? phase : 65_535 - phase) - 16_384;
    };
  },
  "bursts of speech-like pulses": () => {
    const random = seededRandom(7);
    let value = 0;
    return (index: number) => {
      const pulse = index % 140 === 0 && Math.floor(index / 3000) % 3 !== 0 ? 18_000 : 0;
      value = Math.trunc((value * 29) / 32) + pulse + Math.floor(random.float() * 64) - 32;
      return Math.min(32_767, value);
    };
  },
  silence: () => () => 0,
} as const;

type Signal = keyof typeof SIGNALS;

/** SHA-256 of FFmpeg's encoded octets, and of its decoded samples. */
const OF_FFMPEG: Readonly<Record<Signal, readonly [string, string]>> = {
  noise: [
    "4f013024dcaa43f1eba4332c21d6a289d1fdf573ae552b83b79c3fdd985c613a",
    "9ebe2ddd0e42eff493ec9793135b5ebe5eb18227946a3fd9ee6cfdecdd85d667",
  ],
  "full-scale noise": [
    "2ebda15d1a869f8cc85831fc6dd7e256b6b4b35338ef20b9377be679fdbc2d73",
    "bf6bc4943ae9bc33752a857144817b4cef28f42bc44bbb5212524331c16499c9",
  ],
  "a triangle from 0 to 8 kHz": [
    "f83b3f4eacbe0574196042fb62c48d42d82a0b8766f4b9195bc65114d1562df7",
    "a865155d425c900b65c908efca502bf95708d0022b7b4aa296e110d88f2c364b",
  ],
  "bursts of speech-like pulses": [
    "eeeaff41114ac8de447a5a4f3b64959d0c39c643e62f01c361c6749be76d5229",
    "1b18ec492c7a7570ba4396cbde4ee3e3fe1268eb83117e994ca985db93acfd33",
  ],
  silence: [
    "0f4341ceb332574ca1a046654cbad63bf25a6d8a1795bee834df4c046cc5bdc5",
    "b8d4791f4979612bf212218566d2b6c92181057e6b6f81d29b16b27e9e2f6e49",
  ],
};

function samplesOf(signal: Signal): Int16Array {
  const next: (index: number) => number = SIGNALS[signal]();
  return Int16Array.from({ length: SAMPLES }, (_, index) => next(index));
}

function encode(pcm: Int16Array): Uint8Array {
  const octets = new Uint8Array(pcm.length / 2);
  new G722Encoder().encode(pcm, 0, pcm.length, octets, 0);
  return octets;
}

function decode(octets: Uint8Array): Int16Array {
  const pcm = new Int16Array(octets.length * 2);
  new G722Decoder().decode(octets, 0, octets.length, pcm);
  return pcm;
}

const bytesOf = (pcm: Int16Array) => new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
const hashOf = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

const signals = Object.keys(SIGNALS) as Signal[];

for (const signal of signals) {
  test(`${signal}: the octets and the samples are FFmpeg's`, () => {
    const octets = encode(samplesOf(signal));
    expect([hashOf(octets), hashOf(bytesOf(decode(octets)))]).toEqual([...OF_FFMPEG[signal]]);
  });
}

const ffmpeg = Bun.which("ffmpeg");
test.skipIf(!ffmpeg)("the installed FFmpeg agrees, octet for octet and sample for sample", () => {
  const directory = mkdtempSync(join(tmpdir(), "g722-"));
  const run = (...words: string[]) =>
    Bun.spawnSync([ffmpeg ?? "", "-loglevel", "error", "-y", ...words], { cwd: directory });
  try {
    for (const signal of signals) {
      const pcm = samplesOf(signal);
      const raw = ["-f", "s16le", "-ar", "16000", "-ac", "1"];
      writeFileSync(join(directory, "in.raw"), bytesOf(pcm));
      run(...raw, "-i", "in.raw", "-c:a", "g722", "-f", "g722", "coded");
      run("-f", "g722", "-i", "coded", "-f", "s16le", "out.raw");
      const read = (name: string) => new Uint8Array(readFileSync(join(directory, name)));
      const coded = read("coded");
      expect(hashOf(encode(pcm))).toBe(hashOf(coded));
      expect(hashOf(bytesOf(decode(coded)))).toBe(hashOf(read("out.raw")));
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("chunks of any even size give the same octets as one run", () => {
  const pcm = samplesOf("bursts of speech-like pulses");
  const encoder = new G722Encoder();
  const octets = new Uint8Array(pcm.length / 2);
  for (let from = 0, step = 2; from < pcm.length; from += step, step = (step % 640) + 2) {
    encoder.encode(pcm, from, Math.min(step, pcm.length - from), octets, from / 2);
  }
  expect(hashOf(octets)).toBe(hashOf(encode(pcm)));
});

test("a decoder that missed packets recovers within 100 ms: the state leaks away", () => {
  const octets = encode(samplesOf("bursts of speech-like pulses"));
  const whole = decode(octets);
  const decoder = new G722Decoder();
  const heard = new Int16Array(whole.length);
  const lostAt = 40_000;
  const lost = 480;
  decoder.decode(octets, 0, lostAt, heard);
  const rest = new Int16Array((octets.length - lostAt - lost) * 2);
  decoder.decode(octets, lostAt + lost, octets.length - lostAt - lost, rest);
  const settled = 1600;
  let error = 0;
  let energy = 0;
  for (let index = settled; index < rest.length; index++) {
    const expected = whole[(lostAt + lost) * 2 + index] ?? 0;
    error += ((rest[index] ?? 0) - expected) ** 2;
    energy += expected ** 2;
  }
  expect(10 * Math.log10(energy / error)).toBeGreaterThan(30);
});
