/**
 * The topics of an agent: its knowledge and its tools in one ranking, so that "book an appointment"
 * and "cancel my appointment" compete. A score combines shared words and nearness in meaning.
 */

import type { ToolSnapshot } from "../../../conversation/call-config.ts";
import type { AgentLanguage } from "../../../features/agent/agent.ts";
import type { KnowledgePassage } from "../../../features/knowledge/knowledge-index.ts";
import type { Lesson, Nearness } from "../meaning/lessons.ts";
import { CONFIDENCE_MIN } from "./intents.ts";
import { type KnowledgeEntry, parseKnowledge } from "./knowledge.ts";
import { createRetriever, type Match, type Retriever, retrieverInSteps } from "./retrieval.ts";
import { wordsOf } from "./words.ts";

export type Topic =
  | { readonly type: "answer"; readonly title: string; readonly answer: string }
  | { readonly type: "tool"; readonly title: string; readonly tool: ToolSnapshot };

export type Finding =
  | { readonly zone: "sure"; readonly topic: Topic }
  /** `other`: the caller may have meant this instead. */
  | { readonly zone: "unsure"; readonly topic: Topic; readonly other: Topic | null }
  | { readonly zone: "unknown" };

/** Weights in a score: shared words, meaning of the question, meaning of the answer. */
const WORDS = 0.3;
const MEANING = 0.5;
const MEANING_OF_ANSWER = 0.2;

interface Thresholds {
  /** Minimum score for an answer, if the next best topic is at least `margin` lower. */
  readonly sure: number;
  /** Minimum score for "did you mean". */
  readonly unsure: number;
  readonly margin: number;
}

/** `bench/understanding` measures both kinds on five FAQs. */
const BY_MEANING: Thresholds = { sure: 0.5, unsure: 0.37, margin: 0.04 };
const BY_WORDS: Thresholds = { sure: 0.45, unsure: 0.3, margin: 0.04 };
/** The next best topic is offered too if its score is this close. */
const OTHER_MARGIN_MAX = 0.2;

export class Topics {
  readonly #topics: readonly Topic[];
  readonly #retrieve: Retriever;

  constructor(
    knowledge: readonly KnowledgeEntry[],
    tools: readonly ToolSnapshot[],
    language: AgentLanguage,
    retrieve = createRetriever(withTools(knowledge, tools), language),
  ) {
    this.#topics = [...tools.map(topicOfTool), ...knowledge.map(topicOfEntry)];
    this.#retrieve = retrieve;
  }

  /** Index and score of the best entry. Tools have lower indices than the knowledge. */
  match(text: string): Match | null {
    return this.#retrieve(text);
  }

  /** Topics with a title to offer: questions as the tenant wrote them. */
  get offered(): readonly Topic[] {
    return this.#topics.filter((topic) => topic.title !== "");
  }

  /** `nearness`: to the topics of `lessonOf`. Default: unknown, only words decide. */
  find(text: string, confidence: number, nearness: Nearness | null = null): Finding {
    const words = this.#retrieve.scores(text);
    const scores =
      nearness === null ? words : words.map((score, at) => joined(score, nearness, at));
    const order = [...scores.keys()].sort((one, two) => (scores[two] ?? 0) - (scores[one] ?? 0));
    const [first = -1, second = -1] = order;
    const best = scores[first] ?? 0;
    const margin = best - (scores[second] ?? 0);
    const [topic, other] = [this.#topics[first], this.#topics[second]];
    const least = nearness === null ? BY_WORDS : BY_MEANING;
    if (topic === undefined || best < least.unsure) return { zone: "unknown" };
    const isClear = margin >= least.margin || best > CLEAR_SCORE;
    if (best >= least.sure && isClear && confidence >= CONFIDENCE_MIN)
      return { zone: "sure", topic };
    const isClose = margin <= OTHER_MARGIN_MAX;
    return { zone: "unsure", topic, other: isClose && canShareOffer(topic, other) ? other : null };
  }
}

/** The caller used the very words of a topic. It is clear even if another topic has them too. */
const CLEAR_SCORE = 0.9;

function joined(words: number, { asked, answered }: Nearness, topic: number): number {
  const near = MEANING * Math.max(0, asked[topic] ?? 0);
  return WORDS * words + near + MEANING_OF_ANSWER * Math.max(0, answered[topic] ?? 0);
}

/** Texts of an agent's topics, in order, for comparing meanings. */
export function lessonOf(
  knowledge: readonly KnowledgeEntry[],
  tools: readonly ToolSnapshot[],
): Lesson {
  const texts = [
    ...tools.map((tool) => ({ questions: waysToAskFor(tool), answer: tool.description })),
    ...knowledge,
  ];
  const topics = texts.map(({ questions, answer }) => ({
    asked: questions.map(textForMeaning),
    answer: textForMeaning(answer),
  }));
  const key = Bun.hash(JSON.stringify(topics)).toString(36);
  return { key, topics };
}

/** Recognisers write no punctuation, and write numbers as words. */
export function textForMeaning(text: string): string {
  return wordsOf(text, "en").join(" ");
}

/** Yields after each entry. The result is the same as that of the constructor. */
export function* topicsInSteps(
  knowledge: readonly KnowledgeEntry[],
  tools: readonly ToolSnapshot[],
  language: AgentLanguage,
): Generator<void, Topics> {
  const retrieve = yield* retrieverInSteps(withTools(knowledge, tools), language);
  return new Topics(knowledge, tools, language, retrieve);
}

const withTools = (
  knowledge: readonly KnowledgeEntry[],
  tools: readonly ToolSnapshot[],
): readonly KnowledgeEntry[] => [
  ...tools.map((tool) => ({ questions: waysToAskFor(tool), answer: "" })),
  ...knowledge,
];

/** Minimum shares of a question that a passage must contain: to answer it, and to offer it. */
const SURE_COVERAGE_MIN = 0.8;
const UNSURE_COVERAGE_MIN = 0.6;

/** The best of the given passages, as an entry. */
export function findingIn(passages: readonly KnowledgePassage[]): Finding {
  const [best] = passages.toSorted((a, b) => b.coverage - a.coverage);
  if (!best || best.coverage < UNSURE_COVERAGE_MIN) return { zone: "unknown" };
  const title = best.heading.split(" › ").at(-1) ?? "";
  const content = title === "" ? best.text : `# ${title}\n${best.text}`;
  const [entry] = parseKnowledge([{ filename: best.filename, format: "md", content }]);
  if (!entry) return { zone: "unknown" };
  const topic = topicOfEntry(entry);
  if (best.coverage >= SURE_COVERAGE_MIN) return { zone: "sure", topic };
  return { zone: "unsure", topic, other: null };
}

/** Two answers can be offered together by their titles. A tool is offered alone. */
function canShareOffer(topic: Topic, other: Topic | undefined): other is Topic {
  return [topic, other].every((each) => each?.type === "answer" && each.title !== "");
}

function topicOfTool(tool: ToolSnapshot): Topic {
  return { type: "tool", title: describe(tool), tool };
}

function topicOfEntry(entry: KnowledgeEntry): Topic {
  return { type: "answer", title: entry.questions[0] ?? "", answer: entry.answer };
}

function waysToAskFor(tool: ToolSnapshot): string[] {
  const sentences = tool.description.split(/(?<=[.!?])\s+/);
  const name = tool.name.replace(/[_-]+/g, " ");
  return [name, ...sentences.slice(0, 3)].filter((text) => text.trim() !== "");
}

function describe(tool: ToolSnapshot): string {
  const [first = ""] = tool.description.split(/(?<=[.!?])\s+/);
  const text = first.replace(/[.]\s*$/, "").trim();
  return text === "" ? tool.name.replace(/[_-]+/g, " ") : text;
}
