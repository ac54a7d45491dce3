/**
 * Links the turns of an ended call to its knowledge: the passages that answers repeat, and the questions that
 * had no answer. Two questions are equal if their content words are, whatever the endings.
 */

import { createYielder } from "../../core/event-loop.ts";
import type { KnowledgeIndex, KnowledgeScope } from "./knowledge-index.ts";
import { contentStems } from "./stems.ts";

/** Source of an answer. */
export interface TurnSource {
  readonly fileId: number;
  readonly filename: string;
  /** Headings above the passage, or the name of its row; empty if neither exists. */
  readonly heading: string;
}

/** The required fields of a turn. */
interface Said {
  readonly speaker: "agent" | "customer";
  readonly text: string;
}

interface TurnKnowledge {
  /** Agent turns: their sources, the best match first. */
  readonly sources?: readonly TurnSource[];
  /** Customer turns: the question's normal form, if the agent did not know the answer. */
  readonly unanswered?: string;
}

/** Phrases for "I do not know", in the four languages and in either word order. */
const NOT_KNOWN = new RegExp(
  [
    /\b(?:do not|don't|don’t|cannot|can't|can’t|could not|couldn't|couldn’t) (?:know|have (?:that|this|any|the|exact|more)? ?(?:information|details|answer)|find (?:that|this|any)|answer (?:that|this)|say for (?:sure|certain))/,
    /\b(?:not able|unable) to (?:answer|find|say|tell)|\bnot certain(?! i\b)|\bnot sure about that/,
    /\bno (?:information|details) (?:about|on)/,
    /\bnežinau|\b(?:neturiu|nerandu|neradau) (?:\S+ )?(?:informacijos|duomenų)|\b(?:informacijos|duomenų) (?:neturiu|nerandu|neradau)/,
    /\bnegaliu (?:\S+ ){0,2}(?:atsakyti|pasakyti)|(?:atsakyti|pasakyti) negaliu|\bnesu tikr/,
    /nezinu|nav (?:\S+ )?(?:informācijas|datu)|(?:informācijas|datu) (?:man |mums )?nav|nav zināms/,
    /nevaru (?:\S+ ){0,2}(?:atbildēt|pateikt)|neesmu (?:droš|pārliecināt)/,
    /не знаю|нет (?:\S+ )?(?:информации|данных|сведений)|(?:информации|данных|сведений) (?:у меня |у нас )?нет|неизвестно/,
    /не могу (?:\S+ ){0,2}(?:ответить|сказать)|(?:ответить|сказать) не могу|не располагаю|не уверен/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "iu",
);
const KEY_STEMS_MAX = 12;
const QUESTION_WORDS_MIN = 2;
const TURNS_MAX = 200;

/** Normal form of a question; empty if it has no words. */
export function questionKey(text: string): string {
  const stems = [...new Set(contentStems(text))].sort();
  return stems.slice(0, KEY_STEMS_MAX).join(" ");
}

/** One entry per turn, in order. Never rejects. */
export async function knowledgeOfTurns(
  turns: readonly Said[],
  scope: KnowledgeScope | null,
  index: Pick<KnowledgeIndex, "sourcesOf"> | null,
): Promise<TurnKnowledge[]> {
  const sources = turns.map(async ({ speaker, text }, at): Promise<TurnSource[]> => {
    const answers = speaker === "agent" && turns[at - 1]?.speaker === "customer";
    if (!answers || !scope || !index || at >= TURNS_MAX) return [];
    return (await index.sourcesOf(scope, text)).map(({ fileId, filename, heading }) => ({
      fileId,
      filename,
      heading,
    }));
  });
  const found = await Promise.all(sources);
  const yielding = createYielder();
  const known: TurnKnowledge[] = [];
  for (const [at, turn] of turns.entries()) {
    await yielding(); // a long call has thousands
    const from = found[at] ?? [];
    const unanswered = unansweredBy(turn, turns[at + 1], found[at + 1] ?? []);
    known.push({
      ...(from.length === 0 ? {} : { sources: from }),
      ...(unanswered === "" ? {} : { unanswered }),
    });
  }
  return known;
}

function unansweredBy(asked: Said, next: Said | undefined, sources: readonly TurnSource[]): string {
  if (asked.speaker !== "customer" || next?.speaker !== "agent" || sources.length > 0) return "";
  if (asked.text.startsWith("[") || asked.text.trim().split(/\s+/).length < QUESTION_WORDS_MIN)
    return "";
  return NOT_KNOWN.test(next.text) ? questionKey(asked.text) : "";
}
