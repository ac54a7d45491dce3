/** Word stems in the four languages of agents, and the indexed words of a text. */
import type { AgentLanguage } from "../agent/agent.ts";

export function stem(word: string, language: AgentLanguage): string {
  return language === "en" ? englishStem(word) : inflectedStem(word);
}

function englishStem(word: string): string {
  let stem = word.replace(/'s?$/, "");
  if (stem.length <= 3) return stem;
  stem = stem.replace(/ies$/, "y").replace(/(ss|sh|ch|x)es$/, "$1");
  if (!/(ss|us|is)$/.test(stem)) stem = stem.replace(/s$/, "");
  if (stem.length > 5) stem = stem.replace(/(ing|ed|ment|ly)$/, "");
  stem = stem.replace(/([bdgmnprt])\1$/, "$1");
  return stem.length > 3 ? stem.replace(/[ey]$/, "") : stem;
}

/** Lithuanian, Latvian and Russian: endings are long and varied, so the beginning identifies a word. */
function inflectedStem(word: string): string {
  const plain = withoutMarks(word);
  if (plain.length <= 4) return plain;
  return plain.slice(0, Math.max(4, Math.min(7, plain.length - 2)));
}

const withoutMarks = (word: string) => word.normalize("NFD").replace(/\p{M}/gu, "");

const WORD_CHARACTERS_MAX = 40;
/** Letters that do not exist in English. */
const INFLECTED = /[ąčęėįšųūžāēģīķļņ\p{Script=Cyrillic}]/u;

/** Words in order of appearance; numbers as written. */
function plainWords(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .normalize("NFC")
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => word.slice(0, WORD_CHARACTERS_MAX));
}

/** Stemming rules: English, or those of the inflected languages. */
type Stemming = "en" | "lt";

const SMALL_WORDS: Readonly<Record<Stemming, ReadonlySet<string>>> = {
  en: new Set("the a an is are of to and for we you in on at it with from or by".split(" ")),
  // Lithuanian and Latvian small words that English does not have.
  lt: new Set(
    "nuo iki ir yra jis ji jie kad ar kaip kur kas prie apie arba tai su po un vai pie tas tie uz".split(
      " ",
    ),
  ),
};

/** Detects the stemming of a text in an unknown language by its letters, else by its small words. */
export function stemmingOf(text: string): Stemming {
  const lower = text.toLowerCase();
  if (INFLECTED.test(lower.normalize("NFC"))) return "lt";
  let more = 0;
  for (const [word] of lower.matchAll(/\p{L}+/gu)) {
    if (SMALL_WORDS.lt.has(word)) more++;
    else if (SMALL_WORDS.en.has(word)) more--;
  }
  return more > 0 ? "lt" : "en";
}

export function stemsOfText(text: string, stemming = stemmingOf(text)): string[] {
  return plainWords(text).map((word) => rememberedStem(word, stemming));
}

const LETTER = /[\p{L}\p{N}]/u;

/**
 * Those of `stems` that occur in the text.
 * Searches for their beginnings, so that other words need no stemming. An ending is cut or becomes one letter
 * ("ies" is "y").
 */
export function stemsHeld(text: string, stems: Iterable<string>): Set<string> {
  const stemming = stemmingOf(text);
  const plain = withoutMarks(text.toLowerCase());
  const held = new Set<string>();
  for (const stem of stems) if (hasStem(plain, stem, stemming)) held.add(stem);
  return held;
}

function hasStem(plain: string, stem: string, language: Stemming): boolean {
  const beginning = stem.slice(0, Math.max(1, stem.length - 1));
  let at = plain.indexOf(beginning);
  while (at >= 0) {
    if (at === 0 || !LETTER.test(plain[at - 1] ?? "")) {
      let end = at + 1;
      while (end < plain.length && LETTER.test(plain[end] ?? "")) end++;
      if (
        rememberedStem(plain.slice(at, Math.min(end, at + WORD_CHARACTERS_MAX)), language) === stem
      )
        return true;
    }
    at = plain.indexOf(beginning, at + 1);
  }
  return false;
}

const REMEMBERED_MAX = 50_000;
const REMEMBERED = { en: new Map<string, string>(), lt: new Map<string, string>() };

/** Cached, since texts repeat their words. */
function rememberedStem(word: string, language: "en" | "lt"): string {
  const remembered = REMEMBERED[language];
  const known = remembered.get(word);
  if (known !== undefined) return known;
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  const made = indexedStem(word, language);
  remembered.set(word, made);
  return made;
}

/** Numbers and codes have no endings. */
const indexedStem = (word: string, language: "en" | "lt"): string =>
  /\d/.test(word) ? word : stem(withoutMarks(word), language);

/** All stems that this word may have in a text of any of the languages. */
export function stemsOfWord(word: string): readonly string[] {
  return [...new Set([indexedStem(word, "en"), indexedStem(word, "lt")])];
}

/** Question words without information about the topic. */
const STOP_WORDS = new Set(
  [
    "a an the is are do does did i you your my me to of for on in at it can could would like please tell want know how we be will with and or have has there what when where which who much many may go get come am was any our by from this that not hello hi okay so about us if they he she its as been",
    "ar kas kur kada kaip koks kokia kokie kiek jūs jūsų jus jumis pas mus mums mano man aš jums yra ir į iš su prie už apie galiu galima norėčiau noriu pasakykite prašau labas laba diena kad bet tai",
    "vai kas kur kad kā kāds kāda kādi cik jūs jūsu mans man es jums ir un no ar pie par varu var vēlos gribu pasakiet lūdzu labdien sveiki bet tas",
    "ли что где когда как какой какая какие сколько вы ваш ваши мой мне я вам есть и в на из с у о об можно могу хочу хотел скажите пожалуйста здравствуйте добрый день не но это а",
  ]
    .join(" ")
    .split(" "),
);

const BEGINNING = 5;

/** Beginnings of the content words, in order. They are equal in every inflection. */
export const contentStems = (text: string): string[] =>
  contentWords(text).map((word) => indexedStem(word, "en").slice(0, BEGINNING));

/** Question words without stop words; all words if only stop words are left. */
export function contentWords(text: string): string[] {
  const words = [...new Set(plainWords(text))];
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return telling.length > 0 ? telling : words;
}
