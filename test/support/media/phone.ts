/** The remote party of calls in tests: a phone, and tones that replace synthesised speech. */

export { createPhone, type Phone, type PhoneOptions } from "./phone/phone.ts";
export { CallNotAnswered } from "./phone/phone-call.ts";

/** A pure tone of `durationMs` at 8 kHz, loud enough to count as speech. */
export function tone(frequencyHz: number, durationMs: number): Int16Array {
  const samples = Math.round(durationMs * 8);
  return Int16Array.from({ length: samples }, (_, i) =>
    Math.round(8000 * Math.sin((2 * Math.PI * frequencyHz * i) / 8000)),
  );
}

/** Share of the loudest second's energy at this frequency (Goertzel), 0 to 1. */
export function toneShare(pcm: Int16Array, frequencyHz: number): number {
  const second = loudestSecond(pcm);
  const coefficient = 2 * Math.cos((2 * Math.PI * frequencyHz) / 8000);
  let previous = 0;
  let beforeThat = 0;
  let energy = 0;
  for (const sample of second) {
    const current = sample + coefficient * previous - beforeThat;
    beforeThat = previous;
    previous = current;
    energy += sample * sample;
  }
  const power = previous ** 2 + beforeThat ** 2 - coefficient * previous * beforeThat;
  return energy === 0 ? 0 : (2 * power) / (energy * second.length);
}

function loudestSecond(pcm: Int16Array): Int16Array {
  let best = pcm.subarray(0, 8000);
  let bestEnergy = -1;
  for (let start = 0; start + 8000 <= pcm.length; start += 800) {
    const part = pcm.subarray(start, start + 8000);
    const energy = part.reduce((sum, sample) => sum + sample * sample, 0);
    if (energy > bestEnergy) [best, bestEnergy] = [part, energy];
  }
  return best;
}
