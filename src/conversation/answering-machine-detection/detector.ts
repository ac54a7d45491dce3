/**
 * Answering machine detection (AMD) for outbound calls: human, machine or unknown. It uses the length of the
 * greeting, the silence after it, the beep, and the recognised words. It is driven by frames and words in
 * audio time, so the same audio always gives the same result.
 *
 * A human says a short greeting and waits: the result comes `afterGreetingMs` (600 ms) after the last word. A
 * greeting of medium length waits for its words, for at most `wordsWaitMs`. If nobody speaks for `silenceMs`,
 * the result is unknown and the agent begins. A machine keeps talking, asks for a message, or beeps. A
 * machine result is final. If a person's words came first, only a request to record together with a beep
 * makes it a machine. A person who was assumed because no words came is a guess: for `guessMs` a beep alone
 * makes it a machine.
 */
import { FRAME_MS } from "../limits.ts";
import { type Beep, BeepDetector } from "./beep-detector.ts";
import { greetingKindOf } from "./greeting-words.ts";

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

/** State of the speech detector and recogniser at the current frame. */
export interface SpeechSoFar {
  /** True during an utterance. */
  readonly active: boolean;
  /** Voiced milliseconds of the current utterance. */
  readonly speechMs: number;
  /** Milliseconds since the last voiced frame of the utterance. */
  readonly silentMs: number;
  /** Stable words of the utterance so far. */
  readonly partial: string;
}

export const ANSWERING = {
  /** Silence after a human's greeting, while the human waits for an answer. */
  afterGreetingMs: 600,
  /** A greeting up to this length counts as human without its words. */
  shortGreetingMsMax: 900,
  /** Maximum voiced length of a human greeting, company names included. */
  humanGreetingMsMax: 4_200,
  /** Maximum wait for the text of a medium greeting. */
  wordsWaitMs: 700,
  /** Silence after which the agent begins. */
  silenceMs: 2_000,
  /** Time limit for a decision: music, noise, or an interrupted greeting. */
  decisionMsMax: 10_000,
  /** Beeps and words are evaluated until this time. */
  watchMs: 30_000,
  /** Maximum time from a beep to the recognised request to record, to count as one machine. */
  requestAfterBeepMs: 5_000,
  /** A machine beeps within this time after its greeting. */
  guessMs: 5_000,
} as const;

export class AnsweringMachineDetector {
  readonly #tones: BeepDetector;
  #result: AnsweringResult | null = null;
  #elapsedMs = 0;
  #spokeMs = 0;
  /** Milliseconds of silence since the answer or the last tone. */
  #quietMs = 0;
  #waitingForWordsMs: number | null = null;
  #beep: Beep | null = null;
  #beepedAtMs = Number.NEGATIVE_INFINITY;
  /** True once the first utterance is recognised. Later utterances alone do not decide. */
  #isFirstOver = false;
  #isAskedToRecord = false;
  /** A person was assumed, because no words of the greeting came. */
  #guessedAtMs = Number.NEGATIVE_INFINITY;
  /** Call screening: a service asks who is calling. The detector waits until it has finished. */
  #screened = false;

  constructor(
    sampleRateHz: number,
    private readonly onResult: (result: AnsweringResult) => void,
    /** Called when a detected machine is ready to record. */
    private readonly onBeep: (beep: Beep) => void,
  ) {
    this.#tones = new BeepDetector(sampleRateHz);
  }

  get result(): AnsweringResult | null {
    return this.#result;
  }

  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  get beep(): Beep | null {
    return this.#beep;
  }

  get watching(): boolean {
    return this.#elapsedMs < ANSWERING.watchMs;
  }

  /** Processes one 20 ms frame. */
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
        this.#guessedAtMs = this.#elapsedMs;
        this.#decide({ result: "human", cause: "short_greeting" });
      }
      return;
    }
    if (speech.active) this.#speaking(speech);
    else if (this.#spokeMs === 0 && this.#quietMs >= ANSWERING.silenceMs)
      this.#decide({ result: "unknown", cause: "silence" });
  }

  /** Called at the end of each utterance of the far end. Noise that was not speech does not count. */
  utteranceEnded(speechMs: number): void {
    this.#spokeMs += speechMs;
    if (this.#result) return;
    if (this.#screened) this.#decide({ result: "unknown", cause: "call_screening" });
    else if (this.#spokeMs <= ANSWERING.shortGreetingMsMax)
      this.#decide({ result: "human", cause: "short_greeting" });
    else this.#waitingForWordsMs = 0;
  }

  /** Evaluates recognised words. `final`: the utterance is over. */
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
    const isGuess = this.#elapsedMs - this.#guessedAtMs <= ANSWERING.guessMs;
    const isPerson = this.#isFirstOver || (this.#result?.result === "human" && !isGuess);
    const isMachine = this.#result?.result === "machine";
    if (isMachine || !isPerson || this.#isAskedToRecord) this.#unmask(beep);
  }

  #unmask(beep: Beep): void {
    this.#decide({ result: "machine", cause: "beep" });
    this.onBeep(beep);
  }

  /** Keeps the first result, unless the far end later proves to be a machine. */
  #decide(result: AnsweringResult): void {
    const first = this.#result === null;
    const unmasked = result.result === "machine" && this.#result?.result !== "machine";
    if (!first && !unmasked) return;
    this.#waitingForWordsMs = null;
    this.#result = result;
    this.onResult(result);
  }
}
