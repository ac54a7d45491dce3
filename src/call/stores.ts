/**
 * Ports to the rows that calls need; `src/call/store/call-stores.ts` implements them. Each is created
 * with the caller's `Queries`, so that a call, its charge and its events commit together. The tenant id is the
 * first parameter.
 */

import type { CallConfig } from "../conversation/call-config.ts";
import type { CallNote, CallReport, TurnRecord } from "../conversation/call-report.ts";
import type { Database, Queries } from "../core/database.ts";
import type { CallStatus } from "../core/ended-reason.ts";
import type { JsonObject } from "../core/json.ts";
import type { MicroEur } from "../core/money.ts";
import type { PacketHeaders } from "../core/packet-headers.ts";
import type { AgentRecord } from "../features/agent/agent-schema.ts";
import type { AgentOfCall, AgentSplit } from "../features/agent/agent-split.ts";
import type { AccountStatus } from "../features/billing/stores.ts";
import type { CallerTenant, EndedCall } from "../features/contact/ports.ts";
import type { IndexedFile } from "../features/knowledge/knowledge-index.ts";
import type { ScheduleEntry } from "../features/schedule/scheduler.ts";
import type { CallTotals } from "./call-totals.ts";
import type { QualitySample, SipTraceEntry } from "./diagnostics.ts";
import type { RecordingPeaks } from "./media-port.ts";
import type { CallPurpose } from "./ports.ts";
import type { CallEnding } from "./state.ts";

export const RECORDING_STATUSES = [
  "none",
  "recording",
  "processing",
  "ready",
  "emailed_deleted",
  "expired",
  "failed",
] as const;
type RecordingStatus = (typeof RECORDING_STATUSES)[number];

/** Tenant fields that a call needs. */
export interface CallTenant extends CallerTenant {
  readonly name: string;
  /** Slug of the plan. */
  readonly plan: string;
  readonly suspended: boolean;
  /** Prefixes such as `+370,+371`; null: only the country of the caller ID. */
  readonly allowedPrefixes: string | null;
  /** Short numbers that the operator allowed, comma-separated; null: none. */
  readonly shortNumbers: string | null;
  /** Daily cap; null: the operator's limit for all tenants. */
  readonly dailySpendMax: MicroEur | null;
  readonly callsPerMinuteMax: number;
}

export interface CallTrunk {
  readonly id: number;
  readonly tenantId: number;
  readonly callerId: string;
  /** Concurrent calls that the carrier supports; null: as many as the plan allows. */
  readonly channels: number | null;
}

export interface CallNumber {
  readonly numberE164: string;
  readonly agentId: number | null;
  readonly inboundEnabled: boolean;
}

export interface RoutedNumber extends CallNumber {
  /** Null if the tenant only claims the number (number/claims.ts). */
  readonly confirmedAt: number | null;
  /** Null if it has none. */
  readonly agent: AgentRecord | null;
  /** Null: all callers get the published version. */
  readonly split: AgentSplit | null;
}

export interface StoredCall {
  readonly id: number;
  readonly tenantId: number;
  readonly callUuid: string;
  readonly agentId: number | null;
  readonly direction: "inbound" | "outbound";
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly status: CallStatus;
  readonly language: string | null;
  readonly createdAt: number;
  readonly answeredAt: number | null;
  readonly endedAt: number | null;
  readonly heartbeatAt: number | null;
  /** Node that carries the call and has its recording; null: from before the store recorded nodes. */
  readonly node: string | null;
  readonly summary: string | null;
  readonly recordingStatus: RecordingStatus;
  /** Relative to the recordings directory. */
  readonly recordingFile: string | null;
  readonly recordingMs: number | null;
  readonly overageRate: MicroEur;
}

interface NewCall {
  readonly callUuid: string;
  readonly agentId: number | null;
  readonly agentVersion?: number;
  readonly scheduleId?: number;
  readonly direction: "inbound" | "outbound";
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly status: "queued" | "ringing";
  readonly language: string | null;
  readonly createdAt: number;
  readonly ringingAt?: number;
  readonly heartbeatAt?: number;
  readonly node?: string;
  readonly recordingStatus: "none";
  readonly overageRate: MicroEur;
  readonly cost: MicroEur;
  readonly sipCallId?: string;
}

export interface EndingCall {
  readonly call: StoredCall;
  /** The tenant's account, with this call's rate and charge. */
  readonly accountStatus: AccountStatus;
  readonly tenant: EndedCall["tenant"];
  /** True if its agent has a separate endpoint, which gets the end event. */
  readonly hasAgentsOwnEndpoint: boolean;
}

export interface StoredToolCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly ok: boolean;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  readonly createdAt: number;
}

/** `file` is relative to the recordings directory. Missing fields stay unchanged. */
export interface FinishedCall {
  readonly ending: CallEnding;
  readonly endedAt: number;
  /** Missing if the worker sent no report. */
  readonly report?: CallReport | null;
  /** Missing if it was never answered. */
  readonly figures?: CallTotals;
  /** Missing: unchanged. */
  readonly recording?: RecordingChange;
}

export interface RecordingChange {
  readonly status: RecordingStatus;
  readonly file?: string | null;
  readonly ms?: number | null;
}

export interface CallLoad {
  /** Calls with media now. */
  readonly live: number;
  /** Micro-euro spent on calls since the requested time, plus the holds of live calls. */
  readonly spent: number;
}

/** Writes and reads of calls: one function for each step of a call's life. */
export interface CallRecords {
  /** Returns the row's id. */
  insert(tenantId: number, call: NewCall): Promise<number>;
  /** Like `insert`, for callers that need no id: does not wait for a result. */
  add(tenantId: number, call: NewCall): Promise<void>;
  find(tenantId: number, callUuid: string): Promise<StoredCall | undefined>;
  /** Written before the INVITE is sent. From here on the call is never dialled again. */
  markDialing(
    tenantId: number,
    callUuid: string,
    from: {
      readonly node: string;
      readonly fromNumber: string;
      readonly agentVersion: number;
      readonly nowMs: number;
    },
  ): Promise<void>;
  markRinging(tenantId: number, callUuid: string, nowMs: number): Promise<void>;
  markAnswered(
    tenantId: number,
    callUuid: string,
    nowMs: number,
    isRecorded: boolean,
  ): Promise<void>;
  setAnsweredBy(
    tenantId: number,
    callUuid: string,
    answeredBy: CallReport["answeredBy"],
  ): Promise<void>;
  setSip(tenantId: number, callUuid: string, sipCallId: string): Promise<void>;
  setRecording(tenantId: number, callUuid: string, recording: RecordingChange): Promise<void>;
  /**
   * Ends the state `processing` of the recording and stores its waveform. Null if it was not `processing` any
   * more; then nothing is stored. `isMailed`: the call's agent wants mails.
   */
  leaveProcessing(
    tenantId: number,
    callUuid: string,
    recording: Pick<RecordingChange, "status" | "file">,
    encoded: { readonly peaks: RecordingPeaks; readonly atMs: number } | null,
  ): Promise<{ readonly isMailed: boolean } | null>;
  putTurn(callId: number, turn: TurnRecord): Promise<void>;
  turns(callId: number): PromiseLike<readonly Pick<TurnRecord, "speaker" | "text" | "startMs">[]>;
  addToolCall(callId: number, toolCall: StoredToolCall): Promise<void>;
  /**
   * Reads all data needed to end a call. Undefined if its end is already written. Must be the first read of the
   * transaction that ends a call.
   */
  findEnding(
    tenantId: number,
    call: { readonly uuid: string; readonly chargeKey: string },
  ): Promise<EndingCall | undefined>;
  /** The only final write of a call. Returns the changed fields. */
  finish(tenantId: number, callUuid: string, finished: FinishedCall): Promise<Partial<StoredCall>>;
  /** Stores a heartbeat. Returns the open ones. */
  heartbeat(callUuids: readonly string[], nowMs: number): Promise<ReadonlySet<string>>;
  /** Open calls of every tenant, also those left by a crash, without `except`. */
  leftLive(except?: readonly string[]): Promise<readonly StoredCall[]>;
  /** Assigns open calls and unprocessed recordings of every tenant to this node. */
  adoptOrphaned(node: string): Promise<void>;
  /** Unprocessed recordings on this node's disk, of every tenant. */
  leftUnprocessed(node: string): Promise<readonly StoredCall[]>;
  /** The current values for checking a tenant's limits. */
  load(tenantId: number, sinceMs: number): Promise<CallLoad>;
}

/** A file of an agent's knowledge. `content` is null if it is too large for the prompt. */
export interface KnowledgeFile extends IndexedFile {
  readonly sizeBytes: number;
  readonly content: string | null;
}

/** Data that decides about an inbound call, in one read. */
export interface InboundRoutes {
  readonly tenant: CallTenant;
  /** Those of the requested numbers that belong to the tenant, each with its agent. */
  readonly numbers: readonly RoutedNumber[];
  readonly load: CallLoad;
  /** The tenant's account, without a rate or charge of a call. */
  readonly accountStatus: AccountStatus;
}

export interface ClaimedNumber {
  readonly numberE164: string;
  readonly tenantId: number;
  readonly confirmedAt: number | null;
}

/** The data needed to set up a call. */
export interface CallSetupRecords {
  tenant(tenantId: number): Promise<CallTenant | undefined>;
  trunk(tenantId: number): Promise<CallTrunk | undefined>;
  agent(tenantId: number, agentId: number): Promise<AgentRecord | undefined>;
  /** The agent, with the versions that share its callers. */
  sharedAgent(
    tenantId: number,
    agentId: number,
  ): Promise<{ readonly agent: AgentRecord; readonly split: AgentSplit | null } | undefined>;
  /** At most two: callers only need to know whether exactly one exists. */
  firstAgents(tenantId: number): Promise<readonly AgentRecord[]>;
  numberByE164(tenantId: number, numberE164: string): Promise<CallNumber | undefined>;
  /** Reads the data that decides about an inbound call. Undefined if the tenant does not exist. */
  routes(
    tenantId: number,
    candidates: readonly string[],
    spentSinceMs: number,
  ): Promise<InboundRoutes | undefined>;
  /** The only lookup across tenants: all claims to these numbers. */
  claimsTo(numbers: readonly string[]): Promise<readonly ClaimedNumber[]>;
  /** Knowledge and tools of a call's agent. `disclosure` null: use the operator's sentence. */
  agentContext(
    tenantId: number,
    agent: Pick<AgentOfCall, "id" | "language" | "version" | "isStoredVersion">,
  ): Promise<
    Pick<CallConfig, "tools" | "disclosure"> & { readonly files: readonly KnowledgeFile[] }
  >;
}

interface CallScheduleRecords {
  /** Returns the entry's id. */
  insert(
    tenantId: number,
    entry: Omit<ScheduleEntry, "id" | "tenantId" | "leaseToken"> & {
      readonly status: "pending";
      readonly createdAt: number;
    },
  ): Promise<number>;
  find(
    tenantId: number,
    scheduleId: number,
  ): Promise<{ readonly callUuid: string; readonly status: string } | undefined>;
  /**
   * Changes a pending entry. False if another process changed it already, or if the given claim token is
   * outdated.
   */
  leavePending(
    tenantId: number,
    scheduleId: number,
    status: "fired" | "cancelled" | "missed" | "failed",
    detail: { firedAt?: number; toCountry?: string | null; reason?: string },
    leaseToken?: number,
  ): Promise<boolean>;
  /** Calls dialled between two times (both inclusive), for the limit per minute. */
  firedBetween(tenantId: number, sinceMs: number, untilMs: number): Promise<number>;
  /** Immediate requests since then without a dialled call. */
  immediateSince(tenantId: number, sinceMs: number): Promise<number>;
}

/** Numbers and countries that a tenant has dialled. */
interface DialledRecords {
  /** Whether the number was dialled before `sinceMs`. */
  knewNumber(tenantId: number, number: string, sinceMs: number): Promise<boolean>;
  /** Numbers first dialled since then; at most `countMax`. */
  newNumbers(tenantId: number, sinceMs: number, countMax: number): Promise<readonly string[]>;
  /** Foreign countries dialled, each with the time of its first call. */
  countriesAbroad(
    tenantId: number,
  ): Promise<readonly { readonly country: string; readonly firstAt: number }[]>;
}

interface PurposeRecords {
  purpose(tenantId: number, callUuid: string): Promise<CallPurpose | undefined>;
  putPurpose(
    tenantId: number,
    purpose: CallPurpose & { readonly callUuid: string; readonly createdAt: number },
  ): Promise<void>;
}

/** `callId` is the id of the call's row. */
interface CallNoteRecords {
  add(callId: number, note: CallNote): Promise<void>;
  of(callId: number): Promise<readonly CallNote[]>;
}

interface DiagnosticsRecords {
  /** Replaces the previous value. */
  put(
    tenantId: number,
    callId: number,
    diagnostics: {
      readonly sip: readonly SipTraceEntry[];
      readonly quality: readonly QualitySample[];
      readonly packetHeaders: PacketHeaders | null;
    },
  ): Promise<void>;
}

/** Recordings to be deleted. */
interface RecordingRecords {
  /** When `recording.ready` of the call was sent to an endpoint; null if none has subscribed to it. */
  announcedAt(tenantId: number, callUuid: string): Promise<number | null>;
  /** Schedules the deletion of a mailed recording. */
  deleteAt(tenantId: number, callUuid: string, atMs: number): Promise<void>;
  /** Recordings due for deletion on this node's disk, of every tenant. */
  dueForDeletion(
    nowMs: number,
    node: string,
    limit: number,
  ): Promise<
    readonly {
      readonly tenantId: number;
      readonly callUuid: string;
      readonly file: string | null;
    }[]
  >;
  /** Only the mail is left of the recording. */
  markMailed(tenantId: number, callUuid: string): Promise<void>;
  /** Recordings that other nodes have not encoded yet, oldest first, of every tenant. */
  leftByOtherNodes(node: string, limit: number): Promise<readonly StoredCall[]>;
}

export interface CallStores {
  calls(queries: Queries): CallRecords;
  setup(queries: Queries): CallSetupRecords;
  schedules(queries: Queries): CallScheduleRecords;
  dialled(queries: Queries): DialledRecords;
  purposes(queries: Queries): PurposeRecords;
  notes(queries: Queries): CallNoteRecords;
  diagnostics(queries: Queries): DiagnosticsRecords;
  recordings(queries: Queries): RecordingRecords;
}

export interface CallStorage {
  readonly database: Database;
  readonly stores: CallStores;
}
