/**
 * Converts a VAD's frame probabilities into begin and end of speech, with hysteresis: three frames above the
 * upper threshold begin it, five below the lower one are a pause. It counts in audio time: it needs no timer,
 * and the same audio gives the same result.
 */
import { levelOf } from "../../platform/audio/level.ts";
import type { VoiceActivityDetector } from "../audio-port.ts";
import { FRAME_MS } from "../limits.ts";

const SPEECH_MIN = 0.5;
const SILENCE_MAX = 0.35;
const ONSET_FRAMES = 3;
const PAUSE_FRAMES = 5;
/**
 * Share of the utterance's loudest frame (−15 dB). Quieter frames at its end are room noise or the VAD's
 * hangover.
 */
const LOUD_SHARE = 0.18;

type SpeechEdge = "began" | "paused" | "went_on" | null;

export class SpeechDetector {
  #above = 0;
  #speaking = false;
  #voicedFrames = 0;
  #silentFrames = 0;
  #loudest = 0;
  /** Voiced frames up to the last loud one. */
  #soundFrames = 0;

  constructor(private readonly vad: VoiceActivityDetector) {}

  /** Voiced milliseconds since speech began, including those before a pause. */
  get speechMs(): number {
    return this.#voicedFrames * FRAME_MS;
  }

  /** The same without the detector's hangover: the real length of the words. */
  get soundMs(): number {
    return this.#soundFrames * FRAME_MS;
  }

  /** Milliseconds since the last voiced frame. */
  get silentMs(): number {
    return this.#silentFrames * FRAME_MS;
  }

  /** Processes one 20 ms frame. */
  process(pcm: Int16Array): SpeechEdge {
    const probability = this.vad.process(pcm);
    if (!this.#speaking) return this.#whileQuiet(probability, pcm);
    if (probability > SILENCE_MAX) {
      const wasPaused = this.#silentFrames >= PAUSE_FRAMES;
      if (wasPaused && probability < SPEECH_MIN) {
        this.#silentFrames++;
        return null;
      }
      this.#silentFrames = 0;
      this.#voicedFrames++;
      this.#weigh(pcm);
      return wasPaused ? "went_on" : null;
    }
    this.#silentFrames++;
    return this.#silentFrames === PAUSE_FRAMES ? "paused" : null;
  }

  /** The utterance is over or was noise: resets the detector. */
  reset(): void {
    this.#speaking = false;
    this.#above = 0;
    this.#voicedFrames = 0;
    this.#silentFrames = 0;
    this.#loudest = 0;
    this.#soundFrames = 0;
  }

  #whileQuiet(probability: number, pcm: Int16Array): SpeechEdge {
    this.#above = probability >= SPEECH_MIN ? this.#above + 1 : 0;
    if (this.#above < ONSET_FRAMES) return null;
    this.#speaking = true;
    this.#voicedFrames = this.#above;
    this.#silentFrames = 0;
    this.#weigh(pcm);
    return "began";
  }

  #weigh(pcm: Int16Array): void {
    const level = levelOf(pcm);
    this.#loudest = Math.max(this.#loudest, level);
    if (level >= this.#loudest * LOUD_SHARE) this.#soundFrames = this.#voicedFrames;
  }
}
