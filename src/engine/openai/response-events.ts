/**
 * Assembles the events of a streamed response (`/v1/responses`): text and refusals immediately,
 * tool calls when complete, the reason for the end, and usage. Also reads a response without
 * streaming.
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

const TOOL_CALLS_MAX = 16;
const THOUGHTS_MAX = 16;

export class ResponseEvents implements AnswerReader {
  readonly #calls: ModelToolCall[] = [];
  /** Reasoning since the last call. */
  #thoughts: JsonObject[] = [];
  #alive = false;
  #end: AnswerEnd | null = null;
  #usage: LlmUsage | null = null;
  /** Message of the latest text. Text of another message starts separately. */
  #speaking = "";

  get alive(): boolean {
    return this.#alive;
  }

  get end(): AnswerEnd | null {
    return this.#end;
  }

  get through(): boolean {
    return this.#end !== null;
  }

  get toolCalls(): readonly ModelToolCall[] {
    return this.#calls;
  }

  get usage(): LlmUsage | null {
    return this.#usage;
  }

  done(): void {
    this.#end ??= "whole";
  }

  add(event: JsonValue): string {
    if (!isObject(event)) return "";
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#text(event);
      case "response.output_item.added":
        this.#alive = true;
        return "";
      case "response.output_item.done":
        this.#readItem(event.item);
        return "";
      case "response.completed":
      case "response.incomplete":
        this.#finish(event.response);
        return "";
      case "response.failed":
        throw new ErrorInStream(readErrorAnswer(event.response));
      case "error":
        throw new ErrorInStream(readErrorAnswer(event));
      default:
        return event.object === "response" ? this.#whole(event) : "";
    }
  }

  #text({ item_id: id, delta }: JsonObject): string {
    if (typeof delta !== "string" || delta === "") return "";
    this.#alive = true;
    const speaking = typeof id === "string" ? id : "";
    const isAnother = this.#speaking !== "" && this.#speaking !== speaking;
    this.#speaking = speaking;
    return isAnother ? ` ${delta}` : delta;
  }

  #readItem(item: JsonValue | undefined): void {
    if (!isObject(item)) return;
    const isEncrypted = typeof item.encrypted_content === "string";
    if (item.type === "reasoning" && isEncrypted && this.#thoughts.length < THOUGHTS_MAX)
      this.#thoughts.push(item);
    else if (item.type === "function_call" && typeof item.name === "string")
      this.#readCall(item, item.name);
  }

  #readCall(item: JsonObject, name: string): void {
    this.#alive = true;
    const raw = typeof item.arguments === "string" ? item.arguments : "";
    if (raw.length > ARGUMENT_CHARACTERS_MAX) {
      const message = "a tool call's arguments are too long";
      throw new ErrorInStream({ message, code: "", param: "" });
    }
    if (this.#calls.length >= TOOL_CALLS_MAX) return;
    const thoughts = this.#thoughts;
    this.#thoughts = [];
    this.#calls.push({ name, arguments: toolArguments(raw), thoughts });
  }

  #whole(response: JsonObject): string {
    if (response.status === "failed") throw new ErrorInStream(readErrorAnswer(response));
    const texts: string[] = [];
    for (const item of Array.isArray(response.output) ? response.output : []) {
      this.#readItem(item);
      for (const part of isObject(item) && Array.isArray(item.content) ? item.content : []) {
        const text = isObject(part) ? (part.text ?? part.refusal) : null;
        if (isObject(item) && item.type === "message" && typeof text === "string") texts.push(text);
      }
    }
    this.#finish(response);
    return texts.join(" ");
  }

  #finish(response: JsonValue | undefined): void {
    this.#end = "whole";
    if (!isObject(response)) return;
    const { incomplete_details: details, usage } = response;
    const reason = isObject(details) ? details.reason : null;
    if (response.status === "incomplete") {
      this.#end = reason === "content_filter" ? "withheld" : "cut";
    }
    if (!isObject(usage)) return;
    const { input_tokens: input, output_tokens: output, input_tokens_details: read } = usage;
    this.#usage = usageOf(input, output, read);
  }
}
