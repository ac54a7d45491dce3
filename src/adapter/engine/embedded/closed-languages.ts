/**
 * What is heard of Lithuanian, Latvian and Russian, of which the engine knows closed lists of phrases: kinds of phrases
 * of which nine of ten were understood, and nine of ten others refused. Where another answer is expected nothing is heard,
 * and the caller is offered keys. `bun bench/understanding/phrases.ts` measures them.
 */
import type { AgentLanguage } from "../../../domain/agent/agent.ts";

export type ClosedLanguage = Exclude<AgentLanguage, "en">;

export const MEASURED_KINDS = [
  "commands",
  "short_commands",
  "questions",
  "yes_no",
  "digits",
  "date",
] as const;
export type MeasuredKind = (typeof MEASURED_KINDS)[number];

/** Of times and names there is no list. */
export const PHRASE_KINDS = [...MEASURED_KINDS, "time", "name"] as const;
export type PhraseKind = (typeof PHRASE_KINDS)[number];

interface Measured {
  readonly understood: number;
  readonly said: number;
  /** Of words and sentences that are on no list, said where such phrases are expected. */
  readonly refused: number;
  readonly others: number;
}

const SHARE_MIN = 0.9;

/** Five synthetic callers a language over G.711 with faint noise. */
export const MEASURED: Readonly<Record<ClosedLanguage, Readonly<Record<MeasuredKind, Measured>>>> =
  {
    lt: {
      commands: { understood: 59, said: 60, refused: 111, others: 120 },
      short_commands: { understood: 80, said: 90, refused: 74, others: 120 },
      questions: { understood: 60, said: 60, refused: 111, others: 120 },
      yes_no: { understood: 41, said: 45, refused: 39, others: 60 },
      digits: { understood: 57, said: 100, refused: 47, others: 60 },
      date: { understood: 38, said: 50, refused: 58, others: 60 },
    },
    lv: {
      commands: { understood: 48, said: 55, refused: 119, others: 120 },
      short_commands: { understood: 58, said: 75, refused: 91, others: 120 },
      questions: { understood: 54, said: 60, refused: 119, others: 120 },
      yes_no: { understood: 43, said: 45, refused: 37, others: 60 },
      digits: { understood: 58, said: 100, refused: 40, others: 60 },
      date: { understood: 36, said: 50, refused: 52, others: 60 },
    },
    ru: {
      commands: { understood: 61, said: 65, refused: 120, others: 120 },
      short_commands: { understood: 59, said: 70, refused: 100, others: 120 },
      questions: { understood: 54, said: 60, refused: 120, others: 120 },
      yes_no: { understood: 39, said: 50, refused: 49, others: 60 },
      digits: { understood: 36, said: 100, refused: 31, others: 60 },
      date: { understood: 33, said: 50, refused: 45, others: 60 },
    },
  };

/** A shorter command is heard in most short words. */
const COMMAND_LETTERS_MIN = 12;

export const kindOfCommand = (phrase: string): "commands" | "short_commands" =>
  phrase.replaceAll(" ", "").length < COMMAND_LETTERS_MIN ? "short_commands" : "commands";

/** What is listened for. English: everything. */
export function heardKinds(language: AgentLanguage): readonly PhraseKind[] {
  return language === "en"
    ? PHRASE_KINDS
    : MEASURED_KINDS.filter((kind) => isEnough(MEASURED[language][kind]));
}

export function isEnough({ understood, said, refused, others }: Measured): boolean {
  return understood >= SHARE_MIN * said && refused >= SHARE_MIN * others;
}
