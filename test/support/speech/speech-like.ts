/** A fixed speech-like signal: voiced syllables with moving formants, and hisses. */
import { seededRandom } from "../../../src/core/random.ts";

const HARMONICS = 24;

export function speechLike(sampleRateHz: number, durationMs: number): Int16Array {
  const random = seededRandom(21);
  const samples = Math.round((sampleRateHz * durationMs) / 1000);
  let phase = 0;
  return Int16Array.from({ length: samples }, (_, index) => {
    const second = index / sampleRateHz;
    const pitchHz = 120 + 30 * Math.sin(second * 2.9);
    phase += (2 * Math.PI * pitchHz) / sampleRateHz;
    const formantHz = 700 + 350 * Math.sin(second * 9.1);
    let voiced = 0;
    for (let harmonic = 1; harmonic < HARMONICS; harmonic++) {
      const distance = Math.abs(harmonic * pitchHz - formantHz) / 450;
      voiced += Math.sin(phase * harmonic) * Math.exp(-distance);
    }
    const syllable = Math.max(0, Math.sin(second * 2 * Math.PI * 3.1));
    const hiss = Math.max(0, Math.sin(second * 2 * Math.PI * 3.1 + 2.4)) ** 4;
    const isPause = second % 2.5 > 2;
    const noise = random.float() - 0.5;
    return isPause
      ? Math.round(noise * 12)
      : Math.round(voiced * 2200 * syllable + noise * (1500 * hiss + 12));
  });
}
