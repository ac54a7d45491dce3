/**
 * Dependencies of the HTTP server. The composition root (app.ts) passes everything in one `HttpDependencies`;
 * there are no globals.
 */

import type { CallService } from "../call/ports.ts";
import type { RegistrationStatus } from "../call/sip-port.ts";
import type { Clock, ClockTrust } from "../core/clock.ts";
import type { Database, Queries } from "../core/database.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import type { AgentLanguage, AgentVoice } from "../features/agent/agent.ts";
import type { Services } from "../features/appliance/services.ts";
import type { Billing } from "../features/billing/billing.ts";
import type { Checkouts } from "../features/billing/checkout.ts";
import type { Campaigns } from "../features/campaign/campaigns.ts";
import type { BirthdayCalls } from "../features/contact/birthday-calls.ts";
import type { CrmOutbox } from "../features/contact/crm/crm-outbox.ts";
import type { CrmTrial } from "../features/contact/crm/trial.ts";
import type { Identity } from "../features/identity/identity.ts";
import type { Rehearsals } from "../features/rehearsal/rehearsals.ts";
import type { WebhookTester } from "../features/webhook/tester.ts";
import type { DashboardParts } from "./dashboard/ports.ts";
import type { IdempotencyRecords } from "./idempotency.ts";

export interface HttpSettings {
  readonly host: string;
  /** 0: a free port; see `HttpServer.address`. */
  readonly port: number;
  /** Without a path or trailing slash, `https://voice.example.com`; null: the listening address. */
  readonly publicUrl: string | null;
  /** PEM texts; null: plain HTTP (behind a proxy, or on loopback). */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Sliding window limit per API key. Read at each request, because it may change. */
  readonly requestsPerMinute: number;
  /** Largest request body. */
  readonly bodyBytesMax: number;
  /** Addresses and networks whose X-Forwarded-* headers count. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** Version of the appliance, for GET /ping. */
  readonly version: string;
  /** The label of `agent.engine`. */
  readonly engineLabel: string;
  /** Maximum tokens of an agent's knowledge that go whole into its prompt. */
  readonly knowledgeTokens: number;
  /** Additional voice names that the operator allows, each an alias of one of the four voices. */
  readonly voiceAliases: Readonly<Record<string, AgentVoice>>;
  /** Bank details on /checkout/…; null: the service provider gives them. */
  readonly bankDetails: string | null;
}

export interface HttpDependencies {
  /** Services shared with the command line. */
  readonly services: Services;
  readonly database: Database;
  readonly idempotencyRecords: (queries: Queries) => IdempotencyRecords;
  readonly billing: Billing;
  readonly calls: CallService;
  readonly webhookTester: Pick<WebhookTester, "test" | "resend">;
  readonly vault: Vault;
  readonly identity: Identity;
  readonly checkouts: Checkouts;
  /**
   * Processes a raw Stripe event with its signature; returns the status. Missing: Stripe is not configured,
   * and its endpoint does not exist.
   */
  readonly stripeEvents?: ((body: string, signature: string | null) => Promise<number>) | null;
  readonly callerParts: CallerRoutesParts;
  readonly recordings: Recordings;
  /** What the engine can do for agents in this language. */
  engineCapabilities(language: AgentLanguage): {
    readonly understandsSpeech: boolean;
    readonly followsPrompt: boolean;
  };
  readonly registrations: Registrations;
  readonly health: Health;
  readonly rehearsals: Rehearsals;
  /** Missing: a server without the dashboard's routes. */
  readonly dashboard?: DashboardParts | null;
  readonly clock: Clock;
  /** If it returns false (untrusted clock), no idempotency key expires. Default: always true. */
  readonly trust?: Pick<ClockTrust, "mayDelete">;
  readonly random: Random;
  readonly log: Log;
  /** Rate limiter of several nodes with a shared store. Default: in memory. */
  readonly rateLimiter?: RateLimiter;
  /** True if the store is reached over a network: reads then have a deadline (store-deadline.ts). */
  readonly isStoreRemote?: boolean;
}

/** Features that use a tenant's contacts. */
interface CallerRoutesParts {
  readonly campaigns: Campaigns;
  readonly crmPosts: Pick<CrmOutbox, "list" | "replay">;
  readonly crmTrial: (tenantId: number, number: string) => Promise<CrmTrial>;
  readonly birthdays: Pick<BirthdayCalls, "preview">;
}

/** Encryption at rest (config/secrets): AES-256-GCM with the master key. */
interface Vault {
  /** `binding` is the associated data: decryption needs the same binding. */
  seal(plain: string, binding: string): string;
  /** Throws if another appliance encrypted the text, or the binding differs. */
  open(sealed: string, binding: string): string;
  /** Derives 32 bytes for one purpose (HKDF-SHA-256). Changes when the root secret is replaced. */
  deriveKey(purpose: string): Uint8Array;
  /** Derives a key that never changes. */
  lastingKey(purpose: string): Uint8Array;
}

interface Recordings {
  /** Absolute path of a stored recording; null if the file does not exist. */
  locate(recordingFile: string): Promise<string | null>;
}

interface Registrations {
  /** null: the trunk is not on this node's SIP stack. */
  status(trunkId: number): RegistrationStatus | null;
}

export interface Health {
  /** Empty if ready, else one sentence per failed part (database, SIP, media). */
  problems(): Promise<readonly string[]>;
  /** Problems for the operator that do not stop calls. Default: none. */
  warnings?(): readonly string[];
}

export interface RateLimitResult {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until another request is allowed. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  /** Counts `weight` requests (default 1, never the whole limit), unless the limit would be exceeded. */
  take(keyId: number, weight?: number): RateLimitResult | Promise<RateLimitResult>;
  /** Returns reserved requests to the store. */
  stop?(): Promise<void>;
}
