/**
 * Intents of an utterance (lexicon.ts), apart from its knowledge question. Also finds them inside
 * sentences.
 */
import type { AgentLanguage } from "../../../features/agent/agent.ts";
import { type Intent, LEXICON } from "./lexicon.ts";
import { wordsOf } from "./words.ts";

interface IntentMatch {
  readonly intent: Intent;
  /** The utterance contains only the intent. */
  readonly whole: boolean;
  /** The other words after a yes or no ("no, how much is …"). */
  readonly rest: string;
}

/** Tried in this order if an utterance contains more than an intent. */
const CONTAINED: readonly Intent[] = ["goodbye", "human", "message", "repeat", "thanks"];

const ENGLISH_PATTERNS: Readonly<Partial<Record<Intent, RegExp>>> = {
  goodbye: /\b(goodbye|bye)\b|\bthat is all\b|\bthat's all\b/,
  human:
    /\b(speak|talk|connect|transfer|put)\b.*\b(human|person|somebody|someone|operator|agent|colleague|manager|reception)\b|^(human|operator|agent|reception)\b/,
  message: /\b(leave|take|pass)\b.*\bmessage\b|\bcall me back\b/,
  repeat: /\brepeat\b|\bsay (that|it) again\b|\bonce more\b|^(pardon|sorry|what)$/,
  /** With more words around it, "thanks" is part of a polite question or misheard. */
  thanks: /^(\S+ )?(thank you|thanks)( \S+){0,3}$/,
};

const REST_WORDS_MIN = 3;

/** The agent asks back if the confidence is lower. */
export const CONFIDENCE_MIN = 0.6;

/**
 * "Could I please speak to somebody at the reception". A longer sentence is about something else.
 */
const HUMAN_WORDS_MAX = 10;

/**
 * Whether the call may end, or go to a person, without a question to the caller. True if the
 * sentence contains nothing else.
 */
export function isCertain(
  { intent, whole }: IntentMatch,
  { text, confidence }: { readonly text: string; readonly confidence: number },
  language: AgentLanguage,
): boolean {
  if (confidence < CONFIDENCE_MIN) return false;
  if (whole) return true;
  if (
    intent === "goodbye" &&
    wordsOf(text, language).every((word) => OF_LEAVING[language].has(word))
  )
    return true;
  return text.split(/[.!?]+/).some((sentence) => {
    const match = matchIntent(sentence, language);
    if (match?.intent !== intent) return false;
    const isAlone = intent === "human" && wordsOf(sentence, language).length <= HUMAN_WORDS_MAX;
    return match.whole || isAlone;
  });
}

/** Words with which people say goodbye: "okay, thank you, bye". */
const leavingWords = (language: AgentLanguage): ReadonlySet<string> =>
  new Set(
    (["goodbye", "thanks", "yes", "listening"] as const).flatMap((intent) =>
      LEXICON[language][intent].flatMap((phrase) => phrase.split(" ")),
    ),
  );
const OF_LEAVING: Readonly<Record<AgentLanguage, ReadonlySet<string>>> = {
  en: leavingWords("en"),
  lt: leavingWords("lt"),
  lv: leavingWords("lv"),
  ru: leavingWords("ru"),
};

export function matchIntent(text: string, language: AgentLanguage): IntentMatch | null {
  const words = wordsOf(text, language);
  if (words.length === 0) return null;
  const plain = words.join(" ");
  const exact = exactIntent(plain, language);
  if (exact !== null) return { intent: exact, whole: true, rest: "" };
  const answer = leadingAnswer(words, language);
  // "okay thank you bye"
  if (answer !== null && (answer.intent === "no" || !contains(plain, "goodbye", language)))
    return answer;
  for (const intent of CONTAINED) {
    if (contains(plain, intent, language)) return { intent, whole: false, rest: "" };
  }
  return null;
}

function exactIntent(plain: string, language: AgentLanguage): Intent | null {
  for (const [intent, phrases] of Object.entries(LEXICON[language])) {
    if (phrases.some((phrase) => wordsOf(phrase, language).join(" ") === plain)) {
      return intent as Intent;
    }
  }
  return null;
}

/** A yes if alone. Before other words it belongs to them: "great, thank you". */
const PRAISE = /^(great|fine)$/;

/** "Yes, that would be fine", "no, how much is a filling". */
function leadingAnswer(words: readonly string[], language: AgentLanguage): IntentMatch | null {
  const [first = ""] = words;
  for (const intent of ["yes", "no"] as const) {
    const starts = LEXICON[language][intent].some((phrase) => phrase === first);
    if (!starts || PRAISE.test(first)) continue;
    const rest = words.slice(1);
    return { intent, whole: false, rest: rest.length >= REST_WORDS_MIN ? rest.join(" ") : "" };
  }
  return null;
}

function contains(plain: string, intent: Intent, language: AgentLanguage): boolean {
  if (language === "en") return ENGLISH_PATTERNS[intent]?.test(plain) ?? false;
  return LEXICON[language][intent].some(
    (phrase) => phrase.includes(" ") && ` ${plain} `.includes(` ${phrase} `),
  );
}
