/** Types and helpers for both APIs of a language model: the request, and a streamed answer. */

import type { ToolSnapshot } from "../../conversation/call-config.ts";
import type { LlmUsage } from "../../conversation/engine-port.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../core/json.ts";
import type { ErrorAnswer } from "../provider-failure.ts";
import type { CompletionMessage } from "./chat-history.ts";

export interface ModelRequest {
  readonly messages: readonly CompletionMessage[];
  readonly tools: readonly ToolSnapshot[];
  /**
   * The model must answer in words. The request still lists the tools: servers need those in the
   * history.
   */
  readonly withoutTools?: boolean;
  /** Requests with the same key begin with the same words. */
  readonly cacheKey?: string;
  /** Identifies the caller without revealing who it is. */
  readonly safetyIdentifier?: string;
}

export interface ModelToolCall {
  readonly name: string;
  /** Null if the text is not a JSON object. */
  readonly arguments: JsonObject | null;
  /** The model's reasoning before the call, encrypted: only the provider can read it. */
  readonly thoughts?: readonly JsonObject[];
}

/** `cut`: the length limit was reached. `withheld`: the provider's filter removed the rest. */
export type AnswerEnd = "whole" | "cut" | "withheld";

export interface AnswerReader {
  /** Adds an event, or a whole answer, and returns its text, often empty. Throws ErrorInStream. */
  add(event: JsonValue): string;
  /** The end of the stream (`[DONE]`). */
  done(): void;
  /** True after the end of the stream. */
  readonly through: boolean;
  /** The model has started to send text, reasoning or a tool call. */
  readonly alive: boolean;
  /** The server separates the reasoning from the answer. */
  readonly hasSeparateThoughts?: boolean;
  /** Null if the provider has not ended the answer. */
  readonly end: AnswerEnd | null;
  readonly toolCalls: readonly ModelToolCall[];
  /** The provider's count; null if unknown. */
  readonly usage: LlmUsage | null;
}

/** The provider reported an error within its stream. */
export class ErrorInStream extends Error {
  override readonly name = "ErrorInStream";

  constructor(readonly answer: ErrorAnswer) {
    super(answer.message);
  }
}

/** Limit for a tool call's arguments. */
export const ARGUMENT_CHARACTERS_MAX = 64 * 1024;

/** Arguments of a tool call; null if not an object. */
export function toolArguments(raw: string): JsonObject | null {
  if (raw.trim() === "") return {};
  const parsed = parseJson(raw);
  // Some servers encode the object twice.
  const value = typeof parsed === "string" ? parseJson(parsed) : parsed;
  if (value === null) return {};
  return isObject(value) ? value : null;
}

/**
 * Limit per request, more than any model reads or writes. The sum of a call stays a safe integer.
 */
const TOKENS_MAX = 100_000_000;

/** Number of tokens reported by a server; 0 if missing or invalid. */
export const tokenCount = (value: JsonValue | undefined): number =>
  typeof value === "number" ? Math.min(TOKENS_MAX, Math.max(0, Math.round(value))) : 0;

/** `details`: the server's details of the input, if any. */
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
