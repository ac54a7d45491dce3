/**
 * Rules for when the caller may interrupt the agent (barge-in).
 *
 * An interruption needs enough speech (`bargeInMs`), or two words beyond "mhm, yes". Before any word is
 * known, the sound may be a listener's "okay" or "mhm" (400 to 640 ms), so the agent continues for
 * `LISTENER_MS_MAX`. Shorter speech is judged by its words afterwards. A continuing "mhm" interrupts after a
 * full second. The agent's echo never interrupts (echo.ts).
 */
import type { AgentLanguage } from "../../features/agent/agent.ts";
import type { ConversationSettings } from "../conversation-settings.ts";
import { claimsTurn, isBackChannel, wordsOf } from "../words.ts";

const BACK_CHANNEL_MS_MAX = 1_000;
/** A listener's one or two words take at most this long. */
const LISTENER_MS_MAX = 650;

interface CallerSpeech {
  /** Milliseconds of the running utterance up to its last loud frame, without pauses. */
  readonly speechMs: number;
  /** Latest stable words; empty if none are known yet. */
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

/** True if no word is known yet and the speech may be a listener's. */
export function mayBeListening({ partial, speechMs }: CallerSpeech): boolean {
  return partial === "" && speechMs < LISTENER_MS_MAX;
}

/** True if an utterance that did not interrupt the agent was meant to. */
export function takesTurn(
  settings: ConversationSettings,
  language: AgentLanguage,
  { partial: text, speechMs }: CallerSpeech,
): boolean {
  if (text === "" || isBackChannel(text, language)) return false;
  if (claimsTurn(text, language) || speechMs >= settings.bargeInMs) return true;
  return wordsOf(text).length >= settings.bargeInWords;
}
