/**
 * What the HTTP server needs from the rest of the appliance. The composition root (app.ts) hands
 * everything over in one `HttpDependencies`; nothing here is reached through a global.
 */

import type { Clock, ClockTrust } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { AgentVoice } from "../../domain/agent/agent.ts";
import type { Billing } from "../../domain/billing/billing.ts";
import type { Checkouts } from "../../domain/billing/checkout.ts";
import type { CallService } from "../../domain/call/ports.ts";
import type { RegistrationStatus } from "../../domain/call/sip-port.ts";
import type { Campaigns } from "../../domain/campaign/campaigns.ts";
import type { BirthdayCalls } from "../../domain/contact/birthday-calls.ts";
import type { CrmPosts } from "../../domain/contact/crm/posts.ts";
import type { CrmTrial } from "../../domain/contact/crm/trial.ts";
import type { Identity } from "../../domain/identity/identity.ts";
import type { Rehearsals } from "../../domain/rehearsal/rehearsals.ts";
import type { WebhookTester } from "../../domain/webhook/tester.ts";
import type { Services } from "../../operations/admin/services.ts";
import type { DashboardParts } from "./dashboard/ports.ts";
import type { IdempotencyRecords } from "./idempotency.ts";

export interface HttpSettings {
  readonly host: string;
  /** 0: a free port; `HttpServer.address` has the result. */
  readonly port: number;
  /** Without a path or trailing slash, `https://voice.example.com`; null: the listening address. */
  readonly publicUrl: string | null;
  /** PEM texts; null: plain HTTP (behind a proxy, or on loopback). */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** For each API key, sliding. Read at each request: it may change. */
  readonly requestsPerMinute: number;
  /** Largest request body. */
  readonly bodyBytesMax: number;
  /** Addresses and networks whose X-Forwarded-* headers count. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** Of the appliance, for GET /ping. */
  readonly version: string;
  /** The label of `agent.engine`. */
  readonly engineLabel: string;
  /** Additional voice names that the operator allows. Each stands for one of the four voices. */
  readonly voiceAliases: Readonly<Record<string, AgentVoice>>;
  /** How to pay by bank transfer, shown on /checkout/…; null: the provider of the service tells it. */
  readonly bankDetails: string | null;
}

export interface HttpDependencies {
  /** The services that the command line calls, too. */
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
   * Takes a Stripe event as it came, with its signature; answers the status. Missing: payments are
   * not made through Stripe, and its endpoint does not exist.
   */
  readonly stripeEvents?: ((body: string, signature: string | null) => Promise<number>) | null;
  readonly callerParts: CallerRoutesParts;
  readonly recordings: Recordings;
  readonly registrations: Registrations;
  readonly health: Health;
  readonly rehearsals: Rehearsals;
  /** Missing: a server of the API alone, without the product's dashboard routes. */
  readonly dashboard?: DashboardParts | null;
  readonly clock: Clock;
  /** False: no idempotency key becomes new again. Default: always true. */
  readonly trust?: Pick<ClockTrust, "mayDelete">;
  readonly random: Random;
  readonly log: Log;
  /** Where several nodes share one store: a limiter they share. Default: this process counts. */
  readonly rateLimiter?: RateLimiter;
  /** The store is reached over a network: what only reads is not kept waiting for it. */
  readonly isStoreRemote?: boolean;
}

/** Features that use a tenant's contacts. */
interface CallerRoutesParts {
  readonly campaigns: Campaigns;
  readonly crmPosts: Pick<CrmPosts, "list" | "replay">;
  readonly crmTrial: (tenantId: number, number: string) => Promise<CrmTrial>;
  readonly birthdays: Pick<BirthdayCalls, "preview">;
}

/** Sealing at rest (config/secrets): AES-256-GCM under the master key. */
interface Vault {
  /** `binding` is the associated data: the sealed text opens only with the same binding. */
  seal(plain: string, binding: string): string;
  /** Throws when the text was sealed elsewhere or with another binding. */
  open(sealed: string, binding: string): string;
  /** 32 bytes of their own for one purpose (HKDF-SHA-256), until the root they come from is replaced. */
  deriveKey(purpose: string): Uint8Array;
  /** A key that never changes. */
  lastingKey(purpose: string): Uint8Array;
}

interface Recordings {
  /** Absolute path of a stored recording; null when there is no such file in the directory. */
  locate(recordingFile: string): Promise<string | null>;
}

interface Registrations {
  /** null: the trunk is not on this node's SIP stack. */
  status(trunkId: number): RegistrationStatus | null;
}

export interface Health {
  /** Empty when ready, else one sentence for each thing that is not (database, SIP, media). */
  problems(): Promise<readonly string[]>;
  /** What the operator should fix although calls go on. Default: nothing. */
  warnings?(): readonly string[];
}

export interface RateLimitResult {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until one more request fits. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  /** Counts so many requests of this key (default 1, never all of the limit), unless that is over the limit. */
  take(keyId: number, weight?: number): RateLimitResult | Promise<RateLimitResult>;
  /** Gives back what was set aside. */
  stop?(): Promise<void>;
}
