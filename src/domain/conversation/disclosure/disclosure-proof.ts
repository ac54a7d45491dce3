/**
 * What is still to be disclosed, and the proof that it was said: its words, its language, and where in
 * the call's audio they are. Noted when its last sample was played, or when it was cut (the line went, a
 * machine beeped): then it is owed again, and said before the next words.
 */

import type { Clock } from "../../../core/clock.ts";
import type { AgentLanguage } from "../../agent/agent.ts";
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

  /** What must be said before any other word; empty: nothing, or it was. */
  get owed(): string {
    return this.#owed;
  }

  /** It is about to be said, in these words. */
  saying(text: string, language: AgentLanguage): void {
    this.#owed = "";
    this.#saying = { text, language };
  }

  /** After each frame: 0 to 1 of it was heard. */
  follow(share: number | null): void {
    if (!this.#saying || share === null || share <= 0) return;
    this.#beganAt ??= this.clock.monotonic();
    if (share >= 1) this.#note(true);
  }

  /** Nothing more of it will be heard. */
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
