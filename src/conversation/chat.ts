/** Text chat with an agent: input and events. */
import type { JsonObject, JsonValue } from "../core/json.ts";
import type { LlmUsage } from "./engine-port.ts";

/** Input to an LLM without STT and TTS. */
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

/** Events of a reply. `done` or `failed` is the last one per input. */
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
