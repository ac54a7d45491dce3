/**
 * An LLM session for knowledge that is too large for the prompt. Each utterance is sent with matching
 * passages. The look-up starts with the first stable words, so it is usually finished when the caller is. If
 * it is late, the answer is generated without passages.
 */
import { type Clock, within } from "../../core/clock.ts";
import type { KnowledgePassage } from "../../features/knowledge/knowledge-index.ts";
import {
  type CallEnd,
  type CallSummary,
  type LlmEvent,
  type LlmInput,
  type LlmSession,
  type LlmUsage,
  NOTHING_USED,
} from "../engine-port.ts";
import { wordsOf } from "../words.ts";

export type SearchKnowledge = (question: string) => Promise<readonly KnowledgePassage[]>;

/** Maximum wait for the passages of a turn. */
const WAIT_MS_MAX = 300;
/** A shorter question refers to the previous one: "And on Sundays?" */
const LEANING_WORDS_MAX = 4;
const PASSAGES_MAX = 6;
/** Passages kept from the previous turn, because the caller may still refer to them. */
const PASSAGES_KEPT_MAX = 2;
const PASSAGES_CHARACTERS_MAX = 6_000;

export class KnowledgeLlm implements LlmSession {
  #ahead: { readonly words: string; readonly found: Promise<readonly KnowledgePassage[]> } | null =
    null;
  #questionBefore = "";
  #before: readonly KnowledgePassage[] = [];

  constructor(
    private readonly llm: LlmSession,
    private readonly search: SearchKnowledge,
    private readonly clock: Clock,
  ) {}

  get capabilities(): { readonly earlyStart: boolean } {
    return this.llm.capabilities ?? { earlyStart: false };
  }

  heardSoFar(text: string): void {
    if (wordsOf(text).length > 1) this.#lookUp(text);
    this.llm.heardSoFar?.(text);
  }

  async *respond(input: LlmInput, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    if (input.type !== "utterance") {
      yield* this.llm.respond(input, signal);
      return;
    }
    const found = await within(this.clock, WAIT_MS_MAX, this.#lookUp(input.text));
    if (signal.aborted) return;
    const passages = this.#withBefore(found ?? []);
    yield* this.llm.respond({ ...input, passages }, signal);
    if (signal.aborted) return;
    this.#questionBefore = input.text;
    this.#before = passages.slice(0, PASSAGES_KEPT_MAX);
  }

  truncateSpoken(text: string, playedMs?: number): void {
    this.llm.truncateSpoken(text, playedMs);
  }

  takeUsage(): LlmUsage {
    return this.llm.takeUsage?.() ?? NOTHING_USED;
  }

  summarize(end: CallEnd): Promise<CallSummary> {
    return this.llm.summarize(end);
  }

  #lookUp(text: string): Promise<readonly KnowledgePassage[]> {
    const said = wordsOf(text);
    const words = said.join(" ");
    if (this.#ahead?.words === words) return this.#ahead.found;
    const leans = said.length <= LEANING_WORDS_MAX && this.#questionBefore !== "";
    const question = leans ? `${text} ${this.#questionBefore}` : text;
    const found = this.search(question).catch(() => []);
    this.#ahead = { words, found };
    return found;
  }

  #withBefore(found: readonly KnowledgePassage[]): KnowledgePassage[] {
    const isFound = (passage: KnowledgePassage) =>
      found.some(({ fileId, text }) => fileId === passage.fileId && text === passage.text);
    const kept = this.#before.filter((passage) => !isFound(passage));
    const passages: KnowledgePassage[] = [];
    let characters = 0;
    for (const passage of [...found.slice(0, PASSAGES_MAX), ...kept]) {
      characters += passage.text.length;
      if (characters > PASSAGES_CHARACTERS_MAX && passages.length > 0) break;
      passages.push(passage);
    }
    return passages;
  }
}
