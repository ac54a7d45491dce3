/**
 * The caller's side: splits 20 ms frames into utterances.
 *
 * Starts an utterance at the VAD's onset (with half a second of lead, to keep the first consonant), feeds the
 * STT stream and detects the end of the caller's speech. barge-in.ts and utterance-processor.ts evaluate an
 * utterance: they accept it (`finish`) or discard it (`cancel`). Works in audio time; a quiet frame allocates
 * nothing.
 */
import type { Clock } from "../../core/clock.ts";
import { oneLine } from "../../core/one-line.ts";
import type { VoiceActivityDetector } from "../audio-port.ts";
import { withDeadline } from "../deadline.ts";
import { EngineFailure, type SttResult, type SttStream } from "../engine-port.ts";
import {
  EARLY_SILENCE_MS,
  FRAME_MS,
  LEAD_MS,
  SPEECH_MS_MIN,
  STT_TIMEOUT_MS,
  UTTERANCE_MS_MAX,
} from "../limits.ts";
import { SpeechDetector } from "./speech-detector.ts";

const FAILURES_MAX = 2;
/** Maximum characters of recognised text per utterance (30 s): five times the fastest speaking rate. */
const HEARD_CHARACTERS_MAX = 5_000;
const EMPTY_STT_RESULT: SttResult = { text: "", confidence: 0, audioMs: 0 };

interface UtteranceEvents {
  began(): void;
  /** Silence of EARLY_SILENCE_MS: the caller may have finished. */
  quiet?(): void;
  /** The caller continued after `quiet`. */
  resumed?(): void;
  paused(): void;
  /** Speech after a pause. */
  wentOn(): void;
  /** The stable words of the running utterance changed. */
  words?(): void;
  /** The caller has finished: call `finish` or `cancel` now. */
  endpoint(utterance: Utterance): void;
  /** Too short for speech; already discarded. */
  dismissed(): void;
}

/** Monotonic milliseconds. */
export interface Utterance {
  readonly beganAt: number;
  readonly lastSpeechAt: number;
  readonly speechMs: number;
  /** `speechMs` without the detector's hangover. */
  readonly soundMs: number;
  /** When the end of speech was detected, or now. */
  readonly endedAt: number;
}

interface UtteranceSegmenterOptions {
  readonly vad: VoiceActivityDetector;
  readonly stt: SttStream;
  readonly sampleRateHz: number;
  readonly clock: Clock;
  /** Silence that ends an utterance, based on the latest stable words. */
  readonly endpointingMs: (partial: string) => number;
  readonly events: UtteranceEvents;
}

export class UtteranceSegmenter {
  readonly #detector: SpeechDetector;
  /** Ring buffer of whole frames: LEAD_MS is a multiple of FRAME_MS. */
  readonly #lead: Int16Array;
  #leadEnd = 0;
  #leadLength = 0;
  #active = false;
  #isQuiet = false;
  #frames = 0;
  #beganAt = 0;
  #partial = "";
  #failuresInARow = 0;
  /** True if the STT stream reported the end of the utterance. */
  #farEndpoint = false;

  constructor(private readonly options: UtteranceSegmenterOptions) {
    this.#detector = new SpeechDetector(options.vad);
    this.#lead = new Int16Array((options.sampleRateHz / 1000) * LEAD_MS);
    options.stt.onPartial((told) => {
      if (!this.#active) return;
      const text = heardWords(told);
      if (text === this.#partial) return;
      this.#partial = text;
      options.events.words?.();
    });
    options.stt.onEndpoint?.(() => {
      this.#farEndpoint = this.#active;
    });
  }

  /** True while an utterance is running. */
  get active(): boolean {
    return this.#active;
  }

  get speechMs(): number {
    return this.#active ? this.#detector.speechMs : 0;
  }

  /** `speechMs` without the detector's hangover. */
  get soundMs(): number {
    return this.#active ? this.#detector.soundMs : 0;
  }

  /** Milliseconds since the last voiced frame of the running utterance. */
  get silentMs(): number {
    return this.#active ? this.#detector.silentMs : 0;
  }

  /** Latest stable words of the running utterance. */
  get partial(): string {
    return this.#partial;
  }

  /** The running utterance up to now. */
  get utterance(): Utterance {
    const { speechMs, soundMs, silentMs } = this.#detector;
    const endedAt = this.options.clock.monotonic();
    const lastSpeechAt = endedAt - silentMs;
    return { beganAt: this.#beganAt, lastSpeechAt, speechMs, soundMs, endedAt };
  }

  frame(pcm: Int16Array): void {
    const edge = this.#detector.process(pcm);
    if (!this.#active) {
      this.#keepLead(pcm);
      if (edge === "began") this.#begin();
      return;
    }
    this.options.stt.push(pcm);
    this.#frames++;
    this.#followSilence();
    if (edge === "paused") this.options.events.paused();
    else if (edge === "went_on") this.options.events.wentOn();
    if (this.#active && this.#isOver()) this.#end();
  }

  /**
   * Final text of the utterance. One failure counts as not understood; a second one in a row rejects with
   * EngineFailure. Concurrent failures count as one.
   */
  async finish(): Promise<SttResult> {
    this.#reset();
    const failure = () => new EngineFailure("stt", `no text within ${STT_TIMEOUT_MS} ms`);
    const { clock, stt } = this.options;
    const failedBefore = this.#failuresInARow;
    try {
      const result = await withDeadline(clock, stt.finalize(), STT_TIMEOUT_MS, failure);
      this.#failuresInARow = 0;
      return { ...result, text: heardWords(result.text) };
    } catch (error) {
      this.#failuresInARow = Math.min(failedBefore, this.#failuresInARow) + 1;
      if (this.#failuresInARow >= FAILURES_MAX) throw error;
      return EMPTY_STT_RESULT;
    }
  }

  /** Discards the running utterance, if any. */
  cancel(): void {
    if (!this.#active) return;
    this.#reset();
    this.options.stt.discard();
  }

  #begin(): void {
    this.#active = true;
    this.#isQuiet = false;
    this.#frames = 0;
    this.#partial = "";
    this.#farEndpoint = false;
    this.#beganAt = this.options.clock.monotonic() - this.#detector.speechMs;
    this.options.stt.startUtterance(this.#takeLead());
    this.options.events.began();
  }

  #followSilence(): void {
    const { silentMs } = this.#detector;
    const { events } = this.options;
    if (!this.#isQuiet && silentMs >= EARLY_SILENCE_MS) {
      this.#isQuiet = true;
      events.quiet?.();
    } else if (this.#isQuiet && silentMs === 0) {
      this.#isQuiet = false;
      events.resumed?.();
    }
  }

  #isOver(): boolean {
    if (this.#frames * FRAME_MS >= UTTERANCE_MS_MAX) return true;
    const { silentMs } = this.#detector;
    if (this.#farEndpoint && silentMs >= FRAME_MS * 5) return true;
    return silentMs > 0 && silentMs >= this.options.endpointingMs(this.#partial);
  }

  #end(): void {
    if (this.#detector.speechMs < SPEECH_MS_MIN) {
      this.cancel();
      this.options.events.dismissed();
      return;
    }
    this.options.events.endpoint(this.utterance);
    if (this.#active) this.cancel();
  }

  #reset(): void {
    this.#active = false;
    this.#detector.reset();
  }

  #keepLead(pcm: Int16Array): void {
    const capacity = this.#lead.length;
    this.#lead.set(pcm, this.#leadEnd);
    this.#leadEnd = (this.#leadEnd + pcm.length) % capacity;
    this.#leadLength = Math.min(capacity, this.#leadLength + pcm.length);
  }

  #takeLead(): Int16Array {
    const lead = new Int16Array(this.#leadLength);
    const start = (this.#leadEnd - this.#leadLength + this.#lead.length) % this.#lead.length;
    const tail = this.#lead.subarray(start, Math.min(this.#lead.length, start + lead.length));
    lead.set(tail, 0);
    lead.set(this.#lead.subarray(0, lead.length - tail.length), tail.length);
    this.#leadLength = 0;
    return lead;
  }
}

/** Limits recogniser output, because the words are stored, mailed, searched and sent to models. */
const heardWords = (text: string): string =>
  oneLine(text.slice(0, HEARD_CHARACTERS_MAX), HEARD_CHARACTERS_MAX);
