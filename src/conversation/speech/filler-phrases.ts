/**
 * Plays a phrase while a slow recogniser, model or voice leaves the caller in silence. It counts frames, so
 * it needs no timer. The first phrase comes after `neverSilentMs`. Later ones come after `fillerDelayMs`
 * each, or the caller would hear only "one moment".
 */

import type { ConversationSettings } from "../conversation-settings.ts";
import { FRAME_MS } from "../limits.ts";
import type { ActiveLanguage } from "./active-language.ts";
import type { AgentSpeech } from "./agent-speech.ts";

interface FillerPhrasesOptions {
  readonly settings: Pick<ConversationSettings, "neverSilentMs" | "fillerDelayMs">;
  readonly speech: AgentSpeech;
  readonly activeLanguage: ActiveLanguage;
  readonly say: (text: string) => void;
}

export class FillerPhrases {
  #silentMs = 0;
  #prompts = 0;

  constructor(private readonly options: FillerPhrasesOptions) {}

  /**
   * Processes one frame. `hasTurn`: the agent is to speak. `isAudible`: audio is playing, or other code
   * handles the silence.
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
