/**
 * A language model that always answers the caller. It tries the provider twice, then the next one
 * with the history so far, and finally the message taker.
 *
 * If a provider fails in the middle of an answer, the next one continues after the spoken words. A
 * failed provider is not used again in this call.
 */

import {
  type CallEnd,
  type CallSummary,
  EngineFailure,
  type LlmEvent,
  type LlmInput,
  type LlmSession,
  type LlmUsage,
  NOTHING_USED,
} from "../../conversation/engine-port.ts";
import { TOOL_ROUNDS_MAX } from "../../conversation/limits.ts";
import { type Clock, sleep } from "../../core/clock.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import type { ConversationHistory } from "./conversation-history.ts";
import type { GuardSettings } from "./guard-settings.ts";
import type { MessageTaker } from "./message-taker.ts";
import { type CallProviders, type Candidate, retryPauseMs } from "./providers.ts";
import { summaryWithoutModel, withDeadline } from "./summary.ts";

interface LlmChainOptions {
  readonly providers: CallProviders;
  /** Null: if all fail, the call fails. */
  readonly messageTaker: MessageTaker | null;
  readonly memory: ConversationHistory;
  readonly guard: GuardSettings;
  readonly clock: Clock;
  readonly language: () => AgentLanguage;
  /**
   * False if the last utterance was recognised with fixed phrases only. Its text for a name or a
   * message would be wrong; the recording has the right words.
   */
  readonly knowsOpenSpeech: () => boolean;
}

/** The conversation waits 4 s for a summary. This leaves time for one without a model. */
const SUMMARY_MS_MAX = 3_000;
const GO_ON = "Your last answer was cut off there. Go on from exactly there, without repeating it.";
const USE_RESULT = "Answer the caller with what the tool returned.";

export class LlmChain implements LlmSession {
  /** Session that made each tool call. */
  readonly #toolCallOwners = new Map<string, LlmSession>();

  constructor(private readonly options: LlmChainOptions) {}

  get capabilities(): { earlyStart: boolean } {
    const llm = this.options.providers.current("llm")?.stream;
    return { earlyStart: llm?.capabilities?.earlyStart ?? false };
  }

  async *respond(input: LlmInput, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    const { memory, messageTaker } = this.options;
    if (signal.aborted) return;
    const undo = memory.asked(input);
    let taken = false;
    const onAbort = () => {
      if (taken) memory.cut();
      else {
        undo();
        messageTaker?.truncateSpoken("");
      }
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      for await (const event of this.#answer(input, signal)) {
        this.#note(event);
        yield event;
        taken = true;
      }
      if (!signal.aborted) memory.complete();
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  truncateSpoken(text: string, playedMs?: number): void {
    this.options.memory.truncateSpoken(text);
    this.options.messageTaker?.truncateSpoken(text);
    this.options.providers.current("llm")?.stream.truncateSpoken(text, playedMs);
  }

  takeUsage(): LlmUsage {
    return this.options.providers.current("llm")?.stream.takeUsage?.() ?? NOTHING_USED;
  }

  async summarize(end: CallEnd): Promise<CallSummary> {
    const { messageTaker, providers, memory, clock, language } = this.options;
    const plain = () => summaryWithoutModel(memory, end, language(), messageTaker);
    if (messageTaker?.begun) return plain();
    const [candidate] = providers.candidates("llm");
    if (!candidate || !memory.callerSpoke) {
      candidate?.breaker.abandoned();
      return plain();
    }
    try {
      const work = candidate.opened.stream.summarize(end);
      const summary = await withDeadline(clock, work, SUMMARY_MS_MAX);
      candidate.breaker.succeeded();
      return summary.text.trim() === "" ? plain() : summary;
    } catch (error) {
      providers.failed("llm", candidate, error);
      return plain();
    }
  }

  async *#answer(input: LlmInput, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    const { providers, messageTaker } = this.options;
    let failure: unknown = new EngineFailure("llm", "no language model is left");
    const progress = { hasSpoken: false };
    for (const candidate of messageTaker?.begun ? [] : providers.candidates("llm")) {
      const outcome = yield* this.#answerWith(candidate, input, progress, signal);
      if (outcome === "done") return;
      failure = outcome.failure;
      providers.leave("llm", candidate.opened);
    }
    if (!messageTaker) throw failure;
    for (const event of messageTaker.respond(this.#forMessage(input))) {
      if (signal.aborted) return;
      yield event;
    }
  }

  async *#answerWith(
    candidate: Candidate<"llm">,
    input: LlmInput,
    progress: { hasSpoken: boolean },
    signal: AbortSignal,
  ): AsyncGenerator<LlmEvent, "done" | { readonly failure: unknown }> {
    const { providers, guard, clock } = this.options;
    const llm = candidate.opened.stream;
    for (let attempt = 1; ; attempt++) {
      try {
        for await (const event of llm.respond(this.#inputFor(llm, input, progress), signal)) {
          candidate.breaker.succeeded();
          if (event.type === "text") progress.hasSpoken = true;
          if (event.type === "tool_call") this.#toolCallOwners.set(event.toolCallId, llm);
          yield event;
        }
        if (signal.aborted) candidate.breaker.abandoned();
        return "done";
      } catch (error) {
        if (signal.aborted) {
          candidate.breaker.abandoned();
          return "done";
        }
        providers.failed("llm", candidate, error);
        const isLast = providers.isLast("llm", candidate.opened);
        const pauseMs = retryPauseMs(error, attempt, guard, isLast);
        if (pauseMs === null) return { failure: error };
        await sleep(clock, pauseMs);
      }
    }
  }

  #forMessage(input: LlmInput): LlmInput {
    if (input.type !== "utterance" || this.options.knowsOpenSpeech()) return input;
    return { ...input, text: "" };
  }

  /** The input, or a note in its place for a model that takes over. */
  #inputFor(llm: LlmSession, input: LlmInput, { hasSpoken }: { hasSpoken: boolean }): LlmInput {
    if (hasSpoken) return note(GO_ON, input);
    if (input.type !== "tool_result" || this.#toolCallOwners.get(input.toolCallId) === llm)
      return input;
    const { memory } = this.options;
    const output = JSON.stringify(input.output);
    return note(`${memory.toolName(input.toolCallId)} returned ${output}. ${USE_RESULT}`, input);
  }

  #note(event: LlmEvent): void {
    const { memory } = this.options;
    if (event.type === "text") memory.answered(event.text);
    else if (event.type === "tool_call") memory.toolCalled(event.toolCallId, event.tool);
  }
}

const note = (text: string, { toolRounds = TOOL_ROUNDS_MAX }: LlmInput): LlmInput => ({
  type: "utterance",
  toolRounds,
  text: `[${text}]`,
  confidence: 1,
});
