/**
 * History of a call for the model, as messages of /v1/chat/completions. It contains only words that
 * were really said and heard. It fits the model's window: the oldest turns are removed first.
 *
 * Guarantees: every tool call has an answer before the next request. A cut answer contains only the
 * words that the caller heard. An unheard answer is removed, and its question is not repeated if
 * the caller says it again with more words.
 */

import type { ChatMessage } from "../../conversation/engine-port.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { oneLine } from "../../core/one-line.ts";
import { estimateTokens } from "../prompt-size.ts";

export interface CompletionMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  /** The model's reasoning before each call. */
  readonly thoughts?: readonly (readonly JsonObject[])[];
}

export interface RememberedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly thoughts?: readonly JsonObject[];
}

/** Limit of an answer: some minutes of speech. */
export const ANSWER_TOKENS_MAX = 1_024;
const MESSAGES_MAX = 400;
const NO_RESULT = '{"error":"no result"}';

export class ChatHistory {
  #messages: CompletionMessage[] = [];
  /** The caller's last words and their index; null if another input came since. */
  #question: { readonly text: string; readonly at: number } | null = null;
  /** Message of the current answer; null before its first word. */
  #answer: CompletionMessage | null = null;
  #answerWasCut = false;

  constructor(
    private readonly systemPrompt: string,
    before: readonly ChatMessage[],
  ) {
    for (const message of before) this.#messages.push(messageOf(message));
  }

  /** Returns a function that restores the current state, for a failed request. */
  mark(): () => void {
    const messages = [...this.#messages];
    const question = this.#question;
    return () => {
      this.#messages = messages;
      this.#question = question;
      this.#answer = null;
    };
  }

  caller(text: string): void {
    this.#dropUnplayed(text);
    this.#question = { text, at: this.#messages.length };
    this.#add({ role: "user", content: spokenWords(text) });
    this.#answer = null;
  }

  /** The caller's words were not understood. */
  inaudible(): void {
    this.note("inaudible");
  }

  /** Adds a fact about the call, as data. */
  note(text: string): void {
    this.#answer = null;
    this.#question = null;
    this.#add({ role: "user", content: `[${text}]` });
  }

  /** Adds a piece of the current answer. */
  agent(text: string): void {
    const previous = this.#answer;
    const content = previous?.content ? `${previous.content} ${text}` : text;
    this.#replaceAnswer({ ...(previous ?? { role: "assistant" }), content });
  }

  agentCalls(calls: readonly RememberedCall[]): void {
    const toolCalls = calls.map(({ id, name, arguments: args }) => ({
      id,
      type: "function" as const,
      function: { name, arguments: JSON.stringify(args) },
    }));
    const previous = this.#answer;
    this.#replaceAnswer({
      role: "assistant",
      content: previous?.content ?? null,
      tool_calls: [...(previous?.tool_calls ?? []), ...toolCalls],
      thoughts: [...(previous?.thoughts ?? []), ...calls.map(({ thoughts = [] }) => thoughts)],
    });
  }

  toolResult(id: string, output: JsonValue): void {
    if (!this.openCalls.includes(id)) return;
    this.#answer = null;
    this.#question = null;
    this.#add({ role: "tool", tool_call_id: id, content: JSON.stringify(output) });
  }

  /** True if the current answer has any text. */
  get isAnswering(): boolean {
    return this.#answer !== null;
  }

  /** Tool calls without an answer yet. */
  get openCalls(): string[] {
    const answered = new Set(this.#messages.map((message) => message.tool_call_id));
    return this.#messages
      .flatMap((message) => message.tool_calls ?? [])
      .map((call) => call.id)
      .filter((id) => !answered.has(id));
  }

  /** The answer was stopped. It is not known yet whether the caller heard any of it. */
  cut(): void {
    this.#answerWasCut = true;
  }

  /** Removes the question of an abandoned answer that nobody knew about. */
  forgetQuestion(): void {
    const question = this.#question;
    this.#question = null;
    this.#answer = null;
    if (question) this.#messages.splice(question.at);
  }

  complete(): void {
    this.#answerWasCut = false;
  }

  /** The caller heard only this part of the last answer; empty if nothing. */
  truncateSpoken(text: string): void {
    const last = this.#messages.findLastIndex(({ role, content }) => {
      return role === "assistant" && content !== null;
    });
    const message = this.#messages[last];
    if (!message) return;
    if (text.trim() !== "") this.#messages[last] = { ...message, content: text.trim() };
    else if (message.tool_calls) this.#messages[last] = { ...message, content: null };
    else this.#messages.splice(last, 1);
    this.#answer = null;
    this.#answerWasCut = text.trim() === "";
    if (!this.#answerWasCut) this.#question = null;
  }

  /** Messages of a request: only complete tool exchanges, within `contextTokens`. */
  messages(contextTokens: number): CompletionMessage[] {
    for (const id of this.openCalls) this.#answerMissing(id);
    const system: CompletionMessage = { role: "system", content: this.systemPrompt };
    let left = contextTokens - ANSWER_TOKENS_MAX - tokensOf(system);
    let first = this.#messages.length;
    while (first > 0) {
      const message = this.#messages[first - 1];
      if (!message) break;
      left -= tokensOf(message);
      if (left < 0 && first < this.#messages.length) break;
      first--;
    }
    while (this.#messages[first]?.role === "tool") first++;
    return [system, ...this.#messages.slice(first)];
  }

  /** `Agent: …` / `Customer: …`, for a summary. */
  asText(): string {
    const lines = this.#messages.flatMap(({ role, content }) => {
      if (content === null || content === "") return [];
      if (role === "assistant") return [`Agent: ${content}`];
      return [role === "tool" ? `Tool: ${content}` : `Customer: ${content}`];
    });
    return lines.join("\n");
  }

  #answerMissing(id: string): void {
    const call = this.#messages.findIndex((message) =>
      message.tool_calls?.some((wanted) => wanted.id === id),
    );
    this.#messages.splice(call + 1, 0, { role: "tool", tool_call_id: id, content: NO_RESULT });
  }

  /**
   * The caller continues a question whose answer nobody heard. The question is sent once, as a
   * whole.
   */
  #dropUnplayed(text: string): void {
    const question = this.#question;
    if (!question || !this.#answerWasCut) return;
    this.#answerWasCut = false;
    if (!text.startsWith(question.text)) return;
    const since = this.#messages.slice(question.at);
    if (since.some((message) => message.tool_calls)) return;
    this.#messages.splice(question.at);
  }

  #replaceAnswer(message: CompletionMessage): void {
    const at = this.#answer === null ? -1 : this.#messages.lastIndexOf(this.#answer);
    this.#answer = message;
    if (at < 0) this.#add(message);
    else this.#messages[at] = message;
  }

  #add(message: CompletionMessage): void {
    this.#messages.push(message);
    const surplus = this.#messages.length - MESSAGES_MAX;
    if (surplus <= 0) return;
    this.#messages.splice(0, surplus);
    while (this.#messages[0]?.role === "tool") this.#messages.shift();
    this.#question = null;
  }
}

function messageOf({ by, text }: ChatMessage): CompletionMessage {
  if (by === "agent") return { role: "assistant", content: text };
  const words = spokenWords(text);
  return { role: "user", content: by === "tool" ? `[A tool returned: ${words}]` : words };
}

const WORDS_CHARACTERS_MAX = 20_000;

/** Square brackets are reserved for notes about the call. Spoken words can't contain them. */
const spokenWords = (text: string): string =>
  oneLine(text, WORDS_CHARACTERS_MAX)
    .replace(/[[［]/g, "(")
    .replace(/[\]］]/g, ")");

const tokensOf = (message: CompletionMessage): number =>
  4 +
  estimateTokens(message.content ?? "") +
  estimateTokens(JSON.stringify(message.tool_calls ?? "")) +
  estimateTokens(JSON.stringify(message.thoughts ?? ""));
