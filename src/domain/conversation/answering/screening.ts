/**
 * The first half minute of an outbound call: acts on who answered (answering-detection.ts). A human
 * is greeted, with the contact's name where one is known; whoever is unknown or screens the call
 * hears the agent's general greeting; a machine gets the agent's message after its beep, or nothing.
 *
 * Guarantees: the named greeting is never spoken before a human was told apart, a message is spoken
 * once, and `BEEP_WAIT_MS_MAX` after a machine was recognised at the latest. turn-controller.ts
 * decides who has the word.
 */

import type { CallNote } from "../call-report.ts";
import { FRAME_MS } from "../limits.ts";
import {
  type AnsweredBy,
  AnsweringDetection,
  type AnsweringResult,
  type SpeechSoFar,
} from "./answering-detection.ts";

const BEEP_WAIT_MS_MAX = 25_000;
/** A machine that falls silent for so long has no beep that we would hear. */
const SILENT_MACHINE_MS = 5_000;

interface ScreeningEffects {
  /** Somebody answers: the conversation may begin. */
  human(known: { readonly byName: boolean }): void;
  /** A machine answers; the agent must fall silent. */
  machine(): void;
  /** The machine records: say the message and hang up. */
  leaveMessage(): void;
  hangUp(): void;
  note(note: CallNote): void;
}

interface ScreeningOptions {
  readonly sampleRateHz: number;
  readonly voicemailAction: "leave_message" | "hangup";
  readonly effects: ScreeningEffects;
}

type Phase =
  | { readonly name: "judging" }
  /** Somebody was greeted; it may still turn out to be a machine. */
  | { readonly name: "watching" }
  | { readonly name: "awaiting_beep" }
  | { readonly name: "over" };

export class Screening {
  readonly #detection: AnsweringDetection;
  #phase: Phase = { name: "judging" };
  #waitedMs = 0;
  #silentMs = 0;

  constructor(private readonly options: ScreeningOptions) {
    this.#detection = new AnsweringDetection(
      options.sampleRateHz,
      (detected) => this.#judged(detected),
      () => this.#beeped(),
    );
  }

  get answeredBy(): AnsweredBy {
    return this.#detection.result?.result ?? "unknown";
  }

  frame(pcm: Int16Array, speech: SpeechSoFar): void {
    if (this.#phase.name === "over") return;
    this.#detection.frame(pcm, speech);
    if (this.#phase.name === "awaiting_beep") this.#awaitBeep(speech);
    else if (this.#phase.name === "watching" && !this.#detection.watching)
      this.#phase = { name: "over" };
  }

  utteranceEnded(speechMs: number): void {
    if (this.#phase.name === "judging") this.#detection.utteranceEnded(speechMs);
  }

  /** Final words of an utterance. */
  words(text: string): void {
    if (this.#phase.name !== "over") this.#detection.words(text, true);
  }

  /** A transfer begins: who answered is asked no further. */
  stop(): void {
    if (this.#phase.name === "judging") this.#note({ result: "unknown", cause: "transfer" });
    this.#phase = { name: "over" };
  }

  #judged(detected: AnsweringResult): void {
    const { effects, voicemailAction } = this.options;
    this.#note(detected);
    if (detected.result !== "machine") {
      this.#phase = { name: "watching" };
      effects.human({ byName: detected.result === "human" });
      return;
    }
    effects.machine();
    if (voicemailAction === "hangup") {
      this.#phase = { name: "over" };
      effects.hangUp();
    } else {
      this.#phase = { name: "awaiting_beep" };
    }
  }

  #note(judged: { readonly result: AnsweredBy; readonly cause: string }): void {
    this.options.effects.note({ kind: "answered_by", atMs: this.#detection.elapsedMs, ...judged });
  }

  #beeped(): void {
    if (this.#phase.name === "awaiting_beep") this.#leaveMessage();
  }

  #awaitBeep({ active, silentMs }: SpeechSoFar): void {
    this.#waitedMs += FRAME_MS;
    this.#silentMs = active && silentMs === 0 ? 0 : this.#silentMs + FRAME_MS;
    const enough = this.#waitedMs >= BEEP_WAIT_MS_MAX || this.#silentMs >= SILENT_MACHINE_MS;
    if (enough) this.#leaveMessage();
  }

  #leaveMessage(): void {
    this.#phase = { name: "over" };
    this.options.effects.leaveMessage();
  }
}
