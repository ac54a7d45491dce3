/**
 * Dialog state of the scripted agent. Only the agent changes it.
 *
 *   open ─ unsure ─► confirming ─ yes ─► (answer | filling)
 *    │ ─ tool ─► filling ─ all values ─► waiting ─ result ─► open
 *    │ ─ two misses ─► menu           └ gave up ─► offering
 *    │ ─ goodbye, human, in doubt ─► leaving ─ yes ─► the call ends, or goes to a person
 *    └ human, message ─► offering ─ yes ─► recording ─► open
 */

import type { ToolSnapshot } from "../../../conversation/call-config.ts";
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import type { Slot } from "./slots.ts";
import type { Topic } from "./topics.ts";

export type DialogState =
  | { readonly type: "open"; readonly askedForMore: boolean }
  /** Did the caller mean this? If two are offered, which one? */
  | {
      readonly type: "confirming";
      readonly topic: Topic;
      readonly other: Topic | null;
      readonly misses: number;
    }
  | Filling
  | { readonly type: "waiting"; readonly toolCallId: string; readonly tool: ToolSnapshot }
  | { readonly type: "menu"; readonly page: number }
  /** Would the caller like to leave a message? */
  | { readonly type: "offering" }
  /** Does the caller really want to end the call, or a person? */
  | { readonly type: "leaving"; readonly intent: LeavingIntent; readonly misses: number }
  /** The next utterance is the message. */
  | { readonly type: "recording" };

/** Intents that end the conversation with the agent. */
export type LeavingIntent = "goodbye" | "human";

export interface Filling {
  readonly type: "filling";
  readonly tool: ToolSnapshot;
  readonly values: JsonObject;
  /** Open parameters, the current one first. */
  readonly slots: readonly Slot[];
  readonly attempts: number;
  /** Value read back to the caller, waiting for yes. */
  readonly unconfirmed: JsonValue;
}

export const OPEN: DialogState = { type: "open", askedForMore: false };
export const OPEN_AFTER_OFFER: DialogState = { type: "open", askedForMore: true };
