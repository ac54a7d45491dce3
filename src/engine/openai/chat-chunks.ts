/**
 * Assembles the chunks of a streamed chat completion: text immediately, tool calls when complete,
 * and usage. Accepts the variants of real servers: tool calls in fragments by index or complete,
 * with or without ids. Arguments may be text or an object, and a `message` may replace a `delta`.
 */

import type { LlmUsage } from "../../conversation/engine-port.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import {
  type AnswerEnd,
  type AnswerReader,
  ARGUMENT_CHARACTERS_MAX,
  ErrorInStream,
  type ModelToolCall,
  toolArguments,
  usageOf,
} from "./answer-reader.ts";
import { readErrorAnswer } from "./error-answer.ts";

interface Fragments {
  readonly index: number | null;
  readonly id: string;
  name: string;
  arguments: string;
}

const TOOL_CALLS_MAX = 16;
/**
 * Limit per answer for checking whether arguments are complete. Each fragment with a name needs a
 * check.
 */
const JUDGED_CHARACTERS_MAX = 1024 * 1024;
/** Finish reasons for incomplete answers. */
const ENDS: Readonly<Record<string, AnswerEnd>> = { length: "cut", content_filter: "withheld" };

export class ChatChunks implements AnswerReader {
  readonly #calls: Fragments[] = [];
  #end: AnswerEnd | null = null;
  #through = false;
  #usage: LlmUsage | null = null;
  #alive = false;
  #hasSeparateThoughts = false;
  #judged = 0;

  get end(): AnswerEnd | null {
    return this.#end;
  }

  get alive(): boolean {
    return this.#alive;
  }

  get hasSeparateThoughts(): boolean {
    return this.#hasSeparateThoughts;
  }

  get usage(): LlmUsage | null {
    return this.#usage;
  }

  get toolCalls(): ModelToolCall[] {
    return this.#calls
      .filter((call) => call.name !== "")
      .map(({ name, arguments: raw }) => ({ name, arguments: toolArguments(raw) }));
  }

  add(chunk: JsonValue): string {
    if (!isObject(chunk)) return "";
    const { error, usage, choices, x_groq: groq } = chunk;
    if (error !== undefined && error !== null) throw new ErrorInStream(readErrorAnswer(chunk));
    if (isObject(groq) && groq.error) throw new ErrorInStream(readErrorAnswer(groq));
    this.#readUsage(usage);
    const [choice] = Array.isArray(choices) ? choices : [];
    if (!isObject(choice)) return "";
    const delta = isObject(choice.delta) ? choice.delta : choice.message;
    const text = isObject(delta) ? this.#readDelta(delta) : "";
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") {
      this.#end = ENDS[choice.finish_reason] ?? "whole";
    }
    return text;
  }

  done(): void {
    this.#end ??= "whole";
    this.#through = true;
  }

  get through(): boolean {
    return this.#through;
  }

  #readDelta(delta: JsonObject): string {
    const text = textOf(delta.content) + textOf(delta.refusal);
    const thoughts = delta.reasoning_content ?? delta.reasoning;
    if (typeof thoughts === "string" && thoughts !== "") this.#hasSeparateThoughts = true;
    if (text !== "" || this.#hasSeparateThoughts) this.#alive = true;
    const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
    for (const call of calls) if (isObject(call)) this.#readToolCall(call);
    if (isObject(delta.function_call)) this.#readToolCall({ function: delta.function_call });
    return text;
  }

  #readToolCall(call: JsonObject): void {
    const fn = isObject(call.function) ? call.function : call;
    const index = typeof call.index === "number" ? call.index : null;
    const id = typeof call.id === "string" ? call.id : "";
    const name = typeof fn.name === "string" ? fn.name : "";
    const fragments = this.#callFor(index, id, name);
    if (!fragments) return;
    this.#alive = true;
    if (fragments.name === "") fragments.name = name;
    fragments.arguments += argumentsText(fn.arguments);
    if (fragments.arguments.length > ARGUMENT_CHARACTERS_MAX) {
      const message = "a tool call's arguments are too long";
      throw new ErrorInStream({ message, code: "", param: "" });
    }
  }

  /** The current call of this fragment, or a new one; null if there are too many. */
  #callFor(index: number | null, id: string, name: string): Fragments | null {
    const last = this.#calls.at(-1);
    const known = this.#calls.findLast((call) => {
      if (id !== "" && call.id !== "" && id !== call.id) return false;
      if (index !== null && call.index !== null) return index === call.index;
      return id !== "" && id === call.id;
    });
    // Some servers give every complete call the number 0. Then a second name begins a second call.
    const isAnother = known && name !== "" && known.name !== "" && this.#isComplete(known);
    if (known && !isAnother) return known;
    const continuesLast = !known && last && index === null && id === "" && name === "";
    if (continuesLast) return last;
    if (this.#calls.length >= TOOL_CALLS_MAX) return null;
    const begun: Fragments = { index, id, name: "", arguments: "" };
    this.#calls.push(begun);
    return begun;
  }

  #isComplete(call: Fragments): boolean {
    this.#judged += call.arguments.length;
    return this.#judged <= JUDGED_CHARACTERS_MAX && toolArguments(call.arguments) !== null;
  }

  #readUsage(usage: JsonValue | undefined): void {
    if (!isObject(usage)) return;
    const input = usage.prompt_tokens ?? usage.input_tokens;
    const output = usage.completion_tokens ?? usage.output_tokens;
    if (typeof input !== "number" && typeof output !== "number") return;
    const read = usage.prompt_tokens_details ?? usage.input_tokens_details;
    this.#usage = usageOf(input, output, read);
  }
}

function argumentsText(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  return isObject(value) ? JSON.stringify(value) : "";
}

/** A text, or the texts of content parts. */
function textOf(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (isObject(part) ? textOf(part.text) : "")).join("");
}
