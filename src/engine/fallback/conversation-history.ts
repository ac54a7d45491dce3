/**
 * History of a call across all engines. A second provider gets it when it takes over. The summary
 * uses it if no model can write one. Bounded.
 */

import type { ChatMessage, LlmInput } from "../../conversation/engine-port.ts";
import type { JsonValue } from "../../core/json.ts";

const ENTRIES_MAX = 300;
const TOOL_CHARACTERS_MAX = 4_000;

export class ConversationHistory {
  #entries: ChatMessage[];
  /** Start and question of the current exchange. */
  #exchange: { at: number; question: string } | null = null;
  #answerWasCut = false;
  readonly toolsDone: string[] = [];
  readonly toolsFailed: string[] = [];
  readonly #tools = new Map<string, string>();

  constructor(before: readonly ChatMessage[]) {
    this.#entries = [...before];
  }

  get entries(): readonly ChatMessage[] {
    return this.#entries;
  }

  get callerSpoke(): boolean {
    return this.#entries.some(({ by }) => by === "caller");
  }

  /**
   * History for an engine that takes over now. Without the current input, which it gets separately,
   * unless an answer began.
   */
  get failoverHistory(): readonly ChatMessage[] {
    const answering = this.#entries.at(-1)?.by === "agent";
    if (!this.#exchange || answering) return this.#entries;
    return this.#entries.slice(0, this.#exchange.at);
  }

  /** Adds an input for the LLM. Returns a function that removes it again. */
  asked(input: LlmInput): () => void {
    const before = this.#entries;
    this.#entries = [...before];
    if (input.type === "utterance") this.#dropUnplayed(input.text);
    this.#exchange = { at: this.#entries.length, question: "" };
    if (input.type === "utterance") {
      this.#exchange.question = input.text;
      this.#add("caller", input.text);
    } else if (input.type === "digits") this.#add("caller", `[keys ${input.digits}]`);
    else if (input.type === "tool_result") this.#toolAnswered(input);
    return () => {
      this.#entries = before;
      this.#exchange = null;
    };
  }

  answered(text: string): void {
    const last = this.#entries.at(-1);
    if (last?.by === "agent" && this.#exchange) {
      this.#entries[this.#entries.length - 1] = { by: "agent", text: `${last.text} ${text}` };
    } else this.#add("agent", text);
  }

  toolCalled(id: string, name: string): void {
    this.#tools.set(id, name);
  }

  toolName(id: string): string {
    return this.#tools.get(id) ?? "tool";
  }

  cut(): void {
    this.#answerWasCut = true;
  }

  complete(): void {
    this.#answerWasCut = false;
  }

  truncateSpoken(text: string): void {
    const last = this.#entries.findLastIndex(({ by }) => by === "agent");
    if (last < 0) return;
    if (text.trim() === "") this.#entries.splice(last, 1);
    else this.#entries[last] = { by: "agent", text };
    this.#answerWasCut = text.trim() === "";
    if (!this.#answerWasCut) this.#exchange = null;
  }

  #toolAnswered(input: { toolCallId: string; ok: boolean; output: JsonValue }): void {
    const name = this.toolName(input.toolCallId);
    (input.ok ? this.toolsDone : this.toolsFailed).push(name.replace(/[_-]+/g, " "));
    const output = JSON.stringify(input.output).slice(0, TOOL_CHARACTERS_MAX);
    this.#add("tool", `${name}: ${output}`);
  }

  #dropUnplayed(text: string): void {
    const exchange = this.#exchange;
    if (!this.#answerWasCut || !exchange) return;
    this.#answerWasCut = false;
    if (exchange.question !== "" && text.startsWith(exchange.question)) {
      this.#entries.splice(exchange.at);
    }
  }

  #add(by: ChatMessage["by"], text: string): void {
    if (text === "") return;
    this.#entries.push({ by, text });
    if (this.#entries.length > ENTRIES_MAX) this.#entries.shift();
  }
}
