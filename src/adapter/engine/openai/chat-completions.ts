/**
 * `POST /chat/completions`, streamed: text, then tool calls, then usage. Ends only when the answer
 * is whole; an answer that broke off rejects, even when all of it so far was well-formed.
 */

import { parseJson } from "../../../core/json.ts";
import type { ToolSnapshot } from "../../../domain/conversation/call-config.ts";
import { ProviderFailure } from "../provider-failure.ts";
import { ChatChunks, type ChatToolCall, type ChatUsage, ErrorInStream } from "./chat-chunks.ts";
import type { CompletionMessage } from "./chat-history.ts";
import { reasonOfEvent } from "./error-answer.ts";
import { EventTooLong, ServerSentEvents } from "./server-sent-events.ts";
import { type Answer, readOut, type Service } from "./service.ts";
import type { OpenAiSettings } from "./settings.ts";

interface CompletionRequest {
  readonly messages: readonly CompletionMessage[];
  readonly tools: readonly ToolSnapshot[];
}

type CompletionEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_calls"; readonly calls: readonly ChatToolCall[] }
  | { readonly type: "usage"; readonly usage: ChatUsage };

const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const PAUSE_MS_MAX = 5_000;
const MALFORMED_MAX = 3;
/** What we can do without, where a server does not know it. */
const DISPENSABLE = ["temperature", "stream_options", "parallel_tool_calls"];
const ENDS_A_SENTENCE = /[.!?…]["»”’)\]]*\s*$/u;

export class ChatCompletions {
  /** Parameters this server refused. */
  readonly #rejectedParameters = new Set<string>();

  constructor(
    private readonly service: Service,
    private readonly settings: Pick<OpenAiSettings, "llm_model" | "llm_temperature">,
  ) {}

  /** Rejects with ProviderFailure; ends quietly when aborted. */
  async *stream(request: CompletionRequest, signal: AbortSignal): AsyncGenerator<CompletionEvent> {
    const answer = await this.#ask(request, signal);
    if (/^application\/json/i.test(answer.contentType)) yield* this.#whole(answer, signal);
    else yield* this.#streamed(answer, signal);
  }

  async #ask(request: CompletionRequest, signal: AbortSignal): Promise<Answer> {
    for (;;) {
      try {
        return await this.service.ask({
          path: "/chat/completions",
          body: this.#body(request),
          accept: "text/event-stream",
          signal,
          pauseMsMax: PAUSE_MS_MAX,
          bytesMax: ANSWER_BYTES_MAX,
        });
      } catch (error) {
        if (!this.#canDoWithout(error)) throw error;
      }
    }
  }

  #body({ messages, tools }: CompletionRequest): Record<string, unknown> {
    const body: Record<string, unknown> = {
      model: this.settings.llm_model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
      temperature: this.settings.llm_temperature,
    };
    if (tools.length > 0) {
      body.tools = tools.map(({ name, description, parameters }) => ({
        type: "function",
        function: { name, description, parameters },
      }));
    }
    for (const name of this.#rejectedParameters) delete body[name];
    return body;
  }

  /** The refusal names a parameter that is not needed: it is left out from now on. */
  #canDoWithout(error: unknown): boolean {
    if (!(error instanceof ProviderFailure) || error.reason !== "request") return false;
    const named = DISPENSABLE.find(
      (name) => !this.#rejectedParameters.has(name) && error.message.includes(name),
    );
    if (!named) return false;
    this.#rejectedParameters.add(named);
    return true;
  }

  /** A server that does not stream. */
  async *#whole(answer: Answer, signal: AbortSignal): AsyncGenerator<CompletionEvent> {
    const body = parseJson(await answer.text());
    if (signal.aborted) return;
    if (body === undefined) throw this.service.fail("protocol", "the answer is no JSON");
    const chunks = new ChatChunks();
    const text = this.#add(chunks, body);
    if (text !== "") yield { type: "text", text };
    yield* this.#rest(chunks);
  }

  async *#streamed(answer: Answer, signal: AbortSignal): AsyncGenerator<CompletionEvent> {
    const chunks = new ChatChunks();
    const events = new ServerSentEvents();
    let malformed = 0;
    let written = "";
    const read = (data: string): string => {
      if (data.trim() === "[DONE]") {
        chunks.done();
        return "";
      }
      const chunk = parseJson(data);
      if (chunk === undefined && ++malformed > MALFORMED_MAX) {
        throw this.service.fail("protocol", "too many malformed events");
      }
      const text = chunk === undefined ? "" : this.#add(chunks, chunk);
      if (chunks.alive) answer.begun();
      return text;
    };
    const parts = answer.parts();
    let through = false;
    try {
      while (!chunks.through) {
        const { done, value } = await parts.next();
        if (done) break;
        for (const data of this.#events(() => events.push(value))) {
          const text = read(data);
          written += text;
          if (text !== "") yield { type: "text", text };
        }
        if (signal.aborted) return;
      }
      through = chunks.through;
      if (through) readOut(parts);
    } finally {
      if (!through) void parts.return(undefined).catch(() => {});
    }
    if (signal.aborted) return;
    for (const data of through ? [] : this.#events(() => events.end())) {
      const text = read(data);
      written += text;
      if (text !== "") yield { type: "text", text };
    }
    this.#checkWhole(chunks, written);
    yield* this.#rest(chunks);
  }

  *#rest(chunks: ChatChunks): Generator<CompletionEvent> {
    const calls = chunks.toolCalls;
    if (calls.length > 0) yield { type: "tool_calls", calls };
    if (chunks.usage) yield { type: "usage", usage: chunks.usage };
  }

  /** Some servers neither finish nor say done: a sentence or a tool call that is whole will do. */
  #checkWhole(chunks: ChatChunks, written: string): void {
    if (chunks.finished) return;
    const calls = chunks.toolCalls;
    const callsWhole = calls.length > 0 && calls.every((call) => call.arguments !== null);
    if (callsWhole || (calls.length === 0 && ENDS_A_SENTENCE.test(written))) return;
    throw this.service.fail("protocol", "the answer broke off");
  }

  #add(chunks: ChatChunks, chunk: Parameters<ChatChunks["add"]>[0]): string {
    try {
      return chunks.add(chunk);
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
