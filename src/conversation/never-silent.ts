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

  /**
   * One frame. `wanted`: the agent has the word; `heard`: something of it is playing, or others see
   * to the silence. True when something is to be said now.
   */
  follow({ wanted, heard }: { readonly wanted: boolean; readonly heard: boolean }): boolean {
    if (!wanted) this.#said = 0;
    if (!wanted || heard) {
      this.#silentMs = 0;
      return false;
    }
    this.#silentMs += FRAME_MS;
    const { neverSilentMs, fillerDelayMs } = this.settings;
    const againMs = Math.max(neverSilentMs, fillerDelayMs);
    if (this.#silentMs < (this.#said === 0 ? neverSilentMs : againMs)) return false;
    this.#silentMs = 0;
    this.#said++;
    return true;
  }
}
