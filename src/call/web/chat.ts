/**
 * Text chat with an agent: its LLM alone, without STT and TTS. Only its usage is stored (billing/trials.ts).
 * Tools run for real and get the information that it is a test.
 *
 * The client keeps the conversation and sends all of it each time. The LLM session is cached for some minutes
 * and continues if the conversation matches. Otherwise a new session gets the history, without running tools
 * again. So a restart costs only time.
 */

import { createHash } from "node:crypto";
import type { CallConfig } from "../../conversation/call-config.ts";
import type { ChatEvent, ChatInput } from "../../conversation/chat.ts";
import { type LlmUsage, NOTHING_USED } from "../../conversation/engine-port.ts";
import { END_CALL, isBuiltIn, TRANSFER_CALL } from "../../conversation/tools/built-in-tools.ts";
import type { Timer } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { AgentTrialDraft } from "../../features/agent/agent-schema.ts";
import type { TrialMeter } from "../../features/billing/trials.ts";
import type { KnowledgePassage } from "../../features/knowledge/knowledge-index.ts";
import type { ToolRunner } from "../../features/tool/ports.ts";
import type { CallMedia, ChatChannel } from "../media-port.ts";
import { TRIAL_CALLER, type TrialPorts, trialConfig } from "./web-call.ts";

interface ChatMessage {
  readonly role: "agent" | "customer";
  readonly text: string;
}

interface ChatAction {
  readonly type: "tool" | "transfer" | "end_call";
  readonly tool: string | null;
  readonly arguments: JsonObject | null;
  readonly ok: boolean | null;
  readonly output: JsonValue;
  readonly durationMs: number | null;
}

interface ChatReply {
  readonly reply: string;
  /** True if the agent would hang up now. */
  readonly ended: boolean;
  readonly actions: readonly ChatAction[];
  /** Passages that the answer repeats, the best match first. */
  readonly sources: readonly KnowledgePassage[];
  readonly durationMs: number;
}

export interface AgentChats {
  /**
   * `message` null: returns the agent's opening words. Throws not_found, plan_limit_reached,
   * insufficient_balance, unavailable.
   */
  ask(
    tenantId: number,
    agentId: number,
    lines: readonly ChatMessage[],
    message: string | null,
    draft?: AgentTrialDraft,
  ): Promise<ChatReply>;
  close(): void;
}

const CACHED_MAX = 32;
const CACHED_MS = 5 * 60_000;
const REPLAYED_MAX = 20;
/** Maximum rounds of tool calls that follow tool results. */
const ROUNDS_MAX = 8;
const RUNNING_OF_TENANT_MAX = 4;

const SPEAKERS = { agent: "agent", customer: "caller" } as const;

type ToolCall = Extract<ChatEvent, { type: "tool_call" }>;

export interface ChatPorts extends TrialPorts {
  readonly media: Pick<CallMedia, "openChat">;
  readonly tools: ToolRunner;
}

interface ChatConversation {
  readonly callUuid: string;
  readonly channel: ChatChannel;
}

interface Asked {
  readonly lines: readonly ChatMessage[];
  readonly message: string | null;
  readonly draft: AgentTrialDraft;
}

interface ChatOptions {
  /**
   * True if the engine's LLM cannot load a history (the embedded one). The past questions are then asked again.
   */
  readonly replays: boolean;
  readonly trials: TrialMeter;
}

export class WrittenAgentChats implements AgentChats {
  readonly #cachedChats = new Map<string, ChatConversation & { readonly timer: Timer }>();
  readonly #running = new Map<number, number>();

  constructor(
    private readonly context: ChatPorts,
    private readonly options: ChatOptions,
  ) {}

  #take(key: string): ChatConversation | null {
    const found = this.#cachedChats.get(key);
    if (!found) return null;
    found.timer.cancel();
    this.#cachedChats.delete(key);
    return found;
  }

  #cache(key: string, chat: ChatConversation): void {
    const [oldest] = this.#cachedChats.keys();
    if (this.#cachedChats.size >= CACHED_MAX && oldest !== undefined)
      this.#take(oldest)?.channel.close();
    this.#take(key)?.channel.close();
    const timer = this.context.clock.after(CACHED_MS, () => this.#take(key)?.channel.close());
    this.#cachedChats.set(key, { ...chat, timer });
  }

  async #open(config: CallConfig, lines: readonly ChatMessage[]): Promise<ChatConversation> {
    const said = lines.map(({ role, text }) => ({ by: SPEAKERS[role], text }));
    return { callUuid: config.callId, channel: await this.context.media.openChat(config, said) };
  }

  /** Repeats the customer's past messages to a new LLM session. The answers are ignored. */
  async #replay({ channel }: ChatConversation, lines: readonly ChatMessage[]): Promise<void> {
    const said = lines.filter((line) => line.role === "customer").slice(-REPLAYED_MAX);
    for (const { text } of said) {
      const waiting: ChatInput[] = [{ type: "utterance", text }];
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const input = waiting.shift();
        if (!input) break;
        for await (const event of channel.ask(input))
          if (event.type === "tool_call") waiting.push(resultOf(event, false, "not run again"));
      }
    }
  }

  async #runTool(
    tenantId: number,
    chat: ChatConversation,
    call: ToolCall,
    reply: Gathered,
  ): Promise<ChatInput | null> {
    if (call.tool === END_CALL) {
      reply.end();
      return null;
    }
    if (call.tool === TRANSFER_CALL) reply.transfer(String(call.arguments.target ?? ""));
    if (isBuiltIn(call.tool)) return resultOf(call, true, null);
    const { toolCallId, tool, arguments: values } = call;
    const result = await this.context.tools.run(tenantId, {
      callUuid: chat.callUuid,
      toolCallId,
      tool,
      arguments: values,
      caller: TRIAL_CALLER,
    });
    reply.tool(call, result);
    return resultOf(call, result.ok, result.output);
  }

  /** Counts the usage, even if it fails. */
  async #answer(tenantId: number, chat: ChatConversation, text: string): Promise<Gathered> {
    const { trials } = this.options;
    const reply = new Gathered();
    const startedAt = this.context.clock.monotonic();
    await trials.require(tenantId);
    try {
      return await this.#answerInRounds(tenantId, chat, text, reply);
    } finally {
      const durationMs = this.context.clock.monotonic() - startedAt;
      const { inputTokens: llmInputTokens, outputTokens: llmOutputTokens } = reply.usage;
      const tokens = { llmInputTokens, llmOutputTokens };
      await trials.record(tenantId, { durationMs, ...tokens, ttsCharacters: 0, sttSeconds: 0 });
    }
  }

  async #answerInRounds(
    tenantId: number,
    chat: ChatConversation,
    text: string,
    reply: Gathered,
  ): Promise<Gathered> {
    const waiting: ChatInput[] = [{ type: "utterance", text }];
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const input = waiting.shift();
      if (!input) break;
      const calls: ToolCall[] = [];
      for await (const event of chat.channel.ask(input)) {
        if (event.type === "tool_call") calls.push(event);
        else reply.add(event);
      }
      for (const call of calls) {
        const result = await this.#runTool(tenantId, chat, call, reply);
        if (result) waiting.push(result);
      }
    }
    return reply;
  }

  async #sourcesOf({ knowledgeScope: scope }: CallConfig, reply: string) {
    const { knowledgeIndex } = this.context;
    return scope && knowledgeIndex ? await knowledgeIndex.sourcesOf(scope, reply) : [];
  }

  async #converse(
    tenantId: number,
    agentId: number,
    { lines, message, draft }: Asked,
  ): Promise<ChatReply> {
    const startedAt = this.context.clock.monotonic();
    const config = await trialConfig(this.context, tenantId, agentId, { browser: null, draft });
    const known = this.#take(keyOf(tenantId, config, lines));
    const chat = known ?? (await this.#open(config, lines));
    try {
      if (!known && this.options.replays) await this.#replay(chat, lines);
      const gathered = message === null ? null : await this.#answer(tenantId, chat, message);
      const reply = gathered?.text ?? chat.channel.opening;
      const after: ChatMessage[] = [
        ...lines,
        ...(message === null ? [] : [{ role: "customer" as const, text: message }]),
        ...(reply === "" ? [] : [{ role: "agent" as const, text: reply }]),
      ];
      if (gathered?.ended) chat.channel.close();
      else this.#cache(keyOf(tenantId, config, after), chat);
      const durationMs = Math.round(this.context.clock.monotonic() - startedAt);
      const sources = message === null ? [] : await this.#sourcesOf(config, reply);
      return {
        reply,
        sources,
        durationMs,
        ended: gathered?.ended ?? false,
        actions: gathered?.actions ?? [],
      };
    } catch (error) {
      chat.channel.close();
      throw error;
    }
  }

  async ask(
    tenantId: number,
    agentId: number,
    lines: readonly ChatMessage[],
    message: string | null,
    draft: AgentTrialDraft = {},
  ) {
    const count = this.#running.get(tenantId) ?? 0;
    if (count >= RUNNING_OF_TENANT_MAX)
      throw new AppError({
        code: "plan_limit_reached",
        publicMessage: "Too many questions at the same time. Wait for an answer, then try again.",
        retryable: true,
      });
    this.#running.set(tenantId, count + 1);
    try {
      return await this.#converse(tenantId, agentId, { lines, message, draft });
    } finally {
      const left = (this.#running.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#running.delete(tenantId);
      else this.#running.set(tenantId, left);
    }
  }

  close() {
    for (const key of [...this.#cachedChats.keys()]) this.#take(key)?.channel.close();
  }
}

/** Collects the results of one question. */
class Gathered {
  readonly #texts: string[] = [];
  readonly actions: ChatAction[] = [];
  ended = false;
  usage: LlmUsage = NOTHING_USED;

  get text(): string {
    return this.#texts.join(" ").replace(/\s+/g, " ").trim();
  }

  add(event: Exclude<ChatEvent, ToolCall>): void {
    if (event.type === "text") this.#texts.push(event.text);
    else if (event.type === "transfer") this.transfer(event.target);
    else if (event.type === "end_call") this.end();
    else if (event.type === "done") {
      const { inputTokens, outputTokens } = event.usage;
      this.usage = {
        inputTokens: this.usage.inputTokens + inputTokens,
        outputTokens: this.usage.outputTokens + outputTokens,
      };
    }
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.#did({ type: "end_call", output: null });
  }

  transfer(target: string): void {
    this.#did({ type: "transfer", output: target });
  }

  tool(call: ToolCall, result: { ok: boolean; output: JsonValue; durationMs: number }): void {
    const { tool, arguments: values } = call;
    const { ok, output, durationMs } = result;
    this.actions.push({ type: "tool", tool, arguments: values, ok, output, durationMs });
  }

  #did(action: Pick<ChatAction, "type" | "output">): void {
    this.actions.push({ ...action, tool: null, arguments: null, ok: null, durationMs: null });
  }
}

const resultOf = (call: ToolCall, ok: boolean, output: JsonValue): ChatInput => ({
  type: "tool_result",
  toolCallId: call.toolCallId,
  ok,
  output,
});

/**
 * Cache key. It changes if the agent or its knowledge changes. Files are identified by their versions, since
 * their texts can have up to 50 MB.
 */
function keyOf(tenantId: number, config: CallConfig, lines: readonly ChatMessage[]): string {
  const { agent, knowledgeScope, tools, disclosure } = config;
  const said = lines.map(({ role, text }) => [role, text]);
  const text = JSON.stringify([tenantId, agent, knowledgeScope, tools, disclosure, said]);
  return createHash("sha256").update(text).digest("base64");
}
