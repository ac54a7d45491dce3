/**
 * Checks whether a sentence was spoken in a recording, without speech recognition. Compares the
 * spectrogram of the synthesised sentence with every part of the recording (subsequence dynamic
 * time warping, tempo between half and double), and with decoys: other sentences by the same voice.
 * A sentence is found if it fits well and clearly better than every decoy.
 */
import { type Clock, sleep } from "../../core/clock.ts";
import { BANDS, FRAME_MS, type Spectrogram, spectrogram } from "./spectrum.ts";

export interface SentenceMatch {
  readonly isFound: boolean;
  /** 0 (no similarity) to 1 (identical spectrogram). */
  readonly score: number;
  /** Best score of a decoy; 0 without decoys. */
  readonly bestDecoyScore: number;
  /** Where the sentence ends in the recording. */
  readonly endMs: number;
}

interface SentenceToFind {
  /** 8 kHz, without silence before and after. */
  readonly sentence: Int16Array;
  readonly decoys: readonly Int16Array[];
  readonly recording: Int16Array;
}

/**
 * Measured over G.711: correct sentences score 0.81 to 0.98, others stay below 0.6. After MP3
 * encoding a correct one may score only 0.7.
 */
const SCORE_MIN = 0.66;
const MARGIN_MIN = 0.08;

export function findSentence({ sentence, decoys, recording }: SentenceToFind): SentenceMatch {
  const recorded = frameShapes(spectrogram(recording));
  const best = fitOf(sentence, recorded);
  return matchOf(
    best,
    decoys.map((decoy) => fitOf(decoy, recorded).score),
  );
}

/**
 * Like `findSentence`, in small portions for a thread that also paces audio: other tasks run in
 * between.
 */
export async function findSentenceGently(
  { sentence, decoys, recording }: SentenceToFind,
  clock: Clock,
): Promise<SentenceMatch> {
  const recorded = frameShapes(spectrogram(recording));
  await sleep(clock, 0);
  const best = fitOf(sentence, recorded);
  const decoyScores: number[] = [];
  for (const decoy of decoys) {
    await sleep(clock, 0);
    decoyScores.push(fitOf(decoy, recorded).score);
  }
  return matchOf(best, decoyScores);
}

const fitOf = (sentence: Int16Array, recorded: FrameShapes): Fit =>
  bestFit(frameShapes(spectrogram(sentence)), recorded);

function matchOf(best: Fit, decoyScores: readonly number[]): SentenceMatch {
  const bestDecoyScore = Math.max(0, ...decoyScores);
  return {
    isFound: best.score >= SCORE_MIN && best.score - bestDecoyScore >= MARGIN_MIN,
    score: best.score,
    bestDecoyScore,
    endMs: best.endFrame * FRAME_MS,
  };
}

interface FrameShapes {
  readonly frames: number;
  /** Unit vectors of `BANDS` values, all zero in silence. */
  readonly shapes: Float32Array;
  /** Weight of each frame: 0 in silence, 1 at full level. */
  readonly weights: Float32Array;
}

/** Subtracts the voice's average spectrum and scales each frame to length 1. */
function frameShapes({ frames, values }: Spectrogram): FrameShapes {
  const average = averageOfSpeech(values, frames);
  const shapes = new Float32Array(frames * BANDS);
  const weights = new Float32Array(frames);
  for (let frame = 0; frame < frames; frame++) {
    let level = 0;
    let square = 0;
    for (let band = 0; band < BANDS; band++) {
      const value = values[frame * BANDS + band] ?? 0;
      const difference = value - (average[band] ?? 0);
      level += value / BANDS;
      square += difference * difference;
      shapes[frame * BANDS + band] = difference;
    }
    const scale = level > SPEECH_LEVEL ? 1 / Math.sqrt(square + 1e-9) : 0;
    for (let band = 0; band < BANDS; band++) {
      const index = frame * BANDS + band;
      shapes[index] = (shapes[index] ?? 0) * scale;
    }
    weights[frame] = level > SPEECH_LEVEL ? 1 : 0;
  }
  return { frames, shapes, weights };
}

/** Mean level of a frame (0 to 1) that counts as speech. */
const SPEECH_LEVEL = 0.12;

function averageOfSpeech(values: Float32Array, frames: number): Float32Array {
  const sum = new Float32Array(BANDS);
  let count = 0;
  for (let frame = 0; frame < frames; frame++) {
    const bands = values.subarray(frame * BANDS, (frame + 1) * BANDS);
    if (bands.reduce((total, value) => total + value, 0) / BANDS <= SPEECH_LEVEL) continue;
    count++;
    for (let band = 0; band < BANDS; band++) sum[band] = (sum[band] ?? 0) + (bands[band] ?? 0);
  }
  return sum.map((total) => total / Math.max(1, count));
}

interface Fit {
  readonly score: number;
  readonly endFrame: number;
}

/**
 * Rows are the sentence's frames, columns the recording's. A path may begin and end at any column
 * and moves by (1,1), (1,2) or (2,1). Maximises the sum of similarity; the score is its mean over
 * the sentence's voiced frames.
 */
function bestFit(sentence: FrameShapes, recording: FrameShapes): Fit {
  const columns = recording.frames;
  let weightSum = 0;
  let before = new Float32Array(columns);
  let previous = new Float32Array(columns);
  let current = new Float32Array(columns);
  let skipped = new Float32Array(columns);
  for (let row = 0; row < sentence.frames; row++) {
    const weight = sentence.weights[row] ?? 0;
    weightSum += weight;
    const local = similarities(sentence, row, recording);
    for (let column = 0; column < columns; column++) {
      const here = weight * (local[column] ?? 0);
      const diagonal = column >= 1 ? (previous[column - 1] ?? 0) : startOf(row);
      const faster = column >= 2 ? (previous[column - 2] ?? 0) : startOf(row);
      const slower =
        row >= 1 && column >= 1 ? (before[column - 1] ?? 0) + (skipped[column] ?? 0) : startOf(row);
      current[column] = here + Math.max(diagonal, faster, slower);
    }
    const recycled = before;
    before = previous;
    previous = current;
    current = recycled;
    skipped = local.map((value) => value * weight);
  }
  let best = -Infinity;
  let endFrame = 0;
  previous.forEach((value, column) => {
    if (value <= best) return;
    best = value;
    endFrame = column;
  });
  return { score: weightSum === 0 ? 0 : Math.max(0, best / weightSum), endFrame };
}

/** A path may start at the recording's left edge only in the first row. */
const startOf = (row: number) => (row === 0 ? 0 : -1e6);

function similarities(sentence: FrameShapes, row: number, recording: FrameShapes): Float32Array {
  const result = new Float32Array(recording.frames);
  const base = row * BANDS;
  for (let column = 0; column < recording.frames; column++) {
    let sum = 0;
    const other = column * BANDS;
    for (let band = 0; band < BANDS; band++)
      sum += (sentence.shapes[base + band] ?? 0) * (recording.shapes[other + band] ?? 0);
    result[column] = sum;
  }
  return result;
}
