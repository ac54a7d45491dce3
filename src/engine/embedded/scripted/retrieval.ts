/**
 * Finds the knowledge entry for a question. Words are weighted by their rarity among the agent's
 * entries (IDF). They are compared with each question of an entry and, with less weight, with its
 * answer. In English, synonyms count with less weight. Scores go from 0 to 1 (the same words).
 */
import type { AgentLanguage } from "../../../features/agent/agent.ts";
import { stem } from "../../../features/knowledge/stems.ts";
import { everydaySynonyms } from "./everyday-synonyms.ts";
import type { KnowledgeEntry } from "./knowledge.ts";
import { stemsOf } from "./words.ts";

export interface Match {
  readonly entry: number;
  readonly score: number;
  /** Lead over the next best entry. */
  readonly margin: number;
  /** Index of the next best entry. Null if no other entry shares a word. */
  readonly next: number | null;
}

export interface Retriever {
  (text: string): Match | null;
  /** Score per entry. */
  scores(text: string): readonly number[];
}

const STOP_WORD_WEIGHT = 0.15;
const COVERAGE = 0.3;
const ANSWER_WEIGHT = 0.4;
/** Factor if a text shares only everyday words. */
const WITHOUT_CONTENT = 0.5;

const STOP_WORDS: Readonly<Record<AgentLanguage, string>> = {
  en: "a an the is are do does did i you your my me to of for on in at it can could would like please tell want know how we be will with and or have has there what when where which who much many may go get come am was any our by from this that not hello hi okay so about us if",
  lt: "ar kas kur kada kaip koks kokia kokie kiek jūs jūsų mano man aš jums yra ir ar į iš su prie už apie galiu galima norėčiau noriu pasakykite prašau labas laba diena",
  lv: "vai kas kur kad kā kāds kāda kādi cik jūs jūsu mans man es jums ir un no ar pie par varu var vēlos gribu pasakiet lūdzu labdien sveiki",
  ru: "ли что где когда как какой какая какие сколько вы ваш ваши мой мне я вам есть и в на из с у о об можно могу хочу хотел скажите пожалуйста здравствуйте добрый день",
};

/** Weight of a synonym, relative to the word itself. */
const SYNONYM_WEIGHT = 0.6;
const NO_WORDS: ReadonlySet<string> = new Set();

/** A word of a question and its weight in the knowledge. */
interface AskedWord {
  readonly word: string;
  /** Synonyms in the knowledge. */
  readonly synonyms: readonly string[];
  readonly weight: number;
}

/** Words of the entries, weighted by rarity. */
function createVocabulary(
  bags: readonly ReadonlySet<string>[],
  stop: ReadonlySet<string>,
  language: AgentLanguage,
) {
  const synonyms = language === "en" ? stemmedSynonyms() : null;
  const entriesWith = new Map<string, number>();
  for (const bag of bags)
    for (const word of bag) entriesWith.set(word, (entriesWith.get(word) ?? 0) + 1);

  const weigh = (word: string) => {
    const rarity = Math.log(1 + bags.length / ((entriesWith.get(word) ?? 0.3) + 0.3));
    return rarity * (stop.has(word) ? STOP_WORD_WEIGHT : 1);
  };
  return {
    total: (bag: Iterable<string>) => [...bag].reduce((sum, word) => sum + weigh(word), 0),
    isContent: ({ word, synonyms: same }: AskedWord) =>
      !stop.has(word) && (entriesWith.has(word) || same.length > 0),
    /** A word missing from the knowledge has the weight of its rarest synonym. */
    asWord(word: string): AskedWord {
      const same = [...(synonyms?.get(word) ?? [])].filter(
        (other) => entriesWith.has(other) && !stop.has(other),
      );
      const isKnown = entriesWith.has(word) || same.length === 0;
      const weight = isKnown ? weigh(word) : Math.max(...same.map(weigh));
      return { word, synonyms: same, weight };
    },
    /** The part of the word's weight that a bag of words contains. */
    shareIn(bag: ReadonlySet<string>, { word, synonyms: same, weight }: AskedWord): number {
      if (bag.has(word)) return weight;
      const found = same.filter((other) => bag.has(other)).map(weigh);
      return SYNONYM_WEIGHT * Math.min(weight, Math.max(0, ...found));
    },
  };
}

export function createRetriever(
  entries: readonly KnowledgeEntry[],
  language: AgentLanguage,
): Retriever {
  const making = retrieverInSteps(entries, language);
  let step = making.next();
  while (!step.done) step = making.next();
  return step.value;
}

/** Yields after each entry, so that a thread can do other work between them. */
export function* retrieverInSteps(
  entries: readonly KnowledgeEntry[],
  language: AgentLanguage,
): Generator<void, Retriever> {
  const stop = stopWordsOf(language);
  const bagOf = (text: string) => new Set(stemsOf(text, language));
  const asked: ReadonlySet<string>[][] = [];
  const answered: ReadonlySet<string>[] = [];
  for (const { questions, answer } of entries) {
    asked.push(questions.map(bagOf));
    answered.push(bagOf(answer));
    yield;
  }
  const anyQuestion = asked.map((bags) => new Set(bags.flatMap((bag) => [...bag])));
  const all = anyQuestion.map((bag, index) => new Set([...bag, ...(answered[index] ?? [])]));
  const { total, asWord, shareIn, isContent } = createVocabulary(all, stop, language);
  const weights = asked.map((bags) => bags.map(total));

  function scoreOf(index: number, query: readonly AskedWord[], queryWeight: number): number {
    let best = 0;
    (asked[index] ?? []).forEach((bag, variant) => {
      const shared = query.reduce((sum, word) => sum + shareIn(bag, word), 0);
      const size = Math.sqrt(queryWeight * (weights[index]?.[variant] ?? 1));
      best = Math.max(best, size === 0 ? 0 : shared / size);
    });
    let covered = 0;
    for (const word of query) {
      const inQuestion = shareIn(anyQuestion[index] ?? NO_WORDS, word);
      const inAnswer = ANSWER_WEIGHT * shareIn(answered[index] ?? NO_WORDS, word);
      covered += Math.max(inQuestion, inAnswer);
    }
    const bare = asked[index]?.length === 0;
    const coverage = covered / queryWeight;
    return bare ? coverage / ANSWER_WEIGHT / 1.5 : (1 - COVERAGE) * best + COVERAGE * coverage;
  }

  function search(text: string) {
    const query = [...bagOf(text)].map(asWord);
    const queryWeight = query.reduce((sum, { weight }) => sum + weight, 0);
    const content = query.some(isContent);
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

/** Null if no score is above 0. */
function bestOf(scores: readonly number[]): Match | null {
  const order = [...scores.keys()]
    .filter((index) => (scores[index] ?? 0) > 0)
    .sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
  const [entry, next = null] = order;
  if (entry === undefined) return null;
  const score = scores[entry] ?? 0;
  return { entry, score, margin: score - (next === null ? 0 : (scores[next] ?? 0)), next };
}

let synonyms: ReturnType<typeof everydaySynonyms> | null = null;
const stopWords = new Map<AgentLanguage, ReadonlySet<string>>();

/** Stems the synonyms once. */
function stemmedSynonyms(): ReturnType<typeof everydaySynonyms> {
  synonyms ??= everydaySynonyms((word) => stem(word, "en"));
  return synonyms;
}

function stopWordsOf(language: AgentLanguage): ReadonlySet<string> {
  const known = stopWords.get(language);
  if (known) return known;
  const made = new Set(STOP_WORDS[language].split(" ").map((word) => stem(word, language)));
  stopWords.set(language, made);
  return made;
}
