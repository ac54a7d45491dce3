/**
 * How much silence means that the caller has finished.
 *
 * Short after words that could stand as a sentence, longer after "I would like to …" or when nothing
 * was understood yet, longest while digits or a name are dictated (people breathe between groups).
 */
import type { AgentLanguage } from "../../agent/agent.ts";
import type { ConversationSettings } from "../conversation-settings.ts";
import type { ExpectedAnswer } from "../engine-port.ts";
import { isDictating, soundsFinished } from "../words.ts";

interface UtteranceSoFar {
  readonly expected: ExpectedAnswer;
  /** Latest stable words; of an STT that reports none, what it recognised early. */
  readonly partial: string;
  /** Whether this engine's STT reports words before the end. */
  readonly sttReportsPartials: boolean;
  /** The agent asked for something that is dictated: a number, a name, an address. */
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
