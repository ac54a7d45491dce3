/**
 * What an agent can be asked: its knowledge and its tools in one ranking, so that "book an
 * appointment" and "cancel my appointment" compete. A score joins how well the words fit the topic
 * with how well they fitted the sound.
 */
import type { AgentLanguage } from "../../../../domain/agent/agent.ts";
import type { ToolSnapshot } from "../../../../domain/conversation/call-config.ts";
import type { KnowledgePassage } from "../../../../domain/knowledge/knowledge-index.ts";
import { ratioOf } from "../recogniser/likelihood.ts";
import { type KnowledgeEntry, parseKnowledge } from "./knowledge.ts";
import { createRetriever, type Retriever } from "./retrieval.ts";

export type Topic =
  | { readonly type: "answer"; readonly title: string; readonly answer: string }
  | { readonly type: "tool"; readonly title: string; readonly tool: ToolSnapshot };

type Finding =
  | { readonly zone: "sure" | "unsure"; readonly topic: Topic; readonly score: number }
  | { readonly zone: "unknown" };

const SURE_SCORE_MIN = 0.45;
const UNSURE_SCORE_MIN = 0.3;
/** Of `likelihood ratio + 10 · retrieval`: measured on synthetic callers. */
const SURE_EVIDENCE_MIN = -17;
const UNSURE_EVIDENCE_MIN = -22;
const RETRIEVAL_WEIGHT = 10;
/** Two topics closer than this are told apart by asking. */
const MARGIN_MIN = 0.04;

export class Topics {
  readonly #topics: readonly Topic[];
  readonly #retrieve: Retriever;

  constructor(
    knowledge: readonly KnowledgeEntry[],
    tools: readonly ToolSnapshot[],
    language: AgentLanguage,
  ) {
    this.#topics = [...tools.map(topicOfTool), ...knowledge.map(topicOfEntry)];
    const toolEntries = tools.map((tool) => ({ questions: waysToAskFor(tool), answer: "" }));
    this.#retrieve = createRetriever([...toolEntries, ...knowledge], language);
  }

  /** Titles that can be offered: questions as the tenant wrote them. */
  get offered(): readonly Topic[] {
    return this.#topics.filter((topic) => topic.title !== "");
  }

  find(text: string, confidence: number): Finding {
    const match = this.#retrieve(text);
    const topic = match === null ? undefined : this.#topics[match.entry];
    if (match === null || topic === undefined) return { zone: "unknown" };
    const { score } = match;
    const evidence = ratioOf(confidence) + RETRIEVAL_WEIGHT * score;
    const clear = match.margin >= MARGIN_MIN || score > 0.9;
    if (score >= SURE_SCORE_MIN && evidence >= SURE_EVIDENCE_MIN && clear) {
      return { zone: "sure", topic, score };
    }
    if (score >= UNSURE_SCORE_MIN && evidence >= UNSURE_EVIDENCE_MIN) {
      return { zone: "unsure", topic, score };
    }
    return { zone: "unknown" };
  }
}

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
  const zone = best.coverage >= SURE_COVERAGE_MIN ? "sure" : "unsure";
  return { zone, topic: topicOfEntry(entry), score: best.coverage };
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
