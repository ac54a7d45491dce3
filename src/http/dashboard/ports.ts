/**
 * Dependencies of the dashboard's routes beyond those of REST v1. app.ts provides them; a server without a
 * dashboard (API tests) has none.
 */

import type { RegistrationStatus } from "../../call/sip-port.ts";
import type { AgentChats } from "../../call/web/chat.ts";
import type { VoiceSamples } from "../../call/web/voice-samples.ts";
import type { WebCalls } from "../../call/web/web-call.ts";
import type { TurnRecord } from "../../conversation/call-report.ts";
import type { Unsubscribe } from "../../core/emitter.ts";
import type { CallStatus, EndedReason } from "../../core/ended-reason.ts";
import type { MicroEur } from "../../core/money.ts";
import type { AgentLanguage, AgentVoice } from "../../features/agent/agent.ts";
import type { MailTest } from "../../features/mail/mail-test.ts";
import type { ToolRunner } from "../../features/tool/ports.ts";
import type { WebhookTester } from "../../features/webhook/tester.ts";
import type { BackupSummary } from "../../ops/backup/backups.ts";
import type { CheckResult } from "../../ops/doctor/check.ts";
import type { LogRing } from "../../ops/log-ring.ts";

export interface LiveCallView {
  readonly callUuid: string;
  readonly tenantId: number;
  readonly direction: "inbound" | "outbound";
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly agentId: number | null;
  readonly status: CallStatus;
  readonly startedAtMs: number;
  readonly answeredAtMs: number | null;
  readonly lastTurn: TurnRecord | null;
}

export type LiveEvent =
  | { readonly type: "call"; readonly call: LiveCallView }
  | { readonly type: "turn"; readonly callUuid: string; readonly turn: TurnRecord }
  | {
      readonly type: "ended";
      readonly callUuid: string;
      readonly status: CallStatus;
      readonly endedReason: EndedReason;
    }
  | { readonly type: "registration"; readonly status: RegistrationStatus };

/** Calls on other nodes with the same store. */
export interface RemoteNodeCalls {
  list(tenantId: number): Promise<readonly LiveCallView[]>;
  /** Runs until the signal aborts. Never rejects. */
  follow(tenantId: number, tell: (event: LiveEvent) => void, signal: AbortSignal): Promise<void>;
}

export interface LiveCalls {
  list(tenantId: number): readonly LiveCallView[];
  /** Turns so far, in the order in which they began. */
  turns(tenantId: number, callUuid: string): readonly TurnRecord[];
  /** Number of calls with media, for all tenants. */
  readonly total: number;
  follow(tenantId: number, listener: (event: LiveEvent) => void): Unsubscribe;
  /**
   * Streams both sides of an answered call: PCM, 8 kHz, interleaved (left caller, right agent), in chunks of
   * about 100 ms. The call's worker sends it only while somebody listens. null: no such live call.
   */
  monitor(
    tenantId: number,
    callUuid: string,
    listener: {
      readonly pcm: (stereo: Int16Array) => void;
      readonly ended: () => void;
    },
  ): Unsubscribe | null;
}

/** State of the appliance's parts: a sentence if something is wrong. */
export interface StatusSources {
  engine(): string | null;
  /** True if a configured provider is unusable and calls use the fallback. */
  hasProviderTrouble(): boolean;
  /** Custom voices with unusable files; embedded voices replace them. */
  failedVoices(): readonly { readonly language: AgentLanguage; readonly voice: AgentVoice }[];
  /** `failed`: calls are rejected. */
  disk(): { readonly failed: boolean; readonly sentence: string } | null;
  backup(): {
    readonly problem: string | null;
    readonly newest: BackupSummary | null;
    readonly automatic: boolean;
  };
  mail(): Promise<{
    readonly dead: number;
    readonly waiting: number;
    readonly lastError: string | null;
  }>;
  readonly mailProvider: string;
  /** Days to keep files of the `outbox` provider, including recordings. */
  readonly outboxKeepDays: number;
}

/** Settings of the configuration file that apply to all companies. */
export interface FixedSettings {
  readonly engine: {
    /** Provider ids in the order in which they are tried. */
    readonly providers: Readonly<Record<"stt" | "llm" | "tts", readonly string[]>>;
    readonly takesMessages: boolean;
  };
  readonly mailFrom: string;
  readonly paymentsReady: boolean;
  readonly warnings: {
    readonly lowBalances: readonly MicroEur[];
    readonly burst: { readonly newNumbersPerHour: number; readonly newCountriesPerDay: number };
  };
}

export interface DashboardParts {
  readonly toolRunner: Pick<ToolRunner, "trial">;
  readonly webhookTester: Pick<WebhookTester, "resendFailed">;
  readonly live: LiveCalls;
  /** null: single node. */
  readonly remoteNodes: RemoteNodeCalls | null;
  readonly webCalls: WebCalls;
  readonly chats: AgentChats;
  readonly voiceSamples: VoiceSamples;
  readonly statusSources: StatusSources;
  readonly mailTest: MailTest;
  /** Call this after a mail was put back into the queue. */
  readonly wakeMails: () => void;
  readonly logs: LogRing;
  /** The doctor's checks; null: this server has none. */
  readonly checks: (() => Promise<readonly CheckResult[]>) | null;
  /** Result of their last run since the start; empty: none. */
  readonly lastChecks: () => readonly CheckResult[];
  readonly backups: () => readonly BackupSummary[];
  /** Current values. */
  readonly fixedSettings: () => FixedSettings;
  /** Current value of `[limits] daily_spend_eur`. */
  readonly dailySpendDefault: () => MicroEur;
  /** Days that transcripts are kept without a paid block. */
  readonly transcriptsDays: number;
  readonly disclosureDefault: Readonly<Record<"lt" | "lv" | "en" | "ru", string>>;
}
