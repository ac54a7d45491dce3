/**
 * The first 30 seconds of an outbound call: acts on the result of detector.ts. A human hears the
 * greeting, with the contact's name if it is known. An unknown party or a screening service hears the general
 * greeting. A machine gets the agent's message after its beep, or nothing.
 *
 * Guarantees: the greeting with a name is spoken only after a human was detected. A message is spoken once,
 * within `BEEP_WAIT_MS_MAX` after a machine was detected. turn-controller.ts decides who speaks.
 */

import type { CallNote } from "../call-report.ts";
import { FRAME_MS } from "../limits.ts";
import {
  type AnsweredBy,
  AnsweringMachineDetector,
  type AnsweringResult,
  type SpeechSoFar,
} from "./detector.ts";

const BEEP_WAIT_MS_MAX = 25_000;
/** A machine that is silent for this time has no detectable beep. */
const SILENT_MACHINE_MS = 5_000;

interface ScreeningEffects {
  /** A person or an unknown party answered: the conversation begins. */
  human(known: { readonly byName: boolean }): void;
  /** A machine answered; the agent must stop speaking. */
  machine(): void;
  /** The machine is recording: say the message and hang up. */
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
  /** The greeting was spoken, but the party may still prove to be a machine. */
  | { readonly name: "watching" }
  | { readonly name: "awaiting_beep" }
  | { readonly name: "over" };

export class Screening {
  readonly #detection: AnsweringMachineDetector;
  #phase: Phase = { name: "judging" };
  #waitedMs = 0;
  #silentMs = 0;

  constructor(private readonly options: ScreeningOptions) {
    this.#detection = new AnsweringMachineDetector(
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

  /** Evaluates the final words of an utterance. */
  words(text: string): void {
    if (this.#phase.name !== "over") this.#detection.words(text, true);
  }

  /** Stops the detection when a transfer begins. */
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
