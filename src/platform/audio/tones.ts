/** Tone generation and detection: sine, DTMF pairs (ITU-T Q.23) and the Goertzel filter. Pure. */
const DTMF_ROWS_HZ = [697, 770, 852, 941];
const DTMF_COLUMNS_HZ = [1209, 1336, 1477, 1633];
const DTMF_KEYS = "123A456B789C*0#D";
const AMPLITUDE_MAX = 32767;

/** A sine of `amplitude` (0–32767) that starts at phase 0. */
export function sine(
  frequencyHz: number,
  durationMs: number,
  sampleRateHz: number,
  amplitude = 8000,
): Int16Array {
  const pcm = new Int16Array(Math.round((durationMs * sampleRateHz) / 1000));
  const step = (2 * Math.PI * frequencyHz) / sampleRateHz;
  for (let index = 0; index < pcm.length; index++) {
    pcm[index] = Math.round(amplitude * Math.sin(step * index));
  }
  return pcm;
}

/** The two frequencies of a key, low first; null for an unknown key. */
export function dtmfFrequencies(key: string): readonly [number, number] | null {
  const index = key.length === 1 ? DTMF_KEYS.indexOf(key.toUpperCase()) : -1;
  if (index < 0) return null;
  return [DTMF_ROWS_HZ[index >> 2] ?? 0, DTMF_COLUMNS_HZ[index & 3] ?? 0];
}

/**
 * In-band DTMF tones for a remote party without telephone-events. Unknown characters are skipped.
 */
export function dtmfTones(
  keys: string,
  sampleRateHz: number,
  pressMs = 100,
  pauseMs = 60,
): Int16Array {
  const pauseSamples = Math.round((pauseMs * sampleRateHz) / 1000);
  const parts: number[] = [];
  for (const key of keys) {
    const pair = dtmfFrequencies(key);
    if (!pair) continue;
    const low = sine(pair[0], pressMs, sampleRateHz, 5000);
    const high = sine(pair[1], pressMs, sampleRateHz, 6000);
    low.forEach((value, index) => {
      parts.push(Math.min(AMPLITUDE_MAX, value + (high[index] ?? 0)));
    });
    for (let index = 0; index < pauseSamples; index++) parts.push(0);
  }
  return Int16Array.from(parts);
}

/**
 * The share of a block's energy at one frequency: 0 (none) to 1 (a pure tone). Blocks of at least
 * 20 ms; 0 for digital silence.
 */
export function toneShare(pcm: Int16Array, frequencyHz: number, sampleRateHz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequencyHz) / sampleRateHz);
  let previous = 0;
  let beforePrevious = 0;
  let energy = 0;
  for (let index = 0; index < pcm.length; index++) {
    const sample = pcm[index] ?? 0;
    const state = sample + coefficient * previous - beforePrevious;
    beforePrevious = previous;
    previous = state;
    energy += sample * sample;
  }
  if (energy === 0) return 0;
  const power =
    previous * previous + beforePrevious * beforePrevious - coefficient * previous * beforePrevious;
  return Math.min(1, (2 * power) / (energy * pcm.length));
}
