/** What the composition needs to know, already parsed; `settings-from-config.ts` fills it. */

import type { StripeSettings } from "../adapter/payments/stripe.ts";
import type { CallWorkerSettings } from "../adapter/worker/messages.ts";
import type { CodecName } from "../core/codecs.ts";
import type { MicroEur } from "../core/money.ts";
import type { AgentVoice } from "../domain/agent/agent.ts";
import type { GoodsPrices } from "../domain/billing/cost-of-goods.ts";
import type { Plan } from "../domain/billing/ports.ts";
import type { DialingLimits } from "../domain/call/admission.ts";

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

export interface AppSettings {
  readonly version: string;
  readonly dataDir: string;
  /** 32 bytes. */
  readonly masterKey: Uint8Array;
  readonly storage: {
    readonly recordingsRetentionDays: number;
    readonly transcriptsRetentionDays: number;
    /** Cron in local time; null: no nightly backup. */
    readonly backupAt: string | null;
    readonly backupKeep: number;
    /** Several nodes on one store: limits are counted there. */
    readonly shared: boolean;
    /** The libSQL server they share. Missing: a file in the data directory. */
    readonly remote?: { readonly url: string; readonly authToken: string | null } | null;
  };
  readonly http: {
    readonly listen: HostPort;
    readonly publicUrl: string | null;
    readonly tls: { readonly cert: string; readonly key: string } | null;
    readonly requestsPerMinute: number;
    readonly bodyBytesMax: number;
    /** Whose X-Forwarded-* headers count. Missing: nobody's. */
    readonly trustedProxies?: readonly string[];
    /** Connections that one address may hold open. Missing: 512. */
    readonly connectionsPerAddress?: number;
  };
  /** Where Prometheus looks. Missing: nowhere. */
  readonly metricsListen?: HostPort | null;
  /** The collector of traces (OTLP over HTTP). Missing: none. */
  readonly traces?: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  } | null;
  readonly sip: {
    readonly bind: HostPort;
    /** `auto`: learned from what registrars see. */
    readonly externalIp: string;
    /** Networks that trunks may be in, though they are not public. */
    readonly allowNetworks: readonly string[];
    /** That one trunk takes; twice as many at once. */
    readonly newCallsPerSecond: number;
    readonly userAgent: string;
    readonly registerExpiresSeconds: number;
    readonly ringTimeoutMs: number;
    readonly sessionExpiresSeconds: number;
    readonly codecs: readonly CodecName[];
    /** Encryption of media by SDES. Missing: off. */
    readonly srtp?: "off" | "optional" | "required";
    /** Whether silence may be told instead of sent (RFC 3389). Missing: no. */
    readonly comfortNoise?: boolean;
    readonly outboundProxy: string | null;
    /** Where SIP over TLS listens, PEM; null: nowhere. */
    readonly tls: {
      readonly bind: HostPort;
      readonly cert: string;
      readonly key: string;
    } | null;
    /** PEM of the only authorities TLS trunks trust; null: the public ones. */
    readonly tlsCa: string | null;
    readonly stunServer: { readonly host: string; readonly port: number | null } | null;
    readonly trace: boolean;
  };
  readonly callWorkers: number;
  readonly callWorker: CallWorkerSettings;
  readonly engineLabel: string;
  readonly voiceAliases: Readonly<Record<string, AgentVoice>>;
  readonly prices: GoodsPrices;
  readonly plans: readonly Plan[];
  readonly httpClient: {
    readonly allowNetworks: readonly string[];
    readonly caPem: string | null;
    readonly toolTimeoutMs: number;
    readonly webhookTimeoutMs: number;
  };
  readonly mail: {
    readonly from: string;
    readonly provider: MailProviderSettings;
    /** A larger recording is sent as a link. */
    readonly attachmentBytesMax: number;
    /** Files of the `outbox` provider. */
    readonly outboxKeepDays: number;
  };
  /** Missing: payments are bank transfers that the operator confirms. */
  readonly stripe?: StripeSettings | null;
  /** Balances below which a tenant gets a mail. Missing: none. */
  readonly lowBalanceThresholds?: readonly MicroEur[];
  readonly concurrentCallsMax: number;
  readonly dialing: DialingLimits;
  /** How to pay by bank transfer, as lines; null: ask the operator. */
  readonly bankDetails: string | null;
}

/** What may be changed while the appliance runs (SIGHUP). */
export interface Tuning {
  readonly requestsPerMinute: number;
  readonly concurrentCallsMax: number;
  readonly dialing: DialingLimits;
  readonly tls: AppSettings["http"]["tls"];
}

export const tuningOf = (settings: AppSettings): Tuning => ({
  requestsPerMinute: settings.http.requestsPerMinute,
  concurrentCallsMax: settings.concurrentCallsMax,
  dialing: settings.dialing,
  tls: settings.http.tls,
});

export type MailProviderSettings =
  | { readonly kind: "outbox" }
  | {
      readonly kind: "smtp";
      readonly host: string;
      readonly port: number;
      readonly username: string | null;
      readonly password: string | null;
      readonly security: "none" | "starttls" | "tls";
      readonly timeoutMs: number;
    }
  | {
      readonly kind: "resend";
      readonly apiKey: string;
      readonly baseUrl: string;
      readonly timeoutMs: number;
    };
