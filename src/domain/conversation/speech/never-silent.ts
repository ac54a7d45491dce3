/**
 * Notices an agent that means to speak and has no audio: a slow recogniser, model or voice; and says
 * something meanwhile. Counts in frames, so that it needs no timer; the first phrase is due after
 * `neverSilentMs`, each further one after `fillerDelayMs`, or callers would hear nothing but "one
 * moment".
 */

import type { ConversationSettings } from "../conversation-settings.ts";
import { FRAME_MS } from "../limits.ts";
import type { ActiveLanguage } from "./active-language.ts";
import type { AgentSpeech } from "./agent-speech.ts";

interface NeverSilentOptions {
  readonly settings: Pick<ConversationSettings, "neverSilentMs" | "fillerDelayMs">;
  readonly speech: AgentSpeech;
  readonly activeLanguage: ActiveLanguage;
  readonly say: (text: string) => void;
}

export class NeverSilent {
  #silentMs = 0;
  #prompts = 0;

  constructor(private readonly options: NeverSilentOptions) {}

  /**
   * One frame. `wanted`: the agent has the word; `heard`: something of it is playing, or others see
   * to the silence.
   */
  follow({ hasTurn, isAudible }: { readonly hasTurn: boolean; readonly isAudible: boolean }): void {
    if (!hasTurn) this.#prompts = 0;
    if (!hasTurn || isAudible) {
      this.#silentMs = 0;
      return;
    }
    this.#silentMs += FRAME_MS;
    const { neverSilentMs, fillerDelayMs } = this.options.settings;
    const againMs = Math.max(neverSilentMs, fillerDelayMs);
    if (this.#silentMs < (this.#prompts === 0 ? neverSilentMs : againMs)) return;
    this.#silentMs = 0;
    this.#prompts++;
    this.#break();
  }

  #break(): void {
    const { speech, activeLanguage, say } = this.options;
    const phrase = speech.hasSpoken
      ? activeLanguage.fillers.next()
      : activeLanguage.phrases.pleaseWait;
    if (!speech.hasWords) say(phrase);
    else if (speech.disclosureShare !== 0) speech.interject(phrase);
  }
}
