/**
 * Asks the mind and hands its events on, one response at a time. A newer input replaces an unfinished
 * answer; what an aborted answer still says is dropped. Every step of the stream has a deadline.
 */
import type { Clock } from "../core/clock.ts";
import { unreachable } from "../core/errors.ts";
import {
  EngineFailure,
  type ExpectedAnswer,
  type Mind,
  type MindEvent,
  type MindInput,
} from "../engine/ports.ts";
import { withDeadline } from "./deadline.ts";
import { MIND_TIMEOUT_MS } from "./limits.ts";
import type { ToolWish } from "./tool-calls.ts";

export interface ResponderEvents {
  text(text: string): void;
  toolCall(wish: ToolWish): void;
  expect(answer: ExpectedAnswer): void;
  endCall(): void;
  transfer(target: string): void;
  message(text: string): void;
  usage(tokens: { readonly inputTokens: number; readonly outputTokens: number }): void;
  /** The answer to `input` is complete. */
  done(input: MindInput): void;
  failed(failure: EngineFailure): void;
}

export class Responder {
  #abort: AbortController | null = null;
  #answersTool = false;

  constructor(
    private readonly mind: Mind,
    private readonly clock: Clock,
    private readonly events: ResponderEvents,
  ) {}

  get busy(): boolean {
    return this.#abort !== null;
  }

  /** The running answer is what a tool's result led to: it must not be dropped unheard. */
  get answersTool(): boolean {
    return this.busy && this.#answersTool;
  }

  respond(input: MindInput): void {
    this.abort();
    this.#answersTool = input.type === "tool_result";
    const abort = new AbortController();
    this.#abort = abort;
    void this.#run(input, abort);
  }

  abort(): void {
    this.#abort?.abort();
    this.#abort = null;
  }

  async #run(input: MindInput, abort: AbortController): Promise<void> {
    try {
      const answer = this.mind.respond(input, abort.signal)[Symbol.asyncIterator]();
      for (;;) {
        const next = await this.#within(answer.next());
        if (abort.signal.aborted) return;
        if (next.done) break;
        this.#handOn(next.value);
        if (abort.signal.aborted) return;
      }
      this.#abort = null;
      this.events.done(input);
    } catch (error) {
      if (abort.signal.aborted) return;
      this.abort();
      this.events.failed(asMindFailure(error));
    }
  }

  #handOn(event: MindEvent): void {
    switch (event.type) {
      case "text":
        this.events.text(event.text);
        break;
      case "tool_call":
        this.events.toolCall({
          toolCallId: event.toolCallId,
          tool: event.tool,
          arguments: event.arguments,
        });
        break;
      case "expect":
        this.events.expect(event.answer);
        break;
      case "end_call":
        this.events.endCall();
        break;
      case "transfer":
        this.events.transfer(event.target);
        break;
      case "message":
        this.events.message(event.text);
        break;
      case "done":
        this.events.usage(event.usage);
        break;
      default:
        unreachable(event);
    }
  }

  #within<Value>(work: Promise<Value>): Promise<Value> {
    const failure = () => new EngineFailure("mind", `no answer within ${MIND_TIMEOUT_MS} ms`);
    return withDeadline(this.clock, work, MIND_TIMEOUT_MS, failure);
  }
}

function asMindFailure(error: unknown): EngineFailure {
  if (error instanceof EngineFailure) return error;
  return new EngineFailure("mind", "the mind failed", { cause: error });
}
