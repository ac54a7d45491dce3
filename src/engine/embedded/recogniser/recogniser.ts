/**
 * Recognises the English of one speech worker's callers. An utterance is collected while it is
 * spoken. It is read when silence begins, and again if the caller continued. The text may take at
 * most 8 s after the end of the utterance, or 14 s while the model is loaded: later, no caller waits
 * for it. Then the result is empty, and the agent offers keys.
 */

import type { SttResult } from "../../../conversation/engine-port.ts";
import type { Clock } from "../../../core/clock.ts";
import type { Transcript } from "./messages.ts";
import type { Transcriber, Transcription } from "./transcriber.ts";

interface RecogniserOptions {
  readonly clock: Clock;
  readonly transcriber: Transcriber;
  /** `waited`: the text came later than a caller finds natural. `lost`: it timed out. */
  readonly onLoad?: (event: "waited" | "lost") => void;
}

interface SttStreamOptions {
  readonly sampleRateHz: 8000 | 16000;
  /** Called with the words of the utterance so far. */
  readonly onPartial: (text: string) => void;
}

const UTTERANCE_MS_MAX = 30_000;
/** Counts from the end of the utterance, but not before the model is loaded. */
const RESULT_MS_MAX = 8_000;
/** Counts from the end of the utterance. Loading begins with the call, so the greeting covers most of it. */
const WAIT_MS_MAX = 14_000;
const WAITED_MS = 1_000;
const NOT_UNDERSTOOD: Transcript = { text: "", confidence: 0 };

/** STT stream of one caller. Has at most one utterance at a time. */
export class CallerSttStream {
  #chunks: Int16Array[] = [];
  #samples = 0;
  #isRunning = false;
  #begun: Transcription | null = null;
  /** Ended utterances without text yet. */
  readonly #ended = new Set<Transcription>();

  constructor(
    private readonly options: SttStreamOptions,
    private readonly shared: RecogniserOptions,
  ) {}

  startUtterance(lead: Int16Array): void {
    this.discard();
    this.#isRunning = true;
    this.push(lead);
  }

  push(pcm: Int16Array): void {
    const most = (UTTERANCE_MS_MAX / 1_000) * this.options.sampleRateHz;
    if (!this.#isRunning || this.#samples >= most) return;
    this.#chunks.push(pcm.slice(0, most - this.#samples));
    this.#samples += pcm.length;
  }

  /** Starts to read the utterance, in case the caller has finished. */
  recogniseEarly(): void {
    if (!this.#isRunning || this.#begun !== null) return;
    const begun = this.#begin();
    void begun.result.then((transcript) => {
      const isCurrent = this.#begun === begun || this.#ended.has(begun);
      if (isCurrent && transcript !== null && transcript.text !== "")
        this.options.onPartial(transcript.text);
    });
  }

  #begin(): Transcription {
    const pcm = new Int16Array(this.#chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of this.#chunks) {
      pcm.set(chunk, at);
      at += chunk.length;
    }
    this.#begun = this.shared.transcriber.transcribe(pcm, this.options.sampleRateHz);
    return this.#begun;
  }

  /** The caller continued, so the early reading is useless. */
  dropEarly(): void {
    this.#begun?.drop();
    this.#begun = null;
  }

  async finalize(): Promise<SttResult> {
    const audioMs = Math.round((this.#samples / this.options.sampleRateHz) * 1_000);
    if (!this.#isRunning) return { ...NOT_UNDERSTOOD, audioMs };
    const begun = this.#begun ?? this.#begin();
    this.#begun = null;
    this.#clear();
    this.#ended.add(begun);
    const { clock, onLoad, transcriber } = this.shared;
    const lost = () => {
      onLoad?.("lost");
      begun.drop();
    };
    const limits = [clock.after(WAIT_MS_MAX, lost)];
    transcriber.afterLoading(() => {
      if (!this.#ended.has(begun)) return;
      limits.push(clock.after(WAITED_MS, () => onLoad?.("waited")));
      limits.push(clock.after(RESULT_MS_MAX, lost));
    });
    try {
      return { ...((await begun.result) ?? NOT_UNDERSTOOD), audioMs };
    } finally {
      for (const limit of limits) limit.cancel();
      this.#ended.delete(begun);
    }
  }

  discard(): void {
    this.dropEarly();
    this.#clear();
  }

  #clear(): void {
    this.#isRunning = false;
    this.#chunks = [];
    this.#samples = 0;
  }

  close(): void {
    this.discard();
    for (const ended of this.#ended) ended.drop();
  }
}
