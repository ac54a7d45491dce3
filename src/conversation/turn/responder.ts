/**
 * Asks the LLM and forwards its events, one response at a time. A newer input replaces an unfinished answer;
 * later events of an aborted answer are dropped. Every step of the stream has a timeout.
 */
import type { Clock } from "../../core/clock.ts";
import { unreachable } from "../../core/errors.ts";
import { withDeadline } from "../deadline.ts";
import {
  EngineFailure,
  type ExpectedAnswer,
  type LlmEvent,
  type LlmInput,
  type LlmSession,
  type LlmUsage,
} from "../engine-port.ts";
import { LLM_TIMEOUT_MS } from "../limits.ts";
import type { ToolCallRequest } from "../tools/tool-calls.ts";
import { wordsOf } from "../words.ts";

interface ResponderEvents {
  text(text: string): void;
  toolCall(request: ToolCallRequest): void;
  expect(answer: ExpectedAnswer): void;
  endCall(): void;
  transfer(target: string): void;
  message(text: string): void;
  usage(tokens: LlmUsage): void;
  /** First words of an early answer, which must not be audible yet. */
  preparedText(text: string): void;
  /** The early answer was discarded. */
  preparedDropped(): void;
  /** The answer is complete. */
  done(): void;
  failed(failure: EngineFailure): void;
}

/** An early answer; no event of it is forwarded yet. */
interface Prepared {
  readonly input: LlmInput;
  readonly abort: AbortController;
  readonly events: AsyncIterator<LlmEvent>;
  readonly first: Promise<IteratorResult<LlmEvent>>;
}

export class Responder {
  #abort: AbortController | null = null;
  #answersTool = false;
  #prepared: Prepared | null = null;

  constructor(
    private readonly llm: Pick<LlmSession, "capabilities" | "respond">,
    private readonly clock: Clock,
    private readonly events: ResponderEvents,
  ) {}

  get busy(): boolean {
    return this.#abort !== null;
  }

  /** True if the current answer follows a tool result, so it must not be dropped unheard. */
  get answersTool(): boolean {
    return this.busy && this.#answersTool;
  }

  /**
   * Asks ahead of time, if the LLM keeps unused answers out of its history. `respond` with the same input
   * uses the answer; another input discards it.
   */
  prepare(input: LlmInput): void {
    if (!this.llm.capabilities?.earlyStart || this.busy) return;
    if (this.#prepared && isSame(this.#prepared.input, input)) return;
    this.dropPrepared();
    const abort = new AbortController();
    const events = this.llm.respond(input, abort.signal)[Symbol.asyncIterator]();
    const first = events.next();
    const prepared = { input, abort, events, first };
    this.#prepared = prepared;
    const report = ({ value, done }: IteratorResult<LlmEvent>) => {
      if (this.#prepared !== prepared || done || value.type !== "text") return;
      this.events.preparedText(value.text);
    };
    first.then(report, () => {});
  }

  dropPrepared(): void {
    const prepared = this.#prepared;
    if (!prepared) return;
    this.#prepared = null;
    prepared.abort.abort();
    // Ends the generator, which waits at its first event, so that it reports its usage.
    prepared.events.return?.().catch(() => {});
    this.events.preparedDropped();
  }

  respond(input: LlmInput): void {
    this.#stop();
    this.#answersTool = input.type === "tool_result";
    const prepared = this.#takePrepared(input);
    const abort = prepared?.abort ?? new AbortController();
    this.#abort = abort;
    void this.#run(input, abort, prepared);
  }

  /** True if an early answer to this input exists. */
  isPrepared(input: LlmInput): boolean {
    return this.#prepared !== null && isSame(this.#prepared.input, input);
  }

  abort(): void {
    this.dropPrepared();
    this.#stop();
  }

  #stop(): void {
    if (!this.#abort) return;
    this.#abort.abort();
    this.#abort = null;
    // The early answer may have reported no first words yet.
    this.events.preparedDropped();
  }

  #takePrepared(input: LlmInput): Prepared | null {
    const prepared = this.#prepared;
    if (!prepared || !isSame(prepared.input, input)) {
      this.dropPrepared();
      return null;
    }
    this.#prepared = null;
    return prepared;
  }

  async #run(input: LlmInput, abort: AbortController, prepared: Prepared | null): Promise<void> {
    try {
      const answer =
        prepared?.events ?? this.llm.respond(input, abort.signal)[Symbol.asyncIterator]();
      let first = prepared?.first ?? null;
      for (;;) {
        const next = await this.#within(first ?? answer.next());
        first = null;
        if (abort.signal.aborted) return;
        if (next.done) break;
        this.#handOn(next.value);
        if (abort.signal.aborted) return;
      }
      this.#abort = null;
      this.events.done();
    } catch (error) {
      if (abort.signal.aborted) return;
      this.abort();
      this.events.failed(asLlmFailure(error));
    }
  }

  #handOn(event: LlmEvent): void {
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
    const failure = () => new EngineFailure("llm", `no answer within ${LLM_TIMEOUT_MS} ms`);
    return withDeadline(this.clock, work, LLM_TIMEOUT_MS, failure);
  }
}

/** True if the words are equal, apart from punctuation and case. */
function isSame(a: LlmInput, b: LlmInput): boolean {
  if (a.type !== "utterance" || b.type !== "utterance") return false;
  return wordsOf(a.text).join(" ") === wordsOf(b.text).join(" ");
}

function asLlmFailure(error: unknown): EngineFailure {
  if (error instanceof EngineFailure) return error;
  return new EngineFailure("llm", "the LLM failed", { cause: error });
}
