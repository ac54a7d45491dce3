/**
 * Notices an agent that means to speak and has no audio: a slow recogniser, model or voice; and says
 * something meanwhile. Counts in frames, so that it needs no timer; the first phrase is due after
 * `neverSilentMs`, each further one after `fillerDelayMs`, or callers would hear nothing but "one
 * moment".
 */
import type { ConversationSettings } from "../worker/messages.ts";
import type { AgentSpeech } from "./agent-speech.ts";
import { FRAME_MS } from "./limits.ts";
import type { Tongue } from "./tongue.ts";

interface NeverSilentOptions {
  readonly settings: Pick<ConversationSettings, "neverSilentMs" | "fillerDelayMs">;
  readonly speech: AgentSpeech;
  readonly tongue: Tongue;
  readonly say: (text: string) => void;
}

export class NeverSilent {
  #silentMs = 0;
  #said = 0;

  constructor(private readonly options: NeverSilentOptions) {}

  /**
   * One frame. `wanted`: the agent has the word; `heard`: something of it is playing, or others see
   * to the silence.
   */
  follow({ wanted, heard }: { readonly wanted: boolean; readonly heard: boolean }): void {
    if (!wanted) this.#said = 0;
    if (!wanted || heard) {
      this.#silentMs = 0;
      return;
    }
    this.#silentMs += FRAME_MS;
    const { neverSilentMs, fillerDelayMs } = this.options.settings;
    const againMs = Math.max(neverSilentMs, fillerDelayMs);
    if (this.#silentMs < (this.#said === 0 ? neverSilentMs : againMs)) return;
    this.#silentMs = 0;
    this.#said++;
    this.#break();
  }

  #break(): void {
    const { speech, tongue, say } = this.options;
    const phrase = speech.hasSpoken ? tongue.fillers.next() : tongue.phrases.hush;
    if (!speech.hasWords) say(phrase);
    else if (speech.disclosureShare !== 0) speech.interject(phrase);
  }
}
