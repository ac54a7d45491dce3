/**
 * When the caller may cut the agent short.
 *
 * On real speech only: enough of it (`bargeInMs`), or two words that are more than "mhm, yes".
 * A listener's "mhm" needs a full second; the agent's own echo never interrupts (see echo.ts).
 */
import type { AgentLanguage } from "../agent/agent.ts";
import type { ConversationSettings } from "../worker/messages.ts";
import { isBackChannel, wordsOf } from "./words.ts";

const BACK_CHANNEL_MS_MAX = 1_000;

export interface CallerSpeech {
  /** Voiced milliseconds of the running utterance. */
  readonly speechMs: number;
  /** Latest stable words; empty when there are none yet. */
  readonly partial: string;
}

export function cutsIn(
  settings: ConversationSettings,
  language: AgentLanguage,
  speech: CallerSpeech,
): boolean {
  if (isBackChannel(speech.partial, language)) return speech.speechMs >= BACK_CHANNEL_MS_MAX;
  if (speech.speechMs >= settings.bargeInMs) return true;
  return wordsOf(speech.partial).length >= settings.bargeInWords;
}
