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

/** Below it the words explain what was heard no better than any sounds would. */
const EVIDENCE_MIN = 0.1;
/** Callers who do say one of the others, and nothing else, are heard with 0.75 or more. */
const EVIDENCE_MIN_OF_WHOLE = 0.5;
/** Misheard questions contain one of the others now and then. */
const EVIDENCE_MIN_OF_CONTAINED = 0.8;
/** Off-topic sentences contain a word of leaving: of 406 six, heard with 0.17 to 0.66. */
const EVIDENCE_MIN_OF_LEAVING: Readonly<Partial<Record<Intent, number>>> = {
  goodbye: 0.7,
  human: 0.6,
};
/** Asked about before they are followed, or answers to a question. */
const DOUBTED: readonly Intent[] = ["goodbye", "human", "yes", "no"];
/** With it a phrase that is an intent and nothing else is certain, … */
const CERTAIN_WHOLE = 0.8;
/** … and a sentence that contains one: a goodbye, with nothing but politeness beside it. */
const CERTAIN = 0.9;
/** So short that they are heard well in another short word. */
const SHORT = /^(bye|bye bye|human|operator|agent|reception)$/;
/** Closed lists hear one of their phrases in nearly everything. */
const CERTAIN_OF_CLOSED = 0.999;

/** The intent of what was heard; null where the words themselves are in doubt, too. */
export function evidencedIntent(
  text: string,
  confidence: number,
  language: AgentLanguage,
): IntentMatch | null {
  const match = confidence < EVIDENCE_MIN ? null : matchIntent(text, language);
  if (match === null || language !== "en") return match;
  if (DOUBTED.includes(match.intent)) {
    const leastContained = EVIDENCE_MIN_OF_LEAVING[match.intent] ?? 0;
    return match.whole || confidence >= leastContained ? match : null;
  }
  const least = match.whole ? EVIDENCE_MIN_OF_WHOLE : EVIDENCE_MIN_OF_CONTAINED;
  return confidence < least ? null : match;
}

/** Whether the call may end, or go to a person, without asking. */
export function isCertain(
  { intent, whole }: IntentMatch,
  { text, confidence }: { readonly text: string; readonly confidence: number },
  language: AgentLanguage,
): boolean {
  if (language !== "en") return confidence >= CERTAIN_OF_CLOSED;
  const words = wordsOf(text, language);
  if (SHORT.test(words.join(" "))) return false;
  if (whole) return confidence >= CERTAIN_WHOLE;
  return confidence >= CERTAIN && (intent !== "goodbye" || words.every(isOfLeaving));
}

/** Words with which people take leave: among others "bye" is heard well where "I" was said. */
const OF_LEAVING = new Set(
  (["goodbye", "thanks", "yes", "listening"] as const).flatMap((intent) =>
    LEXICON.en[intent].flatMap((phrase) => phrase.split(" ")),
  ),
);
const isOfLeaving = (word: string): boolean => OF_LEAVING.has(word);

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
