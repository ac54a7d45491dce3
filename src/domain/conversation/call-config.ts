/** All that a conversation is told before it begins: agent, knowledge, tools, and who is on the other side. */

import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { CamelName } from "../../core/wire-names.ts";
import type { AgentVoice, NOT_REHEARSED } from "../agent/agent.ts";
import type { AgentFields } from "../agent/agent-schema.ts";
import type { KnowledgeScope } from "../knowledge/knowledge-index.ts";
import type { CallDatum } from "./call-datum.ts";

/** What matters only when the call is over. */
type AfterCall = CamelName<keyof typeof NOT_REHEARSED>;

/** The agent as it was when the call began: later edits don't touch a live call. */
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

/** A tool as the conversation sees it; url and secret stay on the main thread. */
export interface ToolSnapshot {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

export interface CallConfig {
  readonly callId: string;
  readonly direction: "inbound" | "outbound";
  /** Stands for the other side at a provider: a keyed hash. Missing: nothing is told. */
  readonly callerTag?: string;
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly agent: AgentSnapshot;
  readonly knowledge: readonly KnowledgeSnapshot[];
  /** All files that the agent may answer from, for look-ups. Missing: none. */
  readonly knowledgeScope?: KnowledgeScope;
  /**
   * Knowledge above the budget of a prompt: `knowledge` is only what engines that retrieve read
   * themselves, and each question comes with the passages that fit. Missing: the prompt has all of it.
   */
  readonly looksUpKnowledge?: boolean;
  readonly tools: readonly ToolSnapshot[];
  readonly tenantName: string;
  /** When a rehearsed call is said to take place. Missing: now. */
  readonly startsAt?: number;
  /** IANA zone, for dates in the prompt. */
  readonly timeZone: string;
  /** Address the RTP socket binds to. */
  readonly rtpHost: string;
  /** What the appliance itself knows about the other side, a sentence each, for the prompt. */
  readonly callerFacts?: readonly string[];
  /** What contacts, a CRM and earlier calls say. */
  readonly callerData?: readonly CallDatum[];
  /** How sure it is who is on the other side. Missing: 0. */
  readonly callerLevel?: 0 | 1 | 2;
  /** Earlier calls as a file, for engines that answer from knowledge; not part of the prompt. */
  readonly memory?: KnowledgeSnapshot | null;
  /** The other side may refuse further calls: a campaign or birthday call. Missing: false. */
  readonly canOptOut?: boolean;
  /** Why we call, where the greeting says it. */
  readonly occasion?: "birthday" | null;
  /** More values for `{{…}}`: of a campaign's line. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Absolute path of the stereo WAV to write (left: caller, right: agent), or null for none. */
  readonly recordingPath: string | null;
  /** Said instead of the agent's first message to a person who is known by name, never to a machine. */
  readonly namedGreeting?: string | null;
  /** The tenant's own first sentence; null or missing: `ConversationSettings.disclosure`. */
  readonly disclosure?: string | null;
  /** The conversation's rate, where the codec is known to be a wideband one; missing: 8000. */
  readonly sampleRateHz?: 8000 | 16000;
  /** No RTP: audio comes and goes as messages (`audioIn`, `audio_out`) at this rate. */
  readonly browser?: { readonly sampleRateHz: 8000 | 16000 } | null;
}

export interface ToolResult {
  /** The id of the tool call it answers. */
  readonly toolCallId: string;
  readonly ok: boolean;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** Body of the answer, parsed when it was JSON; or the reason it failed. */
  readonly output: JsonValue;
}
