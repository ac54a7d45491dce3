/**
 * Notices an agent that means to speak and has no audio: a slow recogniser, model or voice. Counts
 * in frames, so that it needs no timer; the first phrase is due after `neverSilentMs`, each further
 * one after `fillerDelayMs`, or callers would hear nothing but "one moment".
 */
import type { ConversationSettings } from "../worker/messages.ts";
import { FRAME_MS } from "./limits.ts";

export class NeverSilent {
  #silentMs = 0;
  #said = 0;

  constructor(
    private readonly settings: Pick<ConversationSettings, "neverSilentMs" | "fillerDelayMs">,
  ) {}

  /** The agent's turn is over, or somebody else has the word: nothing is missing. */
  rest(): void {
    this.#silentMs = 0;
    this.#said = 0;
  }

  /** Something of the agent was played in this frame. */
  heard(): void {
    this.#silentMs = 0;
  }

  /** A frame of unwanted silence; true when something is to be said now. */
  silentFrame(): boolean {
    this.#silentMs += FRAME_MS;
    const { neverSilentMs, fillerDelayMs } = this.settings;
    const againMs = Math.max(neverSilentMs, fillerDelayMs);
    if (this.#silentMs < (this.#said === 0 ? neverSilentMs : againMs)) return false;
    this.#silentMs = 0;
    this.#said++;
    return true;
  }
}
