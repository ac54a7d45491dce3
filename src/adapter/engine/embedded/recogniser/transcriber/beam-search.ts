/**
 * The likeliest reading of an utterance: the best few are followed side by side, each measured by its mean
 * log likelihood a word piece. One alone gets a word in ten more wrong.
 */
import {
  type DecoderState,
  END_TOKEN,
  type Moonshine,
  START_TOKEN,
  withReadings,
} from "./moonshine.ts";

const READINGS = 4;
/** Nobody says more; a model that repeats itself would. */
const TOKENS_PER_SECOND = 6.5;
const TOKENS_MIN = 4;
const SAMPLES_PER_SECOND = 16_000;
/** Word pieces whose log likelihood is so much lower than the likeliest's are not followed. */
const PIECE_SPREAD = 9;
/** The same of whole readings. */
const READING_SPREAD = 6;

interface Reading {
  readonly tokens: readonly number[];
  readonly likelihood: number;
  /** Pieces measured, the end included. */
  readonly pieces: number;
}

interface Candidate extends Reading {
  readonly parent: number;
  readonly isEnded: boolean;
}

interface BestReading {
  readonly tokens: readonly number[];
  /** Mean log likelihood of a piece. */
  readonly evidence: number;
}

export async function bestReading(
  moonshine: Moonshine,
  sound: Float32Array<ArrayBuffer>,
): Promise<BestReading> {
  let state: DecoderState = await moonshine.encode(sound);
  let readings: readonly Reading[] = [{ tokens: [], likelihood: 0, pieces: 0 }];
  const ended: Reading[] = [];
  const most = Math.max(TOKENS_MIN, (sound.length / SAMPLES_PER_SECOND) * TOKENS_PER_SECOND);
  for (let length = 0; length < most; length++) {
    const newest = readings.map(({ tokens }) => tokens.at(-1) ?? START_TOKEN);
    const step = await moonshine.step(state, newest);
    const next = followed(readings, step.logits, ended);
    if (next.length === 0) break;
    state = withReadings(
      step.state,
      next.map(({ parent }) => parent),
    );
    readings = next;
  }
  const [best] = [...ended, ...(ended.length === 0 ? readings : [])].sort(
    (one, other) => mean(other) - mean(one),
  );
  if (best === undefined) throw new Error("no reading of a sound");
  return { tokens: best.tokens, evidence: mean(best) };
}

const mean = ({ likelihood, pieces }: Reading) => likelihood / pieces;

/** Those that may still become the best; what has come to its end goes to `ended`. */
function followed(readings: readonly Reading[], logits: Float32Array, ended: Reading[]) {
  const words = logits.length / readings.length;
  const candidates = readings
    .flatMap((reading, parent) =>
      continued(reading, parent, logits.subarray(parent * words, (parent + 1) * words)),
    )
    .sort((one, other) => other.likelihood - one.likelihood);
  const next: Candidate[] = [];
  for (const candidate of candidates) {
    if (next.length === READINGS) break;
    if (!candidate.isEnded) next.push(candidate);
    else if (next.length === 0 || ended.length < READINGS) ended.push(candidate);
  }
  const least = Math.max(...ended.map(mean));
  const leader = next[0]?.likelihood ?? 0;
  return next.filter(
    (reading) => mean(reading) > least && reading.likelihood > leader - READING_SPREAD,
  );
}

/** A reading by each of the pieces that may follow. Somebody spoke, so the first is not the end. */
function continued(reading: Reading, parent: number, logits: Float32Array): Candidate[] {
  const pieces = reading.pieces + 1;
  if (pieces === 1) logits[END_TOKEN] = Number.NEGATIVE_INFINITY;
  const likeliest = logits.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const sum = logits.reduce((total, value) => total + Math.exp(value - likeliest), 0);
  const norm = likeliest + Math.log(sum);
  const candidates: Candidate[] = [];
  for (const [token, value] of logits.entries()) {
    if (value < likeliest - PIECE_SPREAD) continue;
    const isEnded = token === END_TOKEN;
    const tokens = isEnded ? reading.tokens : [...reading.tokens, token];
    candidates.push({
      tokens,
      likelihood: reading.likelihood + value - norm,
      pieces,
      parent,
      isEnded,
    });
  }
  return candidates;
}
