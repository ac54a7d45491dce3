/**
 * When the caller may cut the agent short.
 *
 * On real speech only: enough of it (`bargeInMs`), or two words that are more than "mhm, yes". While
 * not a word of it is known, it may be a listener's, and the agent goes on for `LISTENER_MS_MAX`:
 * "okay" and "mhm" take 400 to 640 ms. What was shorter is judged by its words afterwards. A
 * listener's "mhm" that goes on needs a full second; the agent's own echo never interrupts (echo.ts).
 */
import type { AgentLanguage } from "../../agent/agent.ts";
import type { ConversationSettings } from "../conversation-settings.ts";
import { claimsTurn, isBackChannel, wordsOf } from "../words.ts";

const BACK_CHANNEL_MS_MAX = 1_000;
/** A listener's word, or two of them, is over by then. */
const LISTENER_MS_MAX = 650;

interface CallerSpeech {
  /** Of the running utterance: milliseconds to the last loud frame, pauses left out. */
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

/** Not a word is known, and it may turn out to be one of a listener's. */
export function mayBeListening({ partial, speechMs }: CallerSpeech): boolean {
  return partial === "" && speechMs < LISTENER_MS_MAX;
}

/** The words of an utterance that did not cut the agent short: were they meant to? */
export function takesTurn(
  settings: ConversationSettings,
  language: AgentLanguage,
  { partial: text, speechMs }: CallerSpeech,
): boolean {
  if (text === "" || isBackChannel(text, language)) return false;
  if (claimsTurn(text, language) || speechMs >= settings.bargeInMs) return true;
  return wordsOf(text).length >= settings.bargeInWords;
}
