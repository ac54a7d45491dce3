/**
 * Who answered an outbound call: a human, a machine, or nobody can tell. Judges by how long the
 * greeting is, the silence after it, the beep, and its words. Pure: driven by frames and words in
 * audio time, so that it gives the same answer for the same audio.
 *
 * A human says a short greeting and waits: known `afterGreetingMs` (600 ms) after the last word.
 * Greetings of medium length wait for their words, `wordsWaitMs` at most. Nobody says anything for
 * `silenceMs`: unknown, and the agent begins. A machine talks on, asks for a message, or beeps. A machine
 * stays one. After a first utterance that was a person's, only both together make a machine: a request to
 * record, and a beep.
 */
import { FRAME_MS } from "../limits.ts";
import { greetingKindOf } from "./greeting-words.ts";
import { type Beep, ToneFinder } from "./tone-finder.ts";

export type AnsweredBy = "human" | "machine" | "unknown";

export interface AnsweringResult {
  readonly result: AnsweredBy;
  readonly cause:
    | "short_greeting"
    | "greeting_words"
    | "long_greeting"
    | "beep"
    | "call_screening"
    | "silence";
}

/** The conversation's hearing in this frame. */
export interface SpeechSoFar {
  /** An utterance is running. */
  readonly active: boolean;
  /** Voiced milliseconds of it. */
  readonly speechMs: number;
  /** Milliseconds since its last voiced frame. */
  readonly silentMs: number;
  /** Its stable words so far. */
  readonly partial: string;
}

export const ANSWERING = {
  /** Silence after a greeting that a human leaves for us to speak. */
  afterGreetingMs: 600,
  /** No words of a human's "hello" need to be understood. */
  shortGreetingMsMax: 900,
  /** Voiced; people who answer for a company say their sentence in this time. */
  humanGreetingMsMax: 4_200,
  /** For the recogniser's text of a medium greeting. */
  wordsWaitMs: 700,
  /** Nobody speaks: the agent begins. */
  silenceMs: 2_000,
  /** Nothing else decided: music, noise, a greeting in pieces. */
  decisionMsMax: 10_000,
  /** Beeps and words count until here. */
  watchMs: 30_000,
  /** A machine's beep comes before the recogniser's text of its request: both belong together for this time. */
  requestAfterBeepMs: 5_000,
} as const;

export class AnsweringDetection {
  readonly #tones: ToneFinder;
  #result: AnsweringResult | null = null;
  #elapsedMs = 0;
  #spokeMs = 0;
  /** Since the answer, or since the last tone. */
  #quietMs = 0;
  #waitingForWordsMs: number | null = null;
  #beep: Beep | null = null;
  #beepedAtMs = Number.NEGATIVE_INFINITY;
  /** The words of the first utterance are known: later ones do not decide alone. */
  #isFirstOver = false;
  #isAskedToRecord = false;
  /** Somebody asks who is calling; they are let finish. */
  #screened = false;

  constructor(
    sampleRateHz: number,
    private readonly onResult: (result: AnsweringResult) => void,
    /** After a machine was recognised: it is ready to record. */
    private readonly onBeep: (beep: Beep) => void,
  ) {
    this.#tones = new ToneFinder(sampleRateHz);
  }

  get result(): AnsweringResult | null {
    return this.#result;
  }

  /** Milliseconds since the answer. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  get beep(): Beep | null {
    return this.#beep;
  }

  get watching(): boolean {
    return this.#elapsedMs < ANSWERING.watchMs;
  }

  /** One 20 ms frame. */
  frame(pcm: Int16Array, speech: SpeechSoFar): void {
    if (!this.watching) return;
    this.#elapsedMs += FRAME_MS;
    if (!this.#result && this.#elapsedMs >= ANSWERING.decisionMsMax)
      this.#decide({ result: "unknown", cause: "silence" });
    const beep = this.#tones.frame(pcm);
    if (beep) this.#beeped(beep);
    this.#quietMs = this.#tones.sounding ? 0 : this.#quietMs + FRAME_MS;
    if (this.#result) return;
    if (this.#waitingForWordsMs !== null) {
      this.#waitingForWordsMs += FRAME_MS;
      if (this.#waitingForWordsMs >= ANSWERING.wordsWaitMs) {
        this.#decide({ result: "human", cause: "short_greeting" });
      }
      return;
    }
    if (speech.active) this.#speaking(speech);
    else if (this.#spokeMs === 0 && this.#quietMs >= ANSWERING.silenceMs)
      this.#decide({ result: "unknown", cause: "silence" });
  }

  /** An utterance of the far end is over. A sound that was no speech is none. */
  utteranceEnded(speechMs: number): void {
    this.#spokeMs += speechMs;
    if (this.#result) return;
    if (this.#screened) this.#decide({ result: "unknown", cause: "call_screening" });
    else if (this.#spokeMs <= ANSWERING.shortGreetingMsMax)
      this.#decide({ result: "human", cause: "short_greeting" });
    else this.#waitingForWordsMs = 0;
  }

  /** Words, stable or final. `final`: of an utterance that is over. */
  words(text: string, final: boolean): void {
    if (!this.watching) return;
    const greetingKind = greetingKindOf(text);
    const isFirst = !this.#isFirstOver;
    if (final) this.#isFirstOver = true;
    if (greetingKind === "machine" && !isFirst) this.#askedToRecord();
    else if (greetingKind === "machine")
      this.#decide({ result: "machine", cause: "greeting_words" });
    else if (greetingKind === "screening" && !final) this.#screened = true;
    else if (greetingKind === "screening")
      this.#decide({ result: "unknown", cause: "call_screening" });
    else if (final && this.#waitingForWordsMs !== null)
      this.#decide({ result: "human", cause: "short_greeting" });
  }

  #speaking({ speechMs, partial }: SpeechSoFar): void {
    if (partial !== "") this.words(partial, false);
    if (this.#result || this.#screened) return;
    if (this.#spokeMs + speechMs > ANSWERING.humanGreetingMsMax)
      this.#decide({ result: "machine", cause: "long_greeting" });
  }

  #askedToRecord(): void {
    this.#isAskedToRecord = true;
    const isBeepRecent = this.#elapsedMs - this.#beepedAtMs <= ANSWERING.requestAfterBeepMs;
    if (this.#beep && isBeepRecent) this.#unmask(this.#beep);
  }

  #beeped(beep: Beep): void {
    this.#beep = beep;
    this.#beepedAtMs = this.#elapsedMs;
    const isPerson = this.#result?.result === "human" || this.#isFirstOver;
    const isMachine = this.#result?.result === "machine";
    if (isMachine || !isPerson || this.#isAskedToRecord) this.#unmask(beep);
  }

  #unmask(beep: Beep): void {
    this.#decide({ result: "machine", cause: "beep" });
    this.onBeep(beep);
  }

  /** The first result stands, unless a machine gives itself away later. */
  #decide(result: AnsweringResult): void {
    const first = this.#result === null;
    const unmasked = result.result === "machine" && this.#result?.result !== "machine";
    if (!first && !unmasked) return;
    this.#waitingForWordsMs = null;
    this.#result = result;
    this.onResult(result);
  }
}
