/**
 * Converts an utterance to Moonshine's input: 16 kHz, without the silence around it. A long
 * utterance is cut into parts at its quietest moments.
 */
import { createResampler } from "../../../platform/audio/resampler.ts";

const RATE_HZ = 16_000;
const FRAME_SAMPLES = 320;
/** A frame 26 dB below the loudest one is silence. */
const SILENCE_RATIO = 20;
const HEAD_SAMPLES = 2_400;
const TAIL_SAMPLES = 4_000;
const PART_FRAMES_MAX = 500;
/** Frames before the end of a part in which the cut is searched for. */
const CUT_FRAMES = 200;

export function soundParts(pcm: Int16Array, sampleRateHz: number): Float32Array<ArrayBuffer>[] {
  const resampler = createResampler(sampleRateHz, RATE_HZ);
  const wide = [resampler.process(pcm), resampler.flush()];
  const sound = new Float32Array(wide.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of wide) for (const sample of part) sound[at++] = sample / 32_768;
  const levels = levelsOf(sound);
  const loudest = Math.max(...levels);
  const spoken = (level: number) => level > loudest / SILENCE_RATIO;
  const from = Math.max(0, levels.findIndex(spoken) * FRAME_SAMPLES - HEAD_SAMPLES);
  const to = (levels.findLastIndex(spoken) + 1) * FRAME_SAMPLES + TAIL_SAMPLES;
  const parts: Float32Array<ArrayBuffer>[] = [];
  let start = from;
  while (Math.min(to, sound.length) - start > PART_FRAMES_MAX * FRAME_SAMPLES) {
    const last = Math.floor(start / FRAME_SAMPLES) + PART_FRAMES_MAX;
    const cut = quietest(levels, last - CUT_FRAMES, last) * FRAME_SAMPLES;
    parts.push(sound.slice(start, cut));
    start = cut;
  }
  return [...parts, sound.slice(start, to)];
}

function quietest(levels: readonly number[], from: number, to: number): number {
  let best = from;
  for (let frame = from; frame < to; frame++)
    if ((levels[frame] ?? 0) < (levels[best] ?? 0)) best = frame;
  return best;
}

function levelsOf(sound: Float32Array): number[] {
  const levels: number[] = [];
  for (let at = 0; at + FRAME_SAMPLES <= sound.length; at += FRAME_SAMPLES) {
    const frame = sound.subarray(at, at + FRAME_SAMPLES);
    levels.push(Math.sqrt(frame.reduce((sum, value) => sum + value * value, 0) / FRAME_SAMPLES));
  }
  return levels;
}
