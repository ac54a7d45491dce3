/**
 * Tracks the disclosure that is still to be said, and records the proof that it was said: words, language and
 * position in the call's audio. The proof is noted when the last sample was played. If the disclosure was cut
 * (hang-up, a machine's beep), it must be said again before the next words.
 */

import type { Clock } from "../../core/clock.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import type { CallEvent } from "../call-protocol.ts";
import type { Transcript } from "../transcript.ts";

export class DisclosureProof {
  #saying: { readonly text: string; readonly language: AgentLanguage } | null = null;
  #beganAt: number | null = null;
  #owed: string;

  constructor(
    private readonly disclosure: string,
    private readonly clock: Clock,
    private readonly transcript: Transcript,
    private readonly emit: (message: CallEvent) => void,
  ) {
    this.#owed = disclosure;
  }

  /** Text that must be said before any other word; empty: nothing. */
  get owed(): string {
    return this.#owed;
  }

  /** Starts tracking a disclosure with these words. */
  saying(text: string, language: AgentLanguage): void {
    this.#owed = "";
    this.#saying = { text, language };
  }

  /** Called after each frame with the heard share of the disclosure, 0 to 1. */
  follow(share: number | null): void {
    if (!this.#saying || share === null || share <= 0) return;
    this.#beganAt ??= this.clock.monotonic();
    if (share >= 1) this.#note(true);
  }

  /** The disclosure was interrupted, so it must be said again. */
  cut(): void {
    if (!this.#saying) return;
    this.#note(false);
    this.#saying = null;
    this.#beganAt = null;
    this.#owed = this.disclosure;
  }

  #note(heard: boolean): void {
    if (!this.#saying || this.#beganAt === null) return;
    const atMs = this.transcript.sinceAnswer(this.#beganAt);
    const endMs = this.transcript.sinceAnswer(this.clock.monotonic());
    const note = { kind: "disclosure", atMs, endMs, heard, ...this.#saying } as const;
    this.emit({ type: "note", note });
    this.#saying = null;
  }
}
