/**
 * Finds the knowledge entry a question is about: words weighted by how rare they are among the
 * agent's entries (IDF), compared with every way to ask an entry and, weaker, with its answer.
 * Scores run from 0 to 1 (the same words).
 */
import type { AgentLanguage } from "../../../../domain/agent/agent.ts";
import { stem } from "../../../../domain/knowledge/stems.ts";
import type { KnowledgeEntry } from "./knowledge.ts";
import { stemsOf } from "./words.ts";

interface Match {
  /** Index of the entry. */
  readonly entry: number;
  readonly score: number;
  /** Lead over the next best entry. */
  readonly margin: number;
  /** Index of that. Null: no other shares a word. */
  readonly next: number | null;
}

export interface Retriever {
  (text: string): Match | null;
  /** Of each entry. */
  scores(text: string): readonly number[];
}

const STOP_WORD_WEIGHT = 0.15;
const COVERAGE = 0.3;
const ANSWER_WEIGHT = 0.4;
/** Where they share none but everyday words. */
const WITHOUT_CONTENT = 0.5;

const STOP_WORDS: Readonly<Record<AgentLanguage, string>> = {
  en: "a an the is are do does did i you your my me to of for on in at it can could would like please tell want know how we be will with and or have has there what when where which who much many may go get come am was any our by from this that not hello hi okay so about us if",
  lt: "ar kas kur kada kaip koks kokia kokie kiek jūs jūsų mano man aš jums yra ir ar į iš su prie už apie galiu galima norėčiau noriu pasakykite prašau labas laba diena",
  lv: "vai kas kur kad kā kāds kāda kādi cik jūs jūsu mans man es jums ir un no ar pie par varu var vēlos gribu pasakiet lūdzu labdien sveiki",
  ru: "ли что где когда как какой какая какие сколько вы ваш ваши мой мне я вам есть и в на из с у о об можно могу хочу хотел скажите пожалуйста здравствуйте добрый день",
};

/** Everyday English words for the same thing, each mapped to one of them. */
const SYNONYMS: Readonly<Record<string, string>> = {
  price: "cost",
  much: "cost",
  fee: "cost",
  charge: "cost",
  expensive: "cost",
  kids: "child",
  kid: "child",
  children: "child",
  son: "child",
  daughter: "child",
  hurt: "pain",
  painful: "pain",
  located: "address",
  location: "address",
  find: "address",
  lift: "elevator",
  doctor: "dentist",
  reschedule: "change",
  move: "change",
  postpone: "change",
  visit: "appointment",
  booking: "appointment",
  cash: "pay",
  payment: "pay",
  car: "parking",
  park: "parking",
  urgent: "emergency",
  immediately: "emergency",
  weekend: "sunday",
  close: "open",
  closed: "open",
  hours: "open",
  opening: "open",
  mail: "email",
};

export function createRetriever(
  entries: readonly KnowledgeEntry[],
  language: AgentLanguage,
): Retriever {
  const stop = stopWordsOf(language);
  const bagOf = wordBags(language);

  const asked = entries.map((entry) => entry.questions.map(bagOf));
  const answered = entries.map((entry) => bagOf(entry.answer));
  const anyQuestion = asked.map((bags) => new Set(bags.flatMap((bag) => [...bag])));
  const entriesWith = new Map<string, number>();
  entries.forEach((_, index) => {
    const all = new Set([...(anyQuestion[index] ?? []), ...(answered[index] ?? [])]);
    for (const word of all) entriesWith.set(word, (entriesWith.get(word) ?? 0) + 1);
  });

  const weigh = (word: string) => {
    const rarity = Math.log(1 + entries.length / ((entriesWith.get(word) ?? 0.3) + 0.3));
    return rarity * (stop.has(word) ? STOP_WORD_WEIGHT : 1);
  };
  const total = (bag: Iterable<string>) => [...bag].reduce((sum, word) => sum + weigh(word), 0);
  const weights = asked.map((bags) => bags.map(total));

  function scoreOf(index: number, query: ReadonlySet<string>, queryWeight: number): number {
    let best = 0;
    (asked[index] ?? []).forEach((bag, variant) => {
      const shared = total([...query].filter((word) => bag.has(word)));
      const size = Math.sqrt(queryWeight * (weights[index]?.[variant] ?? 1));
      best = Math.max(best, size === 0 ? 0 : shared / size);
    });
    let covered = 0;
    for (const word of query) {
      if (anyQuestion[index]?.has(word)) covered += weigh(word);
      else if (answered[index]?.has(word)) covered += ANSWER_WEIGHT * weigh(word);
    }
    const bare = asked[index]?.length === 0;
    const coverage = covered / queryWeight;
    return bare ? coverage / ANSWER_WEIGHT / 1.5 : (1 - COVERAGE) * best + COVERAGE * coverage;
  }

  function search(text: string) {
    const query = bagOf(text);
    const queryWeight = total(query);
    const content = [...query].some((word) => !stop.has(word) && entriesWith.has(word));
    const fits =
      queryWeight === 0 ? [] : entries.map((_, index) => scoreOf(index, query, queryWeight));
    return { fits, toScore: (fit: number) => Math.min(1, content ? fit : fit * WITHOUT_CONTENT) };
  }

  function retrieve(text: string): Match | null {
    const { fits, toScore } = search(text);
    const best = bestOf(fits);
    return best && { ...best, score: toScore(best.score) };
  }
  function scores(text: string): readonly number[] {
    const { fits, toScore } = search(text);
    return entries.map((_, index) => toScore(fits[index] ?? 0));
  }
  return Object.assign(retrieve, { scores });
}

/** A text's words, stemmed, with their everyday synonyms. */
function wordBags(language: AgentLanguage): (text: string) => Set<string> {
  return (text) => {
    const bag = new Set<string>();
    for (const word of stemsOf(text, language)) {
      bag.add(word);
      const synonym = language === "en" ? stemmedSynonyms().get(word) : undefined;
      if (synonym !== undefined) bag.add(synonym);
    }
    return bag;
  };
}

/** Null: no score is above 0. */
function bestOf(scores: readonly number[]): Match | null {
  const order = [...scores.keys()]
    .filter((index) => (scores[index] ?? 0) > 0)
    .sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
  const [entry, next = null] = order;
  if (entry === undefined) return null;
  const score = scores[entry] ?? 0;
  return { entry, score, margin: score - (next === null ? 0 : (scores[next] ?? 0)), next };
}

let synonyms: ReadonlyMap<string, string> | null = null;
const stopWords = new Map<AgentLanguage, ReadonlySet<string>>();

/** Both are stemmed once: each call makes a retriever. */
function stemmedSynonyms(): ReadonlyMap<string, string> {
  synonyms ??= new Map(
    Object.entries(SYNONYMS).map(([word, meaning]) => [stem(word, "en"), stem(meaning, "en")]),
  );
  return synonyms;
}

function stopWordsOf(language: AgentLanguage): ReadonlySet<string> {
  const known = stopWords.get(language);
  if (known) return known;
  const made = new Set(STOP_WORDS[language].split(" ").map((word) => stem(word, language)));
  stopWords.set(language, made);
  return made;
}
