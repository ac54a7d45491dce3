/** A conversation in writing: what comes in and what is answered. */
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { LlmUsage } from "./engine-port.ts";

/** What is said to an LLM without STT and TTS. */
export type ChatInput =
  | { readonly type: "utterance"; readonly text: string }
  | {
      readonly type: "tool_result";
      readonly toolCallId: string;
      readonly ok: boolean;
      readonly output: JsonValue;
    };

export interface ChatMessage {
  readonly by: "agent" | "caller";
  readonly text: string;
}

/** What it answers; `done` or `failed` is the last of an input. */
export type ChatEvent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_call";
      readonly toolCallId: string;
      readonly tool: string;
      readonly arguments: JsonObject;
    }
  | { readonly type: "end_call" }
  | { readonly type: "transfer"; readonly target: string }
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "done"; readonly usage: LlmUsage }
  | { readonly type: "failed"; readonly detail: string };
