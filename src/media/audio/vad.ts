/**
 * Voice activity of one stream: a cheap energy gate, and behind it the Silero model, which only
 * runs while the gate is open (250 calls leave no room for it on every frame).
 *
 * `process` is synchronous: it answers what the model said of the windows before, i.e. about one
 * frame behind. The last 64 ms before the gate opened are judged too, so that onsets are not lost.
 * Should the model fail, the gate decides alone.
 */
import type { VoiceActivityDetector } from "../ports.ts";
import { createResampler, type Resampler } from "./resampler.ts";
import { SileroModel, type SileroStream, WINDOW_SAMPLES } from "./silero.ts";
import { SpeechGate } from "./speech-gate.ts";

/** Makes the detector of one stream, at 8 kHz unless told otherwise. */
export type VadFactory = (sampleRateHz?: 8000 | 16000) => VoiceActivityDetector;

const MODEL_RATE_HZ = 8000;
const FRAMES_PER_SECOND = 50;

const PRE_ROLL_WINDOWS = 2;
/** Windows of one stream that may wait: 256 ms. Older ones are not worth judging any more. */
const WAITING_WINDOWS_MAX = 8;
/** What an open gate counts for when there is no model to ask. */
const GATE_ONLY_PROBABILITY = 0.6;

let loading: Promise<SileroModel> | null = null;

/** Loads the model once per thread. Rejects when the runtime cannot start; may be tried again. */
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

/** The same for wideband audio: the model hears the telephone band of it. */
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
  #window = new Int16Array(WINDOW_SAMPLES);
  #filled = 0;
  #waiting: Int16Array[] = [];
  #isOpen = false;
  #isJudging = false;
  #failed = false;
  #probability = 0;

  constructor(stream: Pick<SileroStream, "judge" | "reset">) {
    this.#stream = stream;
  }

  process(pcm: Int16Array): number {
    const isOpen = this.#gate.isOpen(pcm);
    if (isOpen && !this.#isOpen) this.#stream.reset();
    if (!isOpen) this.#probability = 0;
    this.#isOpen = isOpen;
    this.#gather(pcm);
    if (this.#failed) return isOpen ? GATE_ONLY_PROBABILITY : 0;
    if (isOpen && !this.#isJudging && this.#waiting.length > 0) void this.#judgeWaiting();
    return this.#probability;
  }

  #gather(pcm: Int16Array): void {
    for (let index = 0; index < pcm.length; index++) {
      this.#window[this.#filled++] = pcm[index] ?? 0;
      if (this.#filled < WINDOW_SAMPLES) continue;
      this.#waiting.push(this.#window);
      this.#window = new Int16Array(WINDOW_SAMPLES);
      this.#filled = 0;
    }
    const keep = this.#isOpen ? WAITING_WINDOWS_MAX : PRE_ROLL_WINDOWS;
    if (this.#waiting.length > keep) this.#waiting.splice(0, this.#waiting.length - keep);
  }

  async #judgeWaiting(): Promise<void> {
    this.#isJudging = true;
    try {
      for (let window = this.#waiting.shift(); window; window = this.#waiting.shift()) {
        const probability = await this.#stream.judge(window);
        if (this.#isOpen && probability !== null) this.#probability = probability;
      }
    } catch {
      this.#failed = true;
    } finally {
      this.#isJudging = false;
    }
  }
}
