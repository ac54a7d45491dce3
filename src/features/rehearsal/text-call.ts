/**
 * A text rehearsal: the real conversation (turns, prompt, knowledge, tools, silences, transfers) with a real
 * language side, under a virtual clock and without sound. Nothing is stored, charged or sent.
 *
 * Time stops while our code works. While it waits for a remote language model, time runs as fast as the wall
 * clock. So a slow model shows as latency.
 */

import type { CallConfig, ToolResult } from "../../conversation/call-config.ts";
import type { CallEvent } from "../../conversation/call-protocol.ts";
import type { TransferFailure, TurnRecord } from "../../conversation/call-report.ts";
import type { ConversationSettings } from "../../conversation/conversation-settings.ts";
import type { EngineSession, LlmSession } from "../../conversation/engine-port.ts";
import { DIGIT_PAUSE_MS, FRAME_MS } from "../../conversation/limits.ts";
import { KnowledgeLlm, type SearchKnowledge } from "../../conversation/prompt/knowledge-llm.ts";
import { Session } from "../../conversation/session/session.ts";
import { PhraseCache } from "../../conversation/speech/phrase-cache.ts";
import { type Clock, sleep, yieldToEventLoop } from "../../core/clock.ts";
import type { EndedReason } from "../../core/ended-reason.ts";
import type { Log } from "../../core/log.ts";
import type { MediaDirection, MediaPlan } from "../../core/media-plan.ts";
import { argumentProblem } from "../tool/run-tool-arguments.ts";
import type { RehearsedAgent } from "./agent-file.ts";
import type { CallerLine } from "./caller.ts";
import {
  type Interruption,
  NOT_LIVE,
  type RehearsedCall,
  type RehearsedTool,
} from "./rehearsed-call.ts";
import type { Scenario } from "./scenario.ts";
import { TextAudio, textStt, textTts, textVad } from "./text-audio.ts";
import type { VirtualClock } from "./virtual-clock.ts";

type ToolAnswer = Pick<ToolResult, "ok" | "output" | "httpStatus">;

/** Requests the real URL of a tool if a scenario has `live`. */
export type LiveTools = (
  agent: RehearsedAgent,
  tool: string,
  values: RehearsedTool["arguments"],
) => Promise<ToolAnswer>;

interface TextCallOptions {
  readonly scenario: Scenario;
  readonly config: CallConfig;
  readonly settings: ConversationSettings;
  /** Only its language side is used. The call closes it. */
  readonly engine: EngineSession;
  readonly engineLabel: string;
  /** Searches knowledge for each question; null if the prompt contains all of it. */
  readonly search: SearchKnowledge | null;
  readonly rehearsed: RehearsedAgent;
  readonly runTool: LiveTools | null;
  readonly clock: VirtualClock;
  readonly wallClock: Clock;
  readonly log: Log;
}

/** After this much silence the agent has nothing more to say. */
const SETTLED_MS = 300;
/** Maximum length of a rehearsed call, whatever the agent's maximum. */
const CALL_MS_MAX = 3_600_000;

type ToolRequest = Extract<CallEvent, { type: "tool_call_requested" }>;

export class TextCall implements CallerLine {
  readonly #audio = new TextAudio();
  readonly #session: Session;
  readonly #turns = new Map<number, TurnRecord>();
  readonly #tools: RehearsedTool[] = [];
  readonly #unanswered = new Set<string>();
  readonly #transfers: { target: string; outcome: string; atMs: number }[] = [];
  readonly #messages: { text: string; atMs: number }[] = [];
  readonly #languages: RehearsedCall["languages"][number][] = [];
  readonly #interruptions: Interruption[] = [];
  /** Start of an interruption, while the agent still speaks; null if none. */
  #speaksOverSinceMs: number | null = null;
  #answeredAtMs = 0;
  #hasSpoken = false;
  #durationMs = 0;
  #settledSinceMs = 0;
  #endedReason: EndedReason | null = null;
  #transferOutcome: Scenario["transfers"][string] = "transferred";
  /** Number of pending answers of a remote language model. */
  #awaited = 0;

  constructor(private readonly options: TextCallOptions) {
    const { config, settings, engine, engineLabel, clock, log } = options;
    this.#session = new Session({
      config,
      settings,
      engineLabel,
      clock,
      log,
      audio: this.#audio,
      engine: {
        stt: textStt(this.#audio),
        tts: textTts,
        llm: this.#llm(engine.llm),
        ...(engine.switchLanguage
          ? { switchLanguage: (language) => engine.switchLanguage?.(language) }
          : {}),
        close: () => engine.close(),
      },
      vad: textVad,
      phraseCache: new PhraseCache(),
      emit: (event) => this.#receive(event),
    });
  }

  get ended(): boolean {
    return this.#endedReason !== null;
  }

  get nowMs(): number {
    return this.options.clock.monotonic() - this.#answeredAtMs;
  }

  get agentSpeaks(): boolean {
    return this.#audio.queuedMs > 0;
  }

  get agentWaits(): boolean {
    return this.#isSettled && this.nowMs - this.#settledSinceMs >= SETTLED_MS;
  }

  get agentTurns(): readonly string[] {
    return this.#sortedTurns.flatMap(({ speaker, text }) => (speaker === "agent" ? [text] : []));
  }

  /** Answers the call and lets `caller` play its part. */
  async run<Played>(caller: (line: CallerLine) => Promise<Played>): Promise<Played> {
    await this.#whileWorking(this.#session.prepare());
    this.#answeredAtMs = this.options.clock.monotonic();
    this.#settledSinceMs = 0;
    this.#session.answered();
    const played = await caller(this);
    await this.#whileWorking(this.#session.close(this.#endedReason ?? "caller_hangup"));
    return played;
  }

  async until(holds: () => boolean, limitMs: number): Promise<void> {
    const fromMs = this.nowMs;
    while (!this.ended && !holds() && this.nowMs - fromMs < limitMs) await this.#pass();
  }

  async say(text: string, as?: "listener"): Promise<void> {
    const overAgent = this.agentSpeaks && as !== "listener";
    this.#hasSpoken = true;
    this.#audio.callerSays(text);
    if (overAgent) this.#speaksOverSinceMs = this.nowMs;
    await this.until(() => !this.#audio.callerSpeaks, CALL_MS_MAX);
    this.#settledSinceMs = this.nowMs;
  }

  async press(keys: string): Promise<void> {
    for (const key of keys) {
      this.#session.digit(key);
      await this.#pass();
    }
    this.#settledSinceMs = this.nowMs + DIGIT_PAUSE_MS;
  }

  async hold(ms: number): Promise<void> {
    this.#session.connect(planOf("inactive"));
    const fromMs = this.nowMs;
    await this.until(() => this.nowMs - fromMs >= ms, ms + FRAME_MS);
    this.#session.connect(planOf("sendrecv"));
  }

  hangUp(): void {
    this.#end("caller_hangup");
  }

  /** The call's results, after `run`. */
  get left() {
    return {
      turns: this.#sortedTurns,
      tools: this.#tools,
      transfers: this.#transfers,
      messages: this.#messages,
      languages: this.#languages,
      interruptions: this.#interruptions,
      unanswered: [...this.#unanswered],
      endedReason: this.#endedReason ?? "caller_hangup",
      durationMs: Math.round(this.#durationMs),
    } as const;
  }

  get #sortedTurns(): readonly TurnRecord[] {
    return [...this.#turns.values()].sort((a, b) => a.index - b.index);
  }

  get #isSettled(): boolean {
    const { name } = this.#session.turn;
    // On an outbound call, the callee speaks first; then the agent finds out who that is.
    const isAnswering = name === "screening" && !this.#hasSpoken;
    return (name === "listening" || isAnswering) && !this.agentSpeaks;
  }

  #end(reason: EndedReason): void {
    if (this.#endedReason !== null) return;
    this.#endedReason = reason;
    this.#durationMs = this.nowMs;
  }

  /** Advances the call by 20 ms. */
  async #pass(): Promise<void> {
    const { clock, wallClock } = this.options;
    await clock.held;
    if (this.#awaited > 0) await sleep(wallClock, FRAME_MS);
    clock.advance(FRAME_MS);
    this.#audio.tick();
    await yieldToEventLoop();
    if (!this.#isSettled) this.#settledSinceMs = Math.max(this.#settledSinceMs, this.nowMs);
    this.#followInterruption();
    if (this.nowMs > CALL_MS_MAX) this.#end("max_duration");
  }

  #followInterruption(): void {
    const since = this.#speaksOverSinceMs;
    if (since === null || (this.agentSpeaks && this.#audio.callerSpeaks)) return;
    const silentAfterMs = this.agentSpeaks ? null : this.nowMs - since;
    this.#interruptions.push({ atMs: since, silentAfterMs });
    this.#speaksOverSinceMs = null;
  }

  async #whileWorking(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    await yieldToEventLoop();
    while (!isDone) await this.#pass();
  }

  #llm(llm: LlmSession): LlmSession {
    const { search, clock } = this.options;
    if (!search) return this.#watched(llm);
    const held: SearchKnowledge = (question) => clock.hold(search(question));
    return this.#watched(new KnowledgeLlm(llm, held, clock));
  }

  /** While an answer is pending, time runs as fast as the wall clock. */
  async #counted<Answer>(answer: Promise<Answer>): Promise<Answer> {
    this.#awaited++;
    try {
      return await answer;
    } finally {
      this.#awaited--;
    }
  }

  #watched(llm: LlmSession): LlmSession {
    const counted = <Answer>(answer: Promise<Answer>) => this.#counted(answer);
    return {
      ...(llm.capabilities ? { capabilities: llm.capabilities } : {}),
      async *respond(input, signal) {
        const answer = llm.respond(input, signal)[Symbol.asyncIterator]();
        try {
          for (;;) {
            const next = await counted(answer.next());
            if (next.done) return;
            yield next.value;
          }
        } finally {
          void answer.return?.();
        }
      },
      truncateSpoken: (text, playedMs) => llm.truncateSpoken(text, playedMs),
      // A rehearsal needs no summary, and a model would cost money.
      summarize: async () => ({ text: "", line: "" }),
    };
  }

  #receive(event: CallEvent): void {
    switch (event.type) {
      case "turn":
        this.#turns.set(event.turn.index, event.turn);
        break;
      case "tool_call_requested":
        void this.#answerTool(event);
        break;
      case "note":
        if (event.note.kind === "message") this.#messages.push(event.note);
        else if (event.note.kind === "language") this.#languages.push(event.note);
        break;
      case "transfer_requested":
        this.#transfer(event.target);
        break;
      case "transfer_ready":
        if (this.#transferOutcome === "transferred") this.#end("transferred");
        else this.#session.transferFailed(this.#transferOutcome as TransferFailure);
        break;
      case "hangup_requested":
        this.#end(event.reason);
        break;
      case "failed":
        this.#end(event.reason);
        break;
      default:
    }
  }

  #transfer(target: string): void {
    const { scenario, settings } = this.options;
    const targets = Object.entries(settings.transferTargets ?? {});
    const name = targets.find(([, number]) => number === target)?.[0] ?? target;
    const outcome = scenario.transfers[name] ?? scenario.transfers[target] ?? "transferred";
    this.#transferOutcome = outcome;
    this.#transfers.push({ target: name, outcome, atMs: this.nowMs });
    this.#session.transferBegin();
  }

  async #answerTool({ toolCallId, tool, arguments: values }: ToolRequest): Promise<void> {
    const atMs = this.nowMs;
    const answer = await this.#toolAnswer(tool, values);
    const durationMs = Math.round(this.nowMs - atMs);
    const { ok, output } = answer;
    this.#tools.push({ tool, arguments: values, ok, output, atMs, durationMs });
    this.#session.toolResult({ ...answer, toolCallId, durationMs });
  }

  async #toolAnswer(tool: string, values: RehearsedTool["arguments"]): Promise<ToolAnswer> {
    const { scenario, config, clock, rehearsed, runTool } = this.options;
    const schema = config.tools.find(({ name }) => name === tool)?.parameters ?? {};
    const problem = argumentProblem(schema, values);
    if (problem !== null) return { ok: false, httpStatus: null, output: { error: problem } };
    const given = scenario.tools[tool];
    if (!given) {
      this.#unanswered.add(tool);
      return { ok: false, httpStatus: null, output: { error: "the tool does not answer" } };
    }
    if (given.delay_ms > 0) await sleep(clock, given.delay_ms);
    if (given.live) {
      if (runTool) return await this.#counted(runTool(rehearsed, tool, values));
      this.#unanswered.add(tool);
      return { ok: false, httpStatus: null, output: { error: NOT_LIVE } };
    }
    return given.fails === undefined
      ? { ok: true, httpStatus: 200, output: given.answer ?? null }
      : { ok: false, httpStatus: 500, output: { error: given.fails } };
  }
}

const planOf = (direction: MediaDirection): MediaPlan => ({
  remote: { host: "127.0.0.1", port: 9 },
  codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
  telephoneEvent: null,
  direction,
  ptimeMs: FRAME_MS,
});
