/**
 * A language model behind `POST /chat/completions` or `POST /responses`, whichever it supports.
 * Streams text, then tool calls, the reason for the end, and usage. An interrupted answer rejects,
 * even if it was well-formed so far. If a server rejects a field, the request is repeated without
 * it, and the client remembers that.
 */

import type { LlmUsage } from "../../conversation/engine-port.ts";
import { type JsonValue, parseJson } from "../../core/json.ts";
import { ProviderFailure } from "../provider-failure.ts";
import {
  type AnswerEnd,
  type AnswerReader,
  ErrorInStream,
  type ModelRequest,
  type ModelToolCall,
} from "./answer-reader.ts";
import { ChatChunks } from "./chat-chunks.ts";
import { reasonOfEvent } from "./error-answer.ts";
import { type CapabilitySettings, type LlmApi, ModelCapabilities } from "./model-capabilities.ts";
import { chatBody, responsesBody } from "./request-body.ts";
import { ResponseEvents } from "./response-events.ts";
import { EventTooLong, ServerSentEvents } from "./server-sent-events.ts";
import type { Answer, Service } from "./service.ts";

type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_calls"; readonly calls: readonly ModelToolCall[] }
  | { readonly type: "end"; readonly end: AnswerEnd }
  | { readonly type: "usage"; readonly usage: LlmUsage };

const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const PAUSE_MS_MAX = 5_000;
/** Usual names of reasoning models. */
const THINKS =
  /deepseek-?(?:r\d|reasoner)|\br1\b|qwq|qwen-?3(?!.*instruct)|think|reason|magistral|nemotron|glm-?(?:z1|4\.[5-9]|5)|minimax-m|hunyuan|phi-4-(?:mini-)?reasoning|exaone-deep|marco-o1|skywork-o/iu;
const MALFORMED_MAX = 3;
/** One for each rule to learn from a server, plus the answer. */
const ATTEMPTS_MAX = 6;
const ENDS_A_SENTENCE = /[.!?…]["»”’)\]]*\s*$/u;

const APIS = {
  chat: { path: "/chat/completions", body: chatBody, reader: () => new ChatChunks() },
  responses: { path: "/responses", body: responsesBody, reader: () => new ResponseEvents() },
} as const;

/** One instance per server and call worker. */
export class LanguageModel {
  readonly #rules: ModelCapabilities;
  /** Null before the first answer. */
  #thinksAloud: boolean | null = null;

  constructor(
    private readonly service: Service,
    settings: CapabilitySettings,
  ) {
    this.#rules = new ModelCapabilities(settings);
  }

  /** True if its answers may begin with reasoning whose opening tag is missing. */
  get mayThinkAloud(): boolean {
    return this.#thinksAloud ?? THINKS.test(this.#rules.model);
  }

  /**
   * Learns from a complete answer. Once reasoning came without its opening tag, others will too.
   */
  answered({ hasLoneThoughtEnd }: { readonly hasLoneThoughtEnd: boolean }): void {
    this.#thinksAloud = this.#thinksAloud === true || hasLoneThoughtEnd;
  }

  /** Rejects with ProviderFailure. Ends without an error when aborted. */
  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { answer, api } = await this.#ask(request, signal);
    const reader = APIS[api].reader();
    if (/^application\/json/i.test(answer.contentType)) yield* this.#whole(answer, reader, signal);
    else yield* this.#streamed(answer, reader, signal);
  }

  async #ask(
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<{ readonly answer: Answer; readonly api: LlmApi }> {
    const rules = this.#rules;
    for (let attempt = 1; ; attempt++) {
      const { api, state } = rules;
      try {
        const answer = await this.service.ask({
          path: APIS[api].path,
          body: APIS[api].body(request, rules),
          accept: "text/event-stream",
          signal,
          pauseMsMax: PAUSE_MS_MAX,
          bytesMax: ANSWER_BYTES_MAX,
        });
        return { answer, api };
      } catch (error) {
        // Another call may have learnt it in the meantime.
        const isNew = rules.state !== state || rules.learn(error);
        if (attempt >= ATTEMPTS_MAX || !isNew || !isRefusal(error)) throw error;
      }
    }
  }

  /** Reads the answer of a server without streaming. */
  async *#whole(
    answer: Answer,
    reader: AnswerReader,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    const body = parseJson(await answer.text());
    if (signal.aborted) return;
    if (body === undefined) throw this.service.fail("protocol", "the answer is no JSON");
    const text = this.#add(reader, body);
    if (text !== "") yield { type: "text", text };
    yield* this.#rest(reader);
  }

  async *#streamed(
    answer: Answer,
    reader: AnswerReader,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    const events = new ServerSentEvents();
    let malformed = 0;
    let written = "";
    const read = (data: string): string => {
      if (data.trim() === "[DONE]") {
        reader.done();
        return "";
      }
      const chunk = parseJson(data);
      if (chunk === undefined && ++malformed > MALFORMED_MAX) {
        throw this.service.fail("protocol", "too many malformed events");
      }
      const text = chunk === undefined ? "" : this.#add(reader, chunk);
      if (reader.alive) answer.begun();
      return text;
    };
    const parts = answer.parts();
    let through = false;
    try {
      while (!reader.through) {
        const { done, value } = await parts.next();
        if (done) break;
        for (const data of this.#events(() => events.push(value))) {
          const text = read(data);
          if (reader.hasSeparateThoughts) this.#thinksAloud ??= false;
          written += text;
          if (text !== "") yield { type: "text", text };
        }
        if (signal.aborted) return;
      }
      through = reader.through;
      if (through) answer.readOut(parts);
    } finally {
      if (!through) void parts.return(undefined).catch(() => {});
    }
    if (signal.aborted) return;
    for (const data of through ? [] : this.#events(() => events.end())) {
      const text = read(data);
      written += text;
      if (text !== "") yield { type: "text", text };
    }
    this.#checkWhole(reader, written);
    yield* this.#rest(reader);
  }

  *#rest(reader: AnswerReader): Generator<ModelEvent> {
    const calls = reader.toolCalls;
    if (calls.length > 0) yield { type: "tool_calls", calls };
    yield { type: "end", end: reader.end ?? "whole" };
    if (reader.usage) yield { type: "usage", usage: reader.usage };
  }

  /**
   * Some servers send neither a finish reason nor `[DONE]`. A complete sentence or tool call is
   * enough.
   */
  #checkWhole(reader: AnswerReader, written: string): void {
    if (reader.end !== null) return;
    const calls = reader.toolCalls;
    const callsWhole = calls.length > 0 && calls.every((call) => call.arguments !== null);
    if (callsWhole || (calls.length === 0 && ENDS_A_SENTENCE.test(written))) return;
    throw this.service.fail("protocol", "the answer broke off");
  }

  #add(reader: AnswerReader, event: JsonValue): string {
    try {
      return reader.add(event);
    } catch (error) {
      if (!(error instanceof ErrorInStream)) throw error;
      const { answer } = error;
      throw this.service.fail(reasonOfEvent(answer), error.message, { answer, cause: error });
    }
  }

  #events(take: () => string[]): string[] {
    try {
      return take();
    } catch (error) {
      if (!(error instanceof EventTooLong)) throw error;
      throw this.service.fail("protocol", error.message, { cause: error });
    }
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ProviderFailure && (error.ofRequest || error.reason === "not_found");
