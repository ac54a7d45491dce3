/**
 * LLM session over a model's text API. It streams an answer in speakable pieces, passes tool calls
 * on, and stores the history of its call.
 *
 * If a tool does not exist, or its arguments are not an object, the model gets an error. It may
 * retry as often as the input allows and must then answer without tools. Several calls at once are
 * answered when all results are present. An incomplete answer ends with a sentence that says so. If
 * the history is too long for the model, the oldest turns are removed.
 */

import type { ToolSnapshot } from "../../conversation/call-config.ts";
import {
  type CallEnd,
  type CallSummary,
  type LlmEvent,
  type LlmInput,
  type LlmSession,
  type LlmUsage,
  NOTHING_USED,
  type SessionSettings,
} from "../../conversation/engine-port.ts";
import { TOOL_ROUNDS_MAX } from "../../conversation/limits.ts";
import { passagesSection } from "../../conversation/prompt/knowledge-section.ts";
import type { Random } from "../../core/random.ts";
import { type AgentLanguage, LANGUAGE_NAMES } from "../../features/agent/agent.ts";
import { estimateTokens } from "../prompt-size.ts";
import { ProviderFailure } from "../provider-failure.ts";
import { readSummary, SUMMARY_CHARACTERS_MAX, summaryTask } from "../summary-task.ts";
import type { AnswerEnd, ModelToolCall } from "./answer-reader.ts";
import {
  ANSWER_TOKENS_MAX,
  ChatHistory,
  type CompletionMessage,
  type RememberedCall,
} from "./chat-history.ts";
import type { LanguageModel } from "./language-model.ts";
import { plainText, SpokenPieces, withoutThoughts } from "./spoken-pieces.ts";
import { UNFINISHED } from "./unfinished.ts";

interface ChatSessionOptions {
  readonly session: Pick<
    SessionSettings,
    | "systemPrompt"
    | "tools"
    | "builtInTools"
    | "language"
    | "history"
    | "promptCacheKey"
    | "safetyIdentifier"
  >;
  readonly model: LanguageModel;
  readonly contextTokens: number;
  readonly random: Random;
}

const ANSWER_CHARACTERS_MAX = 3_000;
/** Limit for a summary and the reasoning before it. */
const SUMMARY_WRITTEN_MAX = 32_000;
/** Maximum retries per answer if the model rejects the request as too long. */
const SHORTENINGS_MAX = 3;

interface RunningAnswer {
  readonly signal: AbortSignal;
  /** The request was sent before it was certain that the caller had finished. */
  readonly early: boolean;
  /** Number of further requests that may be answered with tool calls. */
  toolRounds: number;
  /** The consumer has taken the first event: it asked for the second. */
  isTaken: boolean;
}

type SortedToolCalls = { readonly accepted: RememberedCall[]; readonly hasRejected: boolean };

export class ChatSession implements LlmSession {
  readonly capabilities = { earlyStart: true };
  readonly #history: ChatHistory;
  readonly #tools: readonly ToolSnapshot[];
  readonly #toolNames: readonly string[];
  #language: AgentLanguage;
  /** Text before the caller's last words; empty if none. */
  #passages = "";
  /** Usage since the last report. */
  #used: LlmUsage = NOTHING_USED;
  readonly #closed = new AbortController();
  /** The configured value, until the model rejects a request as too long. */
  #contextTokens: number;

  constructor(private readonly options: ChatSessionOptions) {
    const { session, contextTokens } = options;
    this.#contextTokens = contextTokens;
    this.#history = new ChatHistory(session.systemPrompt, session.history ?? []);
    this.#tools = [...session.tools, ...(session.builtInTools ?? [])];
    this.#toolNames = this.#tools.map(({ name }) => name);
    this.#language = session.language;
  }

  switchLanguage(language: AgentLanguage): void {
    this.#language = language;
    this.#history.note(`From now on speak ${LANGUAGE_NAMES[language]}.`);
  }

  async *respond(input: LlmInput, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    if (signal.aborted) return;
    const asBefore = this.#history.mark();
    if (!this.#remember(input)) {
      yield { type: "done", usage: NOTHING_USED };
      return;
    }
    const early = input.type === "utterance" && input.early === true;
    const { toolRounds = TOOL_ROUNDS_MAX } = input;
    const running: RunningAnswer = { signal, early, toolRounds, isTaken: false };
    const onAbort = () => (running.isTaken ? this.#history.cut() : this.#history.forgetQuestion());
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      for await (const event of this.#answer(running)) {
        yield event;
        running.isTaken = true;
      }
      if (!signal.aborted) this.#history.complete();
    } catch (error) {
      // Otherwise a retry would add it twice.
      if (!running.isTaken) asBefore();
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  truncateSpoken(text: string): void {
    this.#history.truncateSpoken(text);
  }

  takeUsage(): LlmUsage {
    const usage = this.#used;
    this.#used = NOTHING_USED;
    return usage;
  }

  async summarize(end: CallEnd): Promise<CallSummary> {
    const task = summaryTask(LANGUAGE_NAMES[this.#language], end);
    const transcript = this.#history.asText();
    const messages = [
      { role: "system" as const, content: task },
      { role: "user" as const, content: transcript === "" ? "(nothing was said)" : transcript },
    ];
    let text = "";
    const answer = this.options.model.stream({ messages, tools: [] }, this.#closed.signal);
    for await (const event of answer) {
      if (event.type === "text") text += event.text;
      if (withoutThoughts(text).length > SUMMARY_CHARACTERS_MAX) break;
      if (text.length > SUMMARY_WRITTEN_MAX) break;
    }
    const summary = readSummary(withoutThoughts(text));
    return { text: plainText(summary.text), line: plainText(summary.line) };
  }

  /** Also stops reading a summary that nobody waits for. */
  close(): void {
    this.#closed.abort();
  }

  /** Returns whether the model must be called now. */
  #remember(input: LlmInput): boolean {
    switch (input.type) {
      case "utterance":
        this.#history.caller(input.text === "" ? "[inaudible]" : input.text);
        this.#passages = passagesSection(input.passages ?? []);
        return true;
      case "digits":
        this.#history.note(`The caller pressed the keys ${input.digits}`);
        return true;
      case "tool_result":
        this.#history.toolResult(
          input.toolCallId,
          input.ok ? input.output : { failed: true, detail: input.output },
        );
        return this.#history.openCalls.length === 0;
      case "silence":
        this.#history.note("The caller said nothing and was asked whether they are still there");
        return false;
    }
  }

  async *#answer(running: RunningAnswer): AsyncGenerator<LlmEvent> {
    let rejectedRounds = 0;
    try {
      while (yield* this.#round(running)) {
        running.toolRounds--;
        rejectedRounds++;
      }
    } catch (error) {
      if (!(error instanceof ProviderFailure) || error.reason !== "policy") throw error;
      // A rejected question would be rejected in every later request too.
      if (!this.#history.isAnswering) this.#history.forgetQuestion();
      yield* this.#say([this.#unfinished.withheld]);
    }
    if (running.signal.aborted) return;
    yield {
      type: "done",
      usage: this.takeUsage(),
      ...(rejectedRounds === 0 ? {} : { rejectedRounds }),
    };
  }

  /**
   * One request, repeated with less history if it is too long. Returns whether another one is
   * needed.
   */
  async *#round(running: RunningAnswer): AsyncGenerator<LlmEvent, boolean> {
    for (let shortening = 0; ; shortening++) {
      const messages = this.#messages();
      const answer = { hasBegun: false };
      try {
        return yield* this.#request(messages, answer, running);
      } catch (error) {
        const isTooLong = error instanceof ProviderFailure && error.reason === "too_long";
        if (!isTooLong || answer.hasBegun || shortening >= SHORTENINGS_MAX) throw error;
        if (!this.#shorten(messages)) throw error;
      }
    }
  }

  /** Returns whether the next request has fewer messages than this one, which was too long. */
  #shorten(messages: readonly CompletionMessage[]): boolean {
    const [system] = messages;
    const ofPrompt = estimateOf(system ? [system] : []);
    const ofTurns = estimateOf(messages) - ofPrompt;
    this.#contextTokens = ANSWER_TOKENS_MAX + ofPrompt + Math.floor(ofTurns / 2);
    return this.#messages().length < messages.length;
  }

  /** Passages belong to one question: they are part of its request, but not of the history. */
  #messages(): CompletionMessage[] {
    if (this.#passages === "") return this.#history.messages(this.#contextTokens);
    const room = this.#contextTokens - estimateTokens(this.#passages);
    const messages = this.#history.messages(room);
    const last = messages.findLastIndex(({ role }) => role === "user");
    return messages.map((message, index) =>
      index === last
        ? { ...message, content: `${this.#passages}\n\n## The caller says\n\n${message.content}` }
        : message,
    );
  }

  async *#request(
    messages: readonly CompletionMessage[],
    answer: { hasBegun: boolean },
    running: RunningAnswer,
  ): AsyncGenerator<LlmEvent, boolean> {
    const { promptCacheKey, safetyIdentifier } = this.options.session;
    const { signal, toolRounds } = running;
    const { model } = this.options;
    const pieces = new SpokenPieces({
      toolNames: this.#toolNames,
      mayThink: () => model.mayThinkAloud,
    });
    let written = "";
    let end: AnswerEnd = "whole";
    let sorted: SortedToolCalls = { accepted: [], hasRejected: false };
    let calls: readonly ModelToolCall[] = [];
    let usage: LlmUsage | null = null;
    const stream = model.stream(
      {
        messages,
        tools: this.#tools,
        withoutTools: toolRounds <= 0,
        ...(promptCacheKey ? { cacheKey: promptCacheKey } : {}),
        ...(safetyIdentifier ? { safetyIdentifier } : {}),
      },
      signal,
    );
    try {
      for await (const event of stream) {
        answer.hasBegun = true;
        if (event.type === "text") {
          written += event.text;
          yield* this.#say(pieces.push(event.text));
          if (written.length > ANSWER_CHARACTERS_MAX) break;
        } else if (event.type === "tool_calls") {
          calls = event.calls;
          if (toolRounds > 0) sorted = this.#sort(calls);
        } else if (event.type === "end") end = event.end;
        else usage = event.usage;
        if (signal.aborted) return false;
      }
    } finally {
      // The provider also charges for tokens before a failure or an interruption.
      if (answer.hasBegun || signal.aborted) {
        const isDiscarded = running.early && !running.isTaken && signal.aborted;
        this.#count(usage ?? estimatedUsage(messages, this.#tools, written, calls), isDiscarded);
      }
    }
    if (signal.aborted) return false;
    const rest = pieces.end();
    model.answered({ hasLoneThoughtEnd: pieces.hasLoneThoughtEnd });
    if (calls.length === 0 && toolRounds > 0) sorted = this.#sort(pieces.calls);
    const hasCalls = sorted.accepted.length > 0 || sorted.hasRejected;
    yield* this.#say(hasCalls ? rest : this.#lastWords(rest, end, pieces.isSilent));
    yield* this.#emitToolCalls(sorted);
    return sorted.hasRejected && sorted.accepted.length === 0;
  }

  /**
   * The remaining words. An empty answer or half a sentence is replaced by a sentence that says so.
   */
  #lastWords(rest: readonly string[], end: AnswerEnd, isSilent: boolean): readonly string[] {
    if (end === "withheld") return [this.#unfinished.withheld];
    if (isSilent) return [this.#unfinished.noAnswer];
    return end === "whole" ? rest : [this.#unfinished.brokeOff];
  }

  get #unfinished() {
    return UNFINISHED[this.#language];
  }

  #count(used: LlmUsage, isDiscarded: boolean): void {
    const before = this.#used;
    const cached = used.cachedInputTokens ?? before.cachedInputTokens;
    const discarded = isDiscarded ? sumOf(before.discarded, used) : before.discarded;
    this.#used = {
      ...sumOf(before, used),
      ...(cached === undefined
        ? {}
        : { cachedInputTokens: (before.cachedInputTokens ?? 0) + (used.cachedInputTokens ?? 0) }),
      ...(discarded === undefined ? {} : { discarded }),
    };
  }

  *#say(texts: readonly string[]): Generator<LlmEvent> {
    for (const text of texts) {
      this.#history.agent(text);
      yield { type: "text", text };
    }
  }

  *#emitToolCalls({ accepted }: SortedToolCalls): Generator<LlmEvent> {
    for (const { id, name, arguments: args } of accepted) {
      yield { type: "tool_call", toolCallId: id, tool: name, arguments: args };
    }
  }

  /** Stores all calls. Invalid ones get an error at once. */
  #sort(calls: readonly ModelToolCall[]): SortedToolCalls {
    if (calls.length === 0) return { accepted: [], hasRejected: false };
    const known = new Set(this.#toolNames);
    const remembered = calls.map((call) => ({ call, id: this.#newId() }));
    this.#history.agentCalls(
      remembered.map(({ call: { name, thoughts = [], arguments: args }, id }) => ({
        id,
        name,
        thoughts,
        arguments: args ?? {},
      })),
    );
    const accepted: RememberedCall[] = [];
    for (const { call, id } of remembered) {
      if (!known.has(call.name)) this.#history.toolResult(id, { error: "there is no such tool" });
      else if (call.arguments === null) {
        this.#history.toolResult(id, { error: "the arguments are not a JSON object" });
      } else accepted.push({ id, name: call.name, arguments: call.arguments });
    }
    return { accepted, hasRejected: accepted.length < calls.length };
  }

  /** Mistral's template needs nine letters and digits. */
  #newId(): string {
    return Array.from(this.options.random.bytes(9), (byte) => (byte % 36).toString(36)).join("");
  }
}

const sumOf = (a: LlmUsage = NOTHING_USED, b: LlmUsage) => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
});

function estimateOf(messages: readonly CompletionMessage[]): number {
  return messages.reduce((sum, { content }) => sum + 4 + estimateTokens(content ?? ""), 0);
}

function estimatedUsage(
  messages: readonly CompletionMessage[],
  tools: readonly ToolSnapshot[],
  written: string,
  calls: readonly ModelToolCall[],
): LlmUsage {
  const called = calls.map(({ name, arguments: args }) => name + JSON.stringify(args)).join("");
  const offered = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
  return {
    inputTokens: estimateOf(messages) + offered,
    outputTokens: estimateTokens(written + called),
  };
}
