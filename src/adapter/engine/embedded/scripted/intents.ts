/** What an utterance means apart from knowledge: the intents of lexicon.ts, also inside sentences. */
import type { AgentLanguage } from "../../../../domain/agent/agent.ts";
import { type Intent, LEXICON } from "./lexicon.ts";
import { wordsOf } from "./words.ts";

interface IntentMatch {
  readonly intent: Intent;
  /** The utterance is nothing but the intent. */
  readonly whole: boolean;
  /** What was said beside yes or no ("no, how much is …"). */
  readonly rest: string;
}

/** Tried in this order where an utterance only contains an intent. */
const CONTAINED: readonly Intent[] = ["goodbye", "human", "message", "repeat", "thanks"];

const ENGLISH_PATTERNS: Readonly<Partial<Record<Intent, RegExp>>> = {
  goodbye: /\b(goodbye|bye)\b|\bthat is all\b|\bthat's all\b/,
  human:
    /\b(speak|talk|connect|transfer|put)\b.*\b(human|person|somebody|someone|operator|agent|colleague|manager|reception)\b|^(human|operator|agent|reception)\b/,
  message: /\b(leave|take|pass)\b.*\bmessage\b|\bcall me back\b/,
  repeat: /\brepeat\b|\bsay (that|it) again\b|\bonce more\b|^(pardon|sorry|what)$/,
  /** With more around it, it is a polite question, or a word that was misheard. */
  thanks: /^(\S+ )?(thank you|thanks)( \S+){0,3}$/,
};

const REST_WORDS_MIN = 3;

/** Words that were heard with less are asked back. */
export const CONFIDENCE_MIN = 0.6;

/** "Could I please speak to somebody at the reception": a longer sentence says more than that. */
const HUMAN_WORDS_MAX = 10;

/** Whether the call may end, or go to a person, without asking: a sentence says that and nothing else. */
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

/** Words with which people take leave: "okay, thank you, bye". */
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

/** Alone a yes; before other words it goes with them: "great, thank you". */
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
