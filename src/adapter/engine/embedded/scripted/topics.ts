/**
 * What an agent can be asked: its knowledge and its tools in one ranking, so that "book an
 * appointment" and "cancel my appointment" compete. A score joins how well the words fit the topic
 * with how well they fitted the sound.
 */
import type { AgentLanguage } from "../../../../domain/agent/agent.ts";
import type { ToolSnapshot } from "../../../../domain/conversation/call-config.ts";
import type { KnowledgePassage } from "../../../../domain/knowledge/knowledge-index.ts";
import type { Lesson, Nearness } from "../meaning/meanings.ts";
import { likelihoodOf, sharesOf } from "./acceptance.ts";
import { type KnowledgeEntry, parseKnowledge } from "./knowledge.ts";
import { createRetriever, type Match, type Retriever, retrieverInSteps } from "./retrieval.ts";
import { wordsOf } from "./words.ts";

export type Topic =
  | { readonly type: "answer"; readonly title: string; readonly answer: string }
  | { readonly type: "tool"; readonly title: string; readonly tool: ToolSnapshot };

export type Finding =
  | { readonly zone: "sure"; readonly topic: Topic }
  /** `other`: the caller may as well have meant this. */
  | { readonly zone: "unsure"; readonly topic: Topic; readonly other: Topic | null }
  | { readonly zone: "unknown" };

/** Chosen with the coefficients, on the gym and the clinic: two of 78 off topic were answered, 67 refused. */
const SURE_MIN = 0.75;
export const UNSURE_MIN = 0.35;
const SURE_SCORE_MIN = 0.45;
const UNSURE_SCORE_MIN = 0.3;
/** Two topics closer than this are told apart by asking. */
const MARGIN_MIN = 0.04;
/** The next best is offered as well when it is so close. */
const OTHER_MARGIN_MAX = 0.35;
/** Of the shares of what was asked for, where meanings are known: of one topic, and of the best two. */
const SURE_SHARE_MIN = 0.75;
const UNSURE_SHARE_MIN = 0.5;
/** One that is so much likelier than the next is offered alone. */
const ALONE_FACTOR = 6;

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

  /** Index and score of the best entry; tools come before the knowledge. */
  match(text: string): Match | null {
    return this.#retrieve(text);
  }

  /** Titles that can be offered: questions as the tenant wrote them. */
  get offered(): readonly Topic[] {
    return this.#topics.filter((topic) => topic.title !== "");
  }

  /** `nearness`: to the topics of `lessonOf`. Default: not known. */
  find(
    text: string,
    confidence: number,
    nearness: Nearness | null = null,
    match = this.match(text),
  ): Finding {
    if (nearness !== null) return this.#findByMeaning(text, confidence, nearness);
    const topic = match === null ? undefined : this.#topics[match.entry];
    if (match === null || topic === undefined) return { zone: "unknown" };
    const { score, margin, next } = match;
    const likelihood = likelihoodOf({ confidence, score, margin });
    if (score < UNSURE_SCORE_MIN || likelihood < UNSURE_MIN) return { zone: "unknown" };
    const clear = margin >= MARGIN_MIN || score > 0.9;
    if (likelihood >= SURE_MIN && score >= SURE_SCORE_MIN && clear) return { zone: "sure", topic };
    const other = next === null || margin > OTHER_MARGIN_MAX ? undefined : this.#topics[next];
    return { zone: "unsure", topic, other: canShareOffer(topic, other) ? other : null };
  }

  #findByMeaning(text: string, confidence: number, nearness: Nearness): Finding {
    const shares = sharesOf({ confidence, nearness, scores: this.#retrieve.scores(text) });
    const order = [...shares.keys()].sort((one, two) => (shares[two] ?? 0) - (shares[one] ?? 0));
    const [first = -1, second = -1] = order;
    const [best = 0, next = 0] = [shares[first], shares[second]];
    const [topic, other] = [this.#topics[first], this.#topics[second]];
    if (topic === undefined || best + next < UNSURE_SHARE_MIN) return { zone: "unknown" };
    if (best >= SURE_SHARE_MIN) return { zone: "sure", topic };
    const isClose = next * ALONE_FACTOR >= best;
    return { zone: "unsure", topic, other: isClose && canShareOffer(topic, other) ? other : null };
  }
}

/** The topics of an agent, in their order, to be learnt by their meanings. */
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

/** Recognisers write no marks, and numbers in words. */
export function textForMeaning(text: string): string {
  return wordsOf(text, "en").join(" ");
}

/** Yields after each entry; the result is the same as that of the constructor. */
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

/** Shares of a question that a passage must hold to answer it, and to be offered. */
const SURE_COVERAGE_MIN = 0.8;
const UNSURE_COVERAGE_MIN = 0.6;

/** The best of the passages that were looked up, read as an entry. */
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

/** Two are offered by their titles, to be answered; a tool is offered alone. */
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
