/**
 * Length of the silence that ends the caller's turn.
 *
 * It is short after a complete sentence, longer after "I would like to …" or if no words are known yet, and
 * longest while digits or a name are dictated (people pause between groups).
 */
import type { AgentLanguage } from "../../features/agent/agent.ts";
import type { ConversationSettings } from "../conversation-settings.ts";
import type { ExpectedAnswer } from "../engine-port.ts";
import { isDictating, soundsFinished } from "../words.ts";

interface UtteranceSoFar {
  readonly expected: ExpectedAnswer;
  /** Latest stable words, or the early result of an STT without partials. */
  readonly partial: string;
  /** True if the engine's STT reports words before the end. */
  readonly sttReportsPartials: boolean;
  /** True if the agent asked for dictation: a number, a name or an address. */
  readonly askedForDictation?: boolean;
}

export function endpointingSilenceMs(
  settings: ConversationSettings,
  language: AgentLanguage,
  utterance: UtteranceSoFar,
): number {
  return Math.min(silenceMs(settings, language, utterance), settings.endpointingMaxMs);
}

function silenceMs(
  settings: ConversationSettings,
  language: AgentLanguage,
  { expected, partial, sttReportsPartials, askedForDictation }: UtteranceSoFar,
): number {
  switch (expected) {
    case "yes_no":
    case "keys":
      return settings.endpointingMs;
    case "digits":
    case "name":
      return settings.endpointingDictationMs;
    case "date":
    case "time":
    case "open": {
      if (askedForDictation) return settings.endpointingDictationMs;
      if (!sttReportsPartials && partial === "") return settings.endpointingMs;
      if (isDictating(partial, language)) return settings.endpointingDictationMs;
      const finished = soundsFinished(partial, language);
      return finished ? settings.endpointingMs : settings.endpointingUnfinishedMs;
    }
  }
}
