/** Input of a conversation before it begins: agent, knowledge, tools and the other party. */

import type { JsonObject, JsonValue } from "../core/json.ts";
import type { CamelName } from "../core/wire-names.ts";
import type { AgentVoice, NOT_REHEARSED } from "../features/agent/agent.ts";
import type { AgentFields } from "../features/agent/agent-schema.ts";
import type { KnowledgeScope } from "../features/knowledge/knowledge-index.ts";
import type { CallContextItem } from "./call-context-item.ts";

/** Fields for use after the call only. */
type AfterCall = CamelName<keyof typeof NOT_REHEARSED>;

/** The agent at the start of the call. Later edits do not change a live call. */
export interface AgentSnapshot extends Omit<AgentFields, AfterCall | "voice" | "fillerPhrases"> {
  readonly id: number;
  readonly voice: AgentVoice;
  readonly fillerPhrases: readonly string[];
}

export interface KnowledgeSnapshot {
  readonly filename: string;
  readonly format: "txt" | "md" | "csv" | "json";
  readonly content: string;
}

/** A tool as the conversation sees it. URL and secret stay on the main thread. */
export interface ToolSnapshot {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

export interface CallConfig {
  readonly callId: string;
  readonly direction: "inbound" | "outbound";
  /** Keyed hash that identifies the caller at a provider. Missing: nothing is sent. */
  readonly callerTag?: string;
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly agent: AgentSnapshot;
  readonly knowledge: readonly KnowledgeSnapshot[];
  /** All files that look-ups may use. Missing: none. */
  readonly knowledgeScope?: KnowledgeScope;
  /**
   * True if the knowledge is too large for the prompt: each question then comes with matching passages, and
   * only retrieving engines read `knowledge`. Missing: the prompt has all of it.
   */
  readonly looksUpKnowledge?: boolean;
  readonly tools: readonly ToolSnapshot[];
  readonly tenantName: string;
  /** Simulated start time of a test call ("rehearsal"). Missing: now. */
  readonly startsAt?: number;
  /** IANA time zone for dates in the prompt. */
  readonly timeZone: string;
  /** Address that the RTP socket binds to. */
  readonly rtpHost: string;
  /** Facts about the other party that the appliance knows itself, one sentence each, for the prompt. */
  readonly callerFacts?: readonly string[];
  /** Data from contacts, a CRM and earlier calls. */
  readonly callerData?: readonly CallContextItem[];
  /** Confidence in the caller's identity. Missing: 0. */
  readonly callerLevel?: 0 | 1 | 2;
  /** Earlier calls as a file, for engines that answer from knowledge. Not part of the prompt. */
  readonly memory?: KnowledgeSnapshot | null;
  /** True in campaign and birthday calls: the other party may refuse further calls. Missing: false. */
  readonly canOptOut?: boolean;
  /** Reason for the call, if the greeting mentions it. */
  readonly occasion?: "birthday" | null;
  /** Values for `{{…}}` from the campaign's line. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Absolute path of the stereo WAV to write (left: caller, right: agent); null for no recording. */
  readonly recordingPath: string | null;
  /** Greeting that replaces the first message for a contact known by name. Never said to a machine. */
  readonly namedGreeting?: string | null;
  /** The tenant's disclosure sentence; null or missing: `ConversationSettings.disclosure`. */
  readonly disclosure?: string | null;
  /** Sample rate in Hz if the codec is known to be wideband. Missing: 8000. */
  readonly sampleRateHz?: 8000 | 16000;
  /** Browser call without RTP: audio is exchanged as messages (`audioIn`, `audio_out`) at this rate. */
  readonly browser?: { readonly sampleRateHz: 8000 | 16000 } | null;
}

export interface ToolResult {
  /** Id of the tool call that this result belongs to. */
  readonly toolCallId: string;
  readonly ok: boolean;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** Response body, parsed if it is JSON; on failure the reason. */
  readonly output: JsonValue;
}
