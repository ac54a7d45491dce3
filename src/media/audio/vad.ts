/**
 * Voice activity detection for one stream: a cheap energy gate, then the Silero model. The model
 * runs only while the gate is open, because with 250 calls it cannot run on every frame.
 *
 * `process` is synchronous and returns the model's result for the newest complete window (32 ms).
 * The 64 ms before the gate opened are also processed, so that onsets are not lost.
 */
import type { VoiceActivityDetector } from "../../conversation/audio-port.ts";
import { createResampler, type Resampler } from "../../platform/audio/resampler.ts";
import { SileroModel, type SileroStream, WINDOW_SAMPLES } from "./silero/model.ts";

/** Creates the detector of one stream, at 8 kHz by default. */
export type VadFactory = (sampleRateHz?: 8000 | 16000) => VoiceActivityDetector;

const MODEL_RATE_HZ = 8000;
const FRAMES_PER_SECOND = 50;

/** 64 ms. */
const PRE_ROLL_WINDOWS = 2;

let loading: Promise<SileroModel> | null = null;

/** Loads the model once per thread. Rejects when it cannot be loaded; may be called again. */
export async function loadVad(): Promise<VadFactory> {
  loading ??= SileroModel.load();
  try {
    const model = await loading;
    return (sampleRateHz = MODEL_RATE_HZ) => {
      const vad = new GatedVad(model.newStream());
      return sampleRateHz === MODEL_RATE_HZ ? vad : new WidebandVad(vad, sampleRateHz);
    };
  } catch (error) {
    loading = null;
    throw error;
  }
}

/** For wideband audio: the model gets the telephone band. */
class WidebandVad implements VoiceActivityDetector {
  readonly #vad: VoiceActivityDetector;
  readonly #resampler: Resampler;
  readonly #frame: Int16Array;

  constructor(vad: VoiceActivityDetector, sampleRateHz: number) {
    this.#vad = vad;
    this.#resampler = createResampler(sampleRateHz, MODEL_RATE_HZ);
    this.#frame = new Int16Array(MODEL_RATE_HZ / FRAMES_PER_SECOND);
  }

  /** Frames of 20 ms. */
  process(pcm: Int16Array): number {
    this.#resampler.processInto(pcm, this.#frame, 0);
    return this.#vad.process(this.#frame);
  }
}

export class GatedVad implements VoiceActivityDetector {
  readonly #stream: Pick<SileroStream, "judge" | "reset">;
  readonly #gate = new SpeechGate();
  /** A ring of the newest complete windows while the gate is closed, and the one being filled. */
  readonly #windows = Array.from(
    { length: PRE_ROLL_WINDOWS + 1 },
    () => new Int16Array(WINDOW_SAMPLES),
  );
  #filling = 0;
  #buffered = 0;
  #filled = 0;
  #isOpen = false;
  #probability = 0;

  constructor(stream: Pick<SileroStream, "judge" | "reset">) {
    this.#stream = stream;
  }

  process(pcm: Int16Array): number {
    const isOpen = this.#gate.isOpen(pcm);
    if (isOpen && !this.#isOpen) this.#begin();
    if (!isOpen) this.#probability = 0;
    this.#isOpen = isOpen;
    let window = this.#windowAgo(0);
    let filled = this.#filled;
    for (let index = 0; index < pcm.length; index++) {
      window[filled++] = pcm[index] ?? 0;
      if (filled < WINDOW_SAMPLES) continue;
      filled = 0;
      this.#wholeWindow(window);
      window = this.#windowAgo(0);
    }
    this.#filled = filled;
    return this.#probability;
  }

  /** Processes the audio from just before the gate opened. */
  #begin(): void {
    this.#stream.reset();
    for (let ago = this.#buffered; ago > 0; ago--)
      this.#probability = this.#stream.judge(this.#windowAgo(ago));
    this.#buffered = 0;
  }

  #wholeWindow(window: Int16Array): void {
    if (this.#isOpen) {
      this.#probability = this.#stream.judge(window);
      return;
    }
    this.#filling = (this.#filling + 1) % this.#windows.length;
    this.#buffered = Math.min(PRE_ROLL_WINDOWS, this.#buffered + 1);
  }

  /** 0: the window being filled. */
  #windowAgo(count: number): Int16Array {
    const { length } = this.#windows;
    const window = this.#windows[(this.#filling - count + length) % length];
    if (!window) throw new RangeError("no such window");
    return window;
  }
}

const OPEN_RATIO = 1.8;
/** RMS of 16-bit samples: about −62 dBFS, below any intelligible telephone speech. */
const OPEN_LEVEL_MIN = 26;
const FLOOR_MIN = 6;
const FLOOR_INITIAL = 60;
const FLOOR_FALL = 0.2;
const FLOOR_RISE = 1.003;
const HANG_OVER_FRAMES = 20;

/**
 * A cheap energy gate in front of the speech model: open while the level is above the line's own
 * noise, and for a while afterwards. When in doubt it is open: it only saves CPU time and never
 * decides about speech.
 */
class SpeechGate {
  #floor = FLOOR_INITIAL;
  #openFrames = 0;

  /** Processes one frame of 20 ms. Returns true while there may be speech. */
  isOpen(pcm: Int16Array): boolean {
    let energy = 0;
    for (let index = 0; index < pcm.length; index++) energy += (pcm[index] ?? 0) ** 2;
    const level = Math.sqrt(energy / Math.max(1, pcm.length));
    if (level < this.#floor) this.#floor += (level - this.#floor) * FLOOR_FALL;
    else this.#floor *= FLOOR_RISE;
    this.#floor = Math.max(FLOOR_MIN, this.#floor);
    const stands = level > OPEN_LEVEL_MIN && level > this.#floor * OPEN_RATIO;
    this.#openFrames = stands ? HANG_OVER_FRAMES : Math.max(0, this.#openFrames - 1);
    return this.#openFrames > 0;
  }
}
