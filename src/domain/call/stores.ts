/**
 * The rows that calls need, as ports; `src/adapter/store/call/call-stores.ts` implements them. Each is made over
 * the caller's `Queries`, so that a call, its charge and its events commit together. Tenant id first.
 */

import type { Database, Queries } from "../../core/database.ts";
import type { CallStatus } from "../../core/ended-reason.ts";
import type { JsonObject } from "../../core/json.ts";
import type { MicroEur } from "../../core/money.ts";
import type { PacketHeaders } from "../../core/packet-headers.ts";
import type { AgentRecord } from "../agent/agent-schema.ts";
import type { AgentOfCall, AgentSplit } from "../agent/agent-split.ts";
import type { Standing } from "../billing/stores.ts";
import type { CallerTenant, EndedCall } from "../contact/ports.ts";
import type { CallConfig } from "../conversation/call-config.ts";
import type { CallNote, CallReport, TurnRecord } from "../conversation/call-report.ts";
import type { IndexedFile } from "../knowledge/knowledge-index.ts";
import type { ScheduleEntry } from "../schedule/scheduler.ts";
import type { QualitySample, SipTraceEntry } from "./diagnostics.ts";
import type { FinalFigures } from "./final-figures.ts";
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

/** The tenant as a call needs it. */
export interface CallTenant extends CallerTenant {
  readonly name: string;
  /** Its slug. */
  readonly plan: string;
  readonly suspended: boolean;
  /** Prefixes such as `+370,+371`; null: the country of the caller id alone. */
  readonly allowedPrefixes: string | null;
  /** Short numbers that the operator opened, by commas; null: none. */
  readonly shortNumbers: string | null;
  /** null: the operator's limit for all. */
  readonly dailySpendMax: MicroEur | null;
  readonly callsPerMinuteMax: number;
}

export interface CallTrunk {
  readonly id: number;
  readonly tenantId: number;
  readonly callerId: string;
  /** Calls that the carrier carries at once; null: as many as the plan allows. */
  readonly channels: number | null;
}

export interface CallNumber {
  readonly numberE164: string;
  readonly agentId: number | null;
  readonly inboundEnabled: boolean;
}

export interface RoutedNumber extends CallNumber {
  /** null: the tenant only claims it (number/claims.ts). */
  readonly confirmedAt: number | null;
  /** null: it has none. */
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
  /** Which node carries it, and has its recording; null: from before there were several. */
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
  /** As the call sees it. */
  readonly standing: Standing;
  readonly tenant: EndedCall["tenant"];
  /** Its agent has an endpoint of its own, which is told of the end. */
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

/** `file` is relative to the recordings directory; what is missing stays as it is. */
export interface FinishedCall {
  readonly ending: CallEnding;
  readonly endedAt: number;
  /** Missing: the worker told nothing. */
  readonly report?: CallReport | null;
  /** Missing: it was never answered. */
  readonly figures?: FinalFigures;
  /** Missing: as it is. */
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
  /** Micro-euro of calls since the time that was asked for, and what live calls hold. */
  readonly spent: number;
}

/** One function for each step of a call's life. */
export interface CallRecords {
  /** Returns the row's id. */
  insert(tenantId: number, call: NewCall): Promise<number>;
  /** For whom its id is of no use: nothing is waited for. */
  add(tenantId: number, call: NewCall): Promise<void>;
  find(tenantId: number, callUuid: string): Promise<StoredCall | undefined>;
  /** Written before the INVITE is sent: from here on the call is never dialled again. */
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
   * The recording is no longer `processing`, and its waveform is stored. Null: it was not any more, and
   * nothing is stored. `isMailed`: the call's agent asks for mails.
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
   * All that the end of a call is decided by. Undefined: its end is written. Read it first in the
   * transaction that ends a call.
   */
  findEnding(
    tenantId: number,
    call: { readonly uuid: string; readonly chargeKey: string },
  ): Promise<EndingCall | undefined>;
  /** The one final write of a call. Returns what it changed. */
  finish(tenantId: number, callUuid: string, finished: FinishedCall): Promise<Partial<StoredCall>>;
  /** Stores a proof of life. Returns the calls that are still open. */
  heartbeat(callUuids: readonly string[], nowMs: number): Promise<ReadonlySet<string>>;
  /** Calls of every tenant that are open, or that a crash left so; but these. */
  leftLive(except?: readonly string[]): Promise<readonly StoredCall[]>;
  /** Of every tenant: open calls and unprocessed recordings are that node's from now on. */
  adoptLeft(node: string): Promise<void>;
  /** Unprocessed recordings on this node's disk, of every tenant. */
  leftUnprocessed(node: string): Promise<readonly StoredCall[]>;
  /** What a tenant's limits are checked against. */
  load(tenantId: number, sinceMs: number): Promise<CallLoad>;
}

/** A file that an agent knows. `content` null: too large to be read whole. */
export interface KnowledgeFile extends IndexedFile {
  readonly sizeBytes: number;
  readonly content: string | null;
}

/** All that decides on an inbound call, read at once. */
export interface InboundRoutes {
  readonly tenant: CallTenant;
  /** Which of the numbers are the tenant's, each with its agent. */
  readonly numbers: readonly RoutedNumber[];
  readonly load: CallLoad;
  /** As no call sees it. */
  readonly standing: Standing;
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
  /** With the versions that share its callers. */
  sharedAgent(
    tenantId: number,
    agentId: number,
  ): Promise<{ readonly agent: AgentRecord; readonly split: AgentSplit | null } | undefined>;
  /** At most two: callers only need to know whether there is exactly one. */
  firstAgents(tenantId: number): Promise<readonly AgentRecord[]>;
  numberByE164(tenantId: number, numberE164: string): Promise<CallNumber | undefined>;
  /** What an inbound call is decided by. Undefined: no such tenant. */
  routes(
    tenantId: number,
    candidates: readonly string[],
    spentSinceMs: number,
  ): Promise<InboundRoutes | undefined>;
  /** The only lookup across tenants: all claims to these numbers. */
  claimsTo(numbers: readonly string[]): Promise<readonly ClaimedNumber[]>;
  /** What a call's agent knows and may do. `disclosure` null: the operator's sentence. */
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
   * Moves a pending entry on; false when somebody else has done so already, or, given the token
   * of a claim, has claimed it since.
   */
  leavePending(
    tenantId: number,
    scheduleId: number,
    status: "fired" | "cancelled" | "missed" | "failed",
    detail: { firedAt?: number; toCountry?: string | null; reason?: string },
    leaseToken?: number,
  ): Promise<boolean>;
  /** Calls dialled between two times, both included, for the cap a minute. */
  firedBetween(tenantId: number, sinceMs: number, untilMs: number): Promise<number>;
  /** Calls asked for at once since then that are not dialled yet. */
  immediateSince(tenantId: number, sinceMs: number): Promise<number>;
}

/** What a tenant has dialled. */
interface DialledRecords {
  /** Whether the number was dialled before `sinceMs`. */
  knewNumber(tenantId: number, number: string, sinceMs: number): Promise<boolean>;
  /** Numbers dialled since then and never before; at most `countMax`. */
  newNumbers(tenantId: number, sinceMs: number, countMax: number): Promise<readonly string[]>;
  /** Countries dialled abroad, each with the time of its first call. */
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

/** `callId`: the call's row. */
interface CallNoteRecords {
  add(callId: number, note: CallNote): Promise<void>;
  of(callId: number): Promise<readonly CallNote[]>;
}

interface DiagnosticsRecords {
  /** Replaces what was there. */
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

/** Recordings on their way out. */
interface RecordingRecords {
  /** When `recording.ready` of the call went to an endpoint; null: none has subscribed to it. */
  announcedAt(tenantId: number, callUuid: string): Promise<number | null>;
  /** Mailed: it goes at that time. */
  deleteAt(tenantId: number, callUuid: string, atMs: number): Promise<void>;
  /** Whose time has come, on this node's disk, of every tenant. */
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
  /** Nothing of it is left but the mail. */
  markMailed(tenantId: number, callUuid: string): Promise<void>;
  /** Still to be encoded by another node, the oldest first, of every tenant. */
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
