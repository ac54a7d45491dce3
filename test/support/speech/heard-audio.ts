/** Classifies received audio frame by frame: the test servers' tone, a voice, noise, or silence. */
const FRAME = 160;
const FRAME_MS = 20;
const SILENT_RMS = 200;
/** Data that is not speech gives a very loud signal when decoded as A-law. */
const NOISE_RMS = 18_000;
const TONE_HZ = 300;

export interface HeardAudio {
  readonly toneMs: number;
  readonly voiceMs: number;
  readonly noiseMs: number;
  /** Silence before the first sound; the total length if there is no sound. */
  readonly silentMs: number;
}

/** `pcm`: 8 kHz. */
export function heardAudio(pcm: Int16Array): HeardAudio {
  const counted = { tone: 0, voice: 0, noise: 0, silence: 0 };
  let before = 0;
  for (let at = 0; at + FRAME <= pcm.length; at += FRAME) {
    const kind = kindOf(pcm.subarray(at, at + FRAME));
    if (kind === "silence" && counted.tone + counted.voice + counted.noise === 0) before++;
    counted[kind]++;
  }
  return {
    toneMs: counted.tone * FRAME_MS,
    voiceMs: counted.voice * FRAME_MS,
    noiseMs: counted.noise * FRAME_MS,
    silentMs: before * FRAME_MS,
  };
}

function kindOf(frame: Int16Array): "tone" | "voice" | "noise" | "silence" {
  const power = frame.reduce((sum, sample) => sum + sample * sample, 0) / frame.length;
  const rms = Math.sqrt(power);
  if (rms < SILENT_RMS) return "silence";
  if (powerAt(frame, TONE_HZ) > 0.7 * power) return "tone";
  return rms > NOISE_RMS ? "noise" : "voice";
}

/** Power of one frequency, on the scale of the total power. 8 kHz. */
export function powerAt(pcm: Int16Array, hz: number): number {
  const step = (2 * Math.PI * hz) / 8_000;
  const factor = 2 * Math.cos(step);
  let [before, last] = [0, 0];
  for (const sample of pcm) [before, last] = [last, sample + factor * last - before];
  const power = last * last + before * before - factor * last * before;
  return (2 * power) / pcm.length ** 2;
}
