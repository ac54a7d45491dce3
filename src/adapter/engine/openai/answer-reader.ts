/** What both APIs of a language model have in common: the request, and an answer as it is put together. */
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../../core/json.ts";
import type { ToolSnapshot } from "../../../domain/conversation/call-config.ts";
import type { LlmUsage } from "../../../domain/conversation/engine-port.ts";
import type { ErrorAnswer } from "../provider-failure.ts";
import type { CompletionMessage } from "./chat-history.ts";

export interface ModelRequest {
  readonly messages: readonly CompletionMessage[];
  readonly tools: readonly ToolSnapshot[];
  /** The model must answer in words. The request still lists the tools: servers want the ones in the history. */
  readonly withoutTools?: boolean;
  /** Requests with the same one begin with the same words. */
  readonly cacheKey?: string;
  /** Stands for the caller, without saying who it is. */
  readonly safetyIdentifier?: string;
}

export interface ModelToolCall {
  readonly name: string;
  /** Null: what came is no JSON object. */
  readonly arguments: JsonObject | null;
  /** What the model thought before it, encrypted: only the provider can read it. */
  readonly thoughts?: readonly JsonObject[];
}

/** `cut`: at the limit of its length. `withheld`: the provider's filter took the rest. */
export type AnswerEnd = "whole" | "cut" | "withheld";

export interface AnswerReader {
  /** Text that this event, or whole answer, adds; often empty. Throws ErrorInStream. */
  add(event: JsonValue): string;
  /** `[DONE]`: nothing follows. */
  done(): void;
  /** Nothing follows. */
  readonly through: boolean;
  /** The model has begun: text, thoughts or a tool call. */
  readonly alive: boolean;
  /** The server separates thoughts from the answer. */
  readonly hasSeparateThoughts?: boolean;
  /** Null: the provider has not said that the answer is over. */
  readonly end: AnswerEnd | null;
  readonly toolCalls: readonly ModelToolCall[];
  /** As counted by the provider; null when it did not say. */
  readonly usage: LlmUsage | null;
}

/** The provider reported an error within its stream. */
export class ErrorInStream extends Error {
  override readonly name = "ErrorInStream";

  constructor(readonly answer: ErrorAnswer) {
    super(answer.message);
  }
}

/** Of a tool call's arguments. */
export const ARGUMENT_CHARACTERS_MAX = 64 * 1024;

/** The arguments of a tool call; null: no object. */
export function toolArguments(raw: string): JsonObject | null {
  if (raw.trim() === "") return {};
  const parsed = parseJson(raw);
  // Some servers encode the object twice.
  const value = typeof parsed === "string" ? parseJson(parsed) : parsed;
  if (value === null) return {};
  return isObject(value) ? value : null;
}

/** Of one request: more than any model reads or writes. A call's sum stays an integer that can be priced. */
const TOKENS_MAX = 100_000_000;

/** A number of tokens as a server told it; 0: it told none that can be. */
export const tokenCount = (value: JsonValue | undefined): number =>
  typeof value === "number" ? Math.min(TOKENS_MAX, Math.max(0, Math.round(value))) : 0;

/** `details`: what the server says of the input, where it does. */
export function usageOf(
  input: JsonValue | undefined,
  output: JsonValue | undefined,
  details: JsonValue | undefined,
): LlmUsage {
  const cached = isObject(details) ? details.cached_tokens : undefined;
  return {
    inputTokens: tokenCount(input),
    outputTokens: tokenCount(output),
    ...(cached === undefined ? {} : { cachedInputTokens: tokenCount(cached) }),
  };
}
