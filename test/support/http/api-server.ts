/**
 * The HTTP server as the appliance builds it, with a real database file, sockets, billing,
 * checkouts, vault, call service and webhook tester. SIP and media are not started, so no call
 * becomes live.
 */

import { join } from "node:path";
import { createCallerJobs, createCallerParts } from "../../../src/app/caller-services.ts";
import { createPeople } from "../../../src/app/identity-composition.ts";
import { createPayments } from "../../../src/app/payments.ts";
import { createRehearsals } from "../../../src/app/rehearsal.ts";
import { openRevocations } from "../../../src/app/revocations.ts";
import { HttpServer } from "../../../src/app/server/server.ts";
import { createServices } from "../../../src/app/services.ts";
import { Admission, type DialingLimits } from "../../../src/call/admission/admission.ts";
import { CallRegistry } from "../../../src/call/live/registry.ts";
import { createCallService } from "../../../src/call/service/call-service.ts";
import type { CallContext } from "../../../src/call/service/context.ts";
import type { RegistrationStatus } from "../../../src/call/sip-port.ts";
import { callStores } from "../../../src/call/store/call-stores.ts";
import { type Clock, systemClock } from "../../../src/core/clock.ts";
import type { Database } from "../../../src/core/database.ts";
import { type Log, silentLog } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { EMBEDDED_ONLY, type EngineSettings } from "../../../src/engine/settings.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import type { StripeSettings } from "../../../src/features/billing/payments/stripe.ts";
import type { Plan } from "../../../src/features/billing/ports.ts";
import { quotaStore } from "../../../src/features/billing/quota-store.ts";
import { createQuotas } from "../../../src/features/billing/quotas.ts";
import { apiKeyStore } from "../../../src/features/key/api-key-store.ts";
import { ApiKeys } from "../../../src/features/key/api-keys.ts";
import { NO_LIMITS } from "../../../src/features/key/key-limits.ts";
import type { MailQueue } from "../../../src/features/mail/mail-queue.ts";
import { mailStore } from "../../../src/features/mail/mail-store.ts";
import { createTenant } from "../../../src/features/tenant/create-tenant.ts";
import { tenantAdminStore } from "../../../src/features/tenant/tenant-admin-store.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { WebhookTester } from "../../../src/features/webhook/tester.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { idempotencyStore } from "../../../src/http/idempotency-store.ts";
import type { HttpDependencies, HttpSettings } from "../../../src/http/ports.ts";
import { createBackups } from "../../../src/ops/backup/backups.ts";
import { configSchema } from "../../../src/ops/config/schema.ts";
import { AddressRules } from "../../../src/platform/net/address-rules.ts";
import { SafeHttpClient } from "../../../src/platform/net/outbound-http.ts";
import { createVault } from "../../../src/platform/secrets/vault.ts";
import { trunks } from "../../../src/store/schema/index.ts";
import { readDocumentHere } from "../documents.ts";
import { SETTINGS } from "../media/scripted-call.ts";
import { prepaidPlan, startPlan, wideDialing } from "../plans.ts";
import { openTestDatabase } from "../store/test-store.ts";

export interface ApiServerOptions {
  /** Directory of the database file. The caller removes it. */
  readonly directory: string;
  /** Replaces the database in the directory. */
  readonly database?: Database;
  readonly settings?: Partial<HttpSettings>;
  readonly dependencies?: Partial<HttpDependencies>;
  readonly clock?: Clock;
  readonly plans?: readonly Plan[];
  readonly log?: Log;
  /** Default: limits that no test reaches accidentally. */
  readonly dialing?: DialingLimits;
  /** Uses Stripe payments instead of bank transfers. */
  readonly stripe?: StripeSettings;
  /** Engine for `engine.try`. Default: the embedded one. */
  readonly engine?: EngineSettings;
  /** Private networks to which tenants' URLs may lead. Default: loopback. */
  readonly allowNetworks?: readonly string[];
  /** Certificate authority for webhook deliveries. */
  readonly caPem?: string;
}

export interface ApiTenant {
  readonly id: number;
  readonly key: string;
}

export type ApiServer = Awaited<ReturnType<typeof startApiServer>>;

const roomy: Partial<Plan> = { maxAgents: 500, maxNumbers: 500, maxFiles: 500, maxWebhooks: 500 };

/** The caller must `stop` it. */
export async function startApiServer(options: ApiServerOptions) {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? silentLog;
  const random = systemRandom;
  const path = join(options.directory, "linevoice.db");
  const database = options.database ?? (await openTestDatabase(path, clock.now()));
  const vault = createVault(new Uint8Array(32).fill(7));
  const revocations = await openRevocations({
    dataDir: options.directory,
    database,
    vault,
    clock,
    random,
    paths: { recordings: options.directory, outbox: options.directory },
    shared: false,
  });
  const plans = options.plans ?? [{ ...startPlan, ...roomy }, prepaidPlan];
  const billing = new Billing({ database, stores: billingStores, plans, clock, random });
  const registrations = new Map<number, RegistrationStatus>();
  const wake = () => undefined;
  const admission = new Admission({
    stores: callStores,
    billing,
    clock,
    concurrentCallsMax: 100,
    liveCalls: () => 0,
    dialing: () => options.dialing ?? wideDialing,
  });
  const context: Partial<CallContext> = {
    database,
    stores: callStores,
    billing,
    clock,
    random,
    log,
    registry: new CallRegistry(),
    events: createEventSink({ stores: webhookStores, clock, random, wake }),
    admission,
  };
  const calls = createCallService({
    context: context as CallContext,
    quotas: createQuotas(billing, quotaStore),
    targetAddresses: new AddressRules([]),
    wakeScheduler: wake,
    isDraining: () => false,
  });
  const client = new SafeHttpClient({
    allowNetworks: ["127.0.0.0/8"],
    caPem: options.caPem ?? null,
    clock,
  });
  const payments = createPayments(
    { plans, stripe: options.stripe ?? null, storage: { transcriptsRetentionDays: 30 } },
    { database, clock, random, log, publicUrl: () => "http://127.0.0.1" },
  );
  // Real queue; the tests read it instead of a mailbox.
  const mails: Pick<MailQueue, "enqueue" | "wake"> = {
    enqueue: (queries, tenantId, mail) => mailStore(queries).enqueue(tenantId, mail, clock.now()),
    wake,
  };
  let base = "";
  const identity = createPeople({
    database,
    vault,
    plans,
    mails,
    clock,
    random,
    log,
    publicUrl: () => base,
  });
  const caller = createCallerParts({ database, vault, client, clock, random, log });
  const callerParts = {
    ...caller,
    ...createCallerJobs(caller, { database, billing, vault, calls, admission, clock, log }),
  };
  const apiKeys = new ApiKeys({ database, records: apiKeyStore, clock, random, log });
  const services = createServices(
    {
      httpClient: { allowNetworks: options.allowNetworks ?? ["127.0.0.0/8"] },
      sip: { allowNetworks: [] },
      callWorker: { engine: options.engine ?? EMBEDDED_ONLY },
      dataDir: options.directory,
      trialMinutesPerDay: 30,
    },
    {
      database,
      identity,
      vault,
      billing,
      apiKeys,
      clock,
      random,
      checkouts: payments.checkouts,
      campaigns: callerParts.campaigns,
      backups: createBackups({ dataDir: options.directory, databasePath: "", clock }),
      paths: { recordings: options.directory, outbox: options.directory },
      documentReader: { read: readDocumentHere },
      running: null,
    },
  );
  const rehearsals = createRehearsals(
    {
      dataDir: options.directory,
      callWorker: {
        engine: EMBEDDED_ONLY,
        conversation: SETTINGS,
        rtpPorts: { first: 0, last: 0 },
        rtpTimeoutMs: 0,
        holdTimeoutMs: 0,
        jitterMsMax: 0,
      },
    },
    {
      ...(context as CallContext),
      settings: {
        rtpHost: "127.0.0.1",
        voiceAliases: {},
        callerTagKey: new Uint8Array(32),
      },
    },
    services,
    // A telephone rehearsal starts and fails immediately.
    { command: ["false"], sections: () => configSchema.parse({}) },
  );
  const server = new HttpServer(
    {
      host: "127.0.0.1",
      port: 0,
      publicUrl: null,
      tls: null,
      requestsPerMinute: 100_000,
      bodyBytesMax: 2_097_152,
      version: "0.1.0-test",
      engineLabel: "embedded",
      knowledgeTokens: 24_000,
      voiceAliases: { "Brand Sari": "Sari" },
      bankDetails: "IBAN LT00 0000 <operator>",
      ...options.settings,
    },
    {
      services,
      database,
      idempotencyRecords: idempotencyStore,
      billing,
      calls,
      vault,
      identity,
      clock,
      random,
      log,
      webhookTester: new WebhookTester({
        database,
        stores: webhookStores,
        vault,
        client,
        clock,
        random,
        wake,
        timeoutMs: 3000,
      }),
      ...payments,
      callerParts,
      rehearsals,
      engineCapabilities: () => ({ understandsSpeech: true, followsPrompt: false }),
      recordings: { locate: async (file) => join(options.directory, file) },
      registrations: { status: (trunkId) => registrations.get(trunkId) ?? null },
      health: { problems: async () => [] },
      ...options.dependencies,
    },
  ).listen();
  base = `http://${server.address.host}:${server.address.port}`;

  const addTrunk = (tenantId: number) =>
    database.tx(async (q) => {
      await q.insert(trunks).values({
        tenantId,
        server: "sip.carrier.example",
        port: 5060,
        transport: "udp",
        username: `user${tenantId}`,
        passwordSealed: "sealed:password",
        callerId: "+37052000000",
        register: true,
        createdAt: clock.now(),
        updatedAt: clock.now(),
      });
    });

  return {
    dataDir: options.directory,
    services,
    identity,
    callerParts,
    calls,
    server,
    database,
    vault,
    billing,
    registrations,
    checkouts: payments.checkouts,
    base,

    /** For +370 numbers. */
    addTrunk,

    /** Creates a tenant with a key and, by default, a trunk. */
    async tenant(
      draft: { trunk?: boolean; plan?: string; name?: string } = {},
    ): Promise<ApiTenant> {
      const id = await createTenant(
        { database, records: tenantAdminStore, vault, clock, random },
        {
          name: draft.name ?? "Dantų klinika",
          email: "owner@clinic.example",
          plan: draft.plan ?? "start",
          timeZone: "Europe/Vilnius",
        },
      );
      if (draft.trunk !== false) await addTrunk(id);
      const keys = new ApiKeys({ database, records: apiKeyStore, clock, random, log });
      const { secret } = await keys.create(id, "test", NO_LIMITS);
      await keys.stop();
      return { id, key: secret };
    },

    suspend: (tenantId: number) =>
      database.tx((queries) => tenantAdminStore(queries).setSuspended(tenantId, true)),

    credit: (tenantId: number, eur: number) =>
      billing.credit(tenantId, microEur(eur * 1_000_000), "test"),

    async stop(): Promise<void> {
      await server.stop();
      await identity.stop();
      revocations.close();
      await database.close();
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** null if the body is not JSON. */
  readonly json: unknown;
}

/** Sends one request. `body` is sent as JSON unless it is a string. */
export async function ask(
  server: { readonly base: string },
  tenant: ApiTenant | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${server.base}/api/v1${path}`, {
    method,
    headers: {
      ...(tenant ? { authorization: `Bearer ${tenant.key}` } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  let json: unknown = null;
  try {
    json = JSON.parse(text);
  } catch {
    // The response is not JSON.
  }
  return { status: response.status, headers: response.headers, text, json };
}

/** Value at `agent.id`, `calls.0.status`, …; undefined if missing. */
export function pick(answer: Answer, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (value, key) =>
        typeof value === "object" && value !== null
          ? (value as Record<string, unknown>)[key]
          : undefined,
      answer.json,
    );
}

export const pickId = (answer: Answer, path: string): number => {
  const id = pick(answer, path);
  if (typeof id !== "number") throw new Error(`no id at ${path}: ${answer.text}`);
  return id;
};

export const pickText = (answer: Answer, path: string): string => {
  const text = pick(answer, path);
  if (typeof text !== "string") throw new Error(`no text at ${path}: ${answer.text}`);
  return text;
};
