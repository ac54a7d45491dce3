/**
 * Chats in a call worker: one engine session each, of which only the LLM is used. One input at a
 * time; every input ends with `done` or `failed`.
 */

import type { CallConfig } from "../conversation/call-config.ts";
import type { ChatEvent, ChatInput, ChatMessage } from "../conversation/chat.ts";
import type { ConversationSettings } from "../conversation/conversation-settings.ts";
import { openingOf } from "../conversation/disclosure/disclosure.ts";
import type { EngineSession, LlmInput } from "../conversation/engine-port.ts";
import { variablesOf } from "../conversation/prompt/prompt.ts";
import { ToolRounds } from "../conversation/tools/tool-rounds.ts";
import { UsageMeter } from "../conversation/usage-meter.ts";
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { FromCallWorker } from "./messages.ts";

interface ChatHostOptions {
  readonly conversation: ConversationSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly post: (message: FromCallWorker) => void;
  readonly openEngine: (config: CallConfig, history: readonly ChatMessage[]) => EngineSession;
}

interface Chat {
  readonly engine: EngineSession;
  readonly llm: ToolRounds;
  readonly abort: AbortController;
}

export class ChatHost {
  readonly #chats = new Map<string, Chat>();

  constructor(private readonly options: ChatHostOptions) {}

  /** `said`: the conversation so far, including the opening words if they were said. */
  open(config: CallConfig, history: readonly ChatMessage[]): void {
    const { callId } = config;
    const { conversation, clock, log, openEngine, post } = this.options;
    try {
      const { greeting } = openingOf(config, conversation, variablesOf(config, clock.now()));
      const opening = [greeting.disclosure, greeting.text].filter(Boolean).join(" ");
      const greeted: ChatMessage[] = opening === "" ? [] : [{ by: "agent", text: opening }];
      const engine = openEngine(config, history.length === 0 ? greeted : history);
      const llm = new ToolRounds(engine.llm, () =>
        log.warn("chat.tool_limit", { call_id: callId }),
      );
      this.#chats.set(callId, { engine, llm, abort: new AbortController() });
      post({ type: "chatOpened", args: [callId, opening] });
    } catch (error) {
      this.#tell(callId, { type: "failed", detail: describeError(error) });
    }
  }

  async input(callId: string, input: ChatInput): Promise<void> {
    const chat = this.#chats.get(callId);
    if (!chat) {
      this.#tell(callId, { type: "failed", detail: "the conversation is closed" });
      return;
    }
    const used = new UsageMeter();
    try {
      const { signal } = chat.abort;
      for await (const event of chat.llm.respond(llmInput(input), signal)) {
        if (signal.aborted) return;
        if (event.type === "done") used.tokens(event.usage);
        else if (event.type !== "expect") this.#tell(callId, event);
      }
      const { llmInputTokens: inputTokens, llmOutputTokens: outputTokens } = used.read();
      this.#tell(callId, { type: "done", usage: { inputTokens, outputTokens } });
    } catch (error) {
      this.#tell(callId, { type: "failed", detail: describeError(error) });
    }
  }

  close(callId: string): void {
    const chat = this.#chats.get(callId);
    this.#chats.delete(callId);
    chat?.abort.abort();
    chat?.engine.close();
  }

  closeAll(): void {
    for (const callId of [...this.#chats.keys()]) this.close(callId);
  }

  #tell(callId: string, event: ChatEvent): void {
    this.options.post({ type: "chatEvent", args: [callId, event] });
  }
}

const llmInput = (input: ChatInput): LlmInput =>
  input.type === "utterance" ? { ...input, confidence: 1 } : input;
