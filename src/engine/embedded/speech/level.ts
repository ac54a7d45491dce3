/** Level of synthetic speech: −20 dBFS while speaking, with peaks rounded off below full scale. */

const TARGET_RMS = 32_768 * 10 ** (-20 / 20);
const FRAME_SAMPLES = 441;
const KNEE = 22_000;
const CEILING = 31_000;

/**
 * Factor that brings speech to the target level. Only frames near the loudest count, so pauses
 * don't matter.
 */
export function gainFor(parts: readonly Int16Array[]): number {
  const energies: number[] = [];
  for (const part of parts) {
    for (let start = 0; start + FRAME_SAMPLES <= part.length; start += FRAME_SAMPLES) {
      energies.push(meanSquare(part.subarray(start, start + FRAME_SAMPLES)));
    }
  }
  const loudest = Math.max(0, ...energies);
  const active = energies.filter((energy) => energy > loudest / 1000);
  if (loudest === 0 || active.length === 0) return 1;
  const rms = Math.sqrt(active.reduce((sum, energy) => sum + energy, 0) / active.length);
  return Math.min(4, Math.max(0.25, TARGET_RMS / rms));
}

/** Changes `pcm` in place. Samples above the knee approach the ceiling instead of clipping. */
export function applyGain(pcm: Int16Array, gain: number): void {
  for (let index = 0; index < pcm.length; index++) {
    const sample = (pcm[index] ?? 0) * gain;
    const size = Math.abs(sample);
    if (size <= KNEE) pcm[index] = sample;
    else {
      const room = CEILING - KNEE;
      pcm[index] = Math.sign(sample) * (KNEE + room * Math.tanh((size - KNEE) / room));
    }
  }
}

function meanSquare(pcm: Int16Array): number {
  let sum = 0;
  for (const sample of pcm) sum += sample * sample;
  return sum / pcm.length;
}
