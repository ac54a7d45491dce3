/**
 * The transcriber's reading of a caller's utterances: asked for at the first silence, so that it is there when
 * the utterance is over, and waited for only as long as whoever listens allows.
 */
import type { Clock } from "../../../../core/clock.ts";
import type { Transcript } from "./transcriber/messages.ts";
import type { Transcriber, Transcription } from "./transcriber/transcriber.ts";

/** `skipped`: there was no time to begin it; `late`: nobody waited for it any more. */
export type ReadingOutcome = "read" | "skipped" | "late" | "failed";

export class SecondReading {
  #chunks: Int16Array[] = [];
  #begun: Transcription | null = null;

  constructor(
    private readonly transcriber: Transcriber,
    private readonly clock: Clock,
    private readonly sampleRateHz: 8000 | 16000,
    /** After the first reading. */
    private readonly lateMsMax: number,
    /** Of each utterance that was waited for. */
    private readonly onOutcome: (outcome: ReadingOutcome) => void = () => {},
  ) {
    transcriber.load();
  }

  start(): void {
    this.drop();
    this.#chunks = [];
  }

  push(pcm: Int16Array): void {
    this.#chunks.push(pcm.slice());
  }

  /** Of what was said so far. */
  begin(): void {
    if (this.#begun !== null) return;
    const pcm = new Int16Array(this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    let at = 0;
    for (const chunk of this.#chunks) {
      pcm.set(chunk, at);
      at += chunk.length;
    }
    this.#begun = this.transcriber.transcribe(pcm, this.sampleRateHz, this.lateMsMax);
  }

  /** What was begun counts no more. */
  drop(): void {
    this.#begun?.drop();
    this.#begun = null;
  }

  /** Ends the utterance. */
  take(): { inTime(): Promise<Transcript | null> } {
    this.begin();
    const begun = this.#begun;
    this.#begun = null;
    return { inTime: async () => (begun === null ? null : this.#inTime(begun)) };
  }

  async #inTime(begun: Transcription): Promise<Transcript | null> {
    let without: ReadingOutcome = begun.isSkipped ? "skipped" : "failed";
    const timer = this.clock.after(this.lateMsMax, () => {
      without = "late";
      begun.drop();
    });
    try {
      const transcript = await begun.result;
      this.onOutcome(transcript === null ? without : "read");
      return transcript;
    } finally {
      timer.cancel();
    }
  }
}
