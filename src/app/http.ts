/** Starts the HTTP server with its routes and services. */

import type { CallService } from "../call/ports.ts";
import type { SipStack } from "../call/sip-port.ts";
import type { Clock, ClockTrust } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import type { Services } from "../features/appliance/services.ts";
import type { Billing } from "../features/billing/billing.ts";
import type { Identity } from "../features/identity/identity.ts";
import type { Rehearsals } from "../features/rehearsal/rehearsals.ts";
import type { DashboardParts } from "../http/dashboard/ports.ts";
import { idempotencyStore } from "../http/idempotency-store.ts";
import { rateStore } from "../http/rate-store.ts";
import { sharedRateLimiter } from "../http/shared-rate-limit.ts";
import { hostPortText } from "../platform/config/formats.ts";
import type { Vault } from "../platform/secrets/vault.ts";
import type { Audio } from "./audio.ts";
import type { CallerJobs, CallerParts } from "./caller-services.ts";
import type { Delivery } from "./delivery.ts";
import type { HealthCheck } from "./health.ts";
import type { Payments } from "./payments.ts";
import { locateRecording } from "./recording-files.ts";
import { HttpServer } from "./server/server.ts";
import type { AppSettings, Tuning } from "./settings.ts";

interface HttpParts {
  readonly services: Services;
  readonly database: Database;
  readonly billing: Billing;
  readonly payments: Payments;
  readonly calls: CallService;
  readonly delivery: Delivery;
  readonly vault: Vault;
  readonly identity: Identity;
  readonly sip: SipStack;
  readonly audio: Audio;
  readonly health: HealthCheck;
  readonly callerParts: CallerParts & CallerJobs;
  /** Limits that may change while the server runs. */
  readonly tuning: Pick<Tuning, "requestsPerMinute">;
  /** Problems that the operator should fix although calls continue, one sentence each. */
  warnings(): readonly string[];
  readonly dashboard: DashboardParts;
  readonly rehearsals: Rehearsals;
  readonly recordingsDir: string;
  readonly clock: Clock;
  readonly clockWatch: Pick<ClockTrust, "mayDelete">;
  readonly random: Random;
  readonly log: Log;
}

export interface Http {
  readonly server: HttpServer;
  readonly baseUrl: string;
}

export function startHttp(settings: AppSettings, parts: HttpParts): Http {
  const { sip, database } = parts;
  const server = new HttpServer(
    {
      host: settings.http.listen.host,
      port: settings.http.listen.port,
      publicUrl: settings.http.publicUrl,
      tls: settings.http.tls,
      get requestsPerMinute() {
        return parts.tuning.requestsPerMinute;
      },
      bodyBytesMax: settings.http.bodyBytesMax,
      trustedProxies: settings.http.trustedProxies ?? [],
      version: settings.version,
      engineLabel: settings.engineLabel,
      voiceAliases: settings.voiceAliases,
      knowledgeTokens: settings.callWorker.conversation.knowledgeTokens ?? 0,
      bankDetails: settings.bankDetails,
    },
    {
      ...parts,
      trust: parts.clockWatch,
      idempotencyRecords: idempotencyStore,
      webhookTester: parts.delivery.tester,
      checkouts: parts.payments.checkouts,
      stripeEvents: parts.payments.stripeEvents,
      rateLimiter: settings.storage.shared
        ? sharedRateLimiter(() => parts.tuning.requestsPerMinute, {
            database,
            requests: rateStore,
            clock: parts.clock,
          })
        : undefined,
      isStoreRemote: settings.storage.remote != null,
      engineCapabilities: parts.audio.capabilities,
      recordings: { locate: (file) => locateRecording(parts.recordingsDir, file) },
      registrations: { status: (trunkId) => sip.trunk(trunkId)?.registration ?? null },
      health: { problems: () => parts.health.problems(), warnings: () => parts.warnings() },
    },
  ).listen();
  const scheme = settings.http.tls ? "https" : "http";
  const baseUrl = settings.http.publicUrl ?? `${scheme}://${hostPortText(server.address)}`;
  return { server, baseUrl };
}
