/** The operator's commands on the running parts, or on the bare data directory without SIP. */

import type { TrunkFacts } from "../adapter/sip/trunk-checks.ts";
import { quotaStore } from "../adapter/store/quota-store.ts";
import { statementStore } from "../adapter/store/statement-store.ts";
import { tenantAdminStore } from "../adapter/store/tenant-admin-store.ts";
import {
  shownPort,
  type TrunkRecord,
  trunkPasswordBinding,
  trunkStore,
} from "../adapter/store/trunk-store.ts";
import { type Clock, isoUtc } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { isE164 } from "../core/e164.ts";
import { AppError, invalidField, notFound } from "../core/errors.ts";
import { eurToMicro, microEur, microToEur } from "../core/money.ts";
import type { Random } from "../core/random.ts";
import type { Checkouts } from "../domain/billing/checkout.ts";
import type { Billing } from "../domain/billing/ports.ts";
import { createQuotas } from "../domain/billing/quotas.ts";
import { createStatements } from "../domain/billing/statement.ts";
import type { Checkout } from "../domain/billing/stores.ts";
import type { CallService } from "../domain/call/ports.ts";
import type { RegistrationStatus } from "../domain/call/sip-port.ts";
import type { Identity } from "../domain/identity/identity.ts";
import type { ApiKeys } from "../domain/tenant/api-keys.ts";
import { createTenant } from "../domain/tenant/create-tenant.ts";
import type {
  CheckoutSummary,
  OperatorPort,
  TenantSummary,
  TrunkSummary,
} from "../interface/control/operator-port.ts";
import type { Backups } from "../operations/backup/backups.ts";
import type { LogRing } from "../operations/ops/log-ring.ts";
import { erasePerson } from "../operations/privacy/erase-person.ts";
import type { UrlProblem } from "../platform/net/tenant-url.ts";
import { MASTER_KEY_BYTES, type Vault } from "../platform/secrets/vault.ts";
import { doNotCallListOf } from "./caller-services.ts";
import { createContactService } from "./contact-service.ts";
import { followCall } from "./follow-call.ts";
import { readLogs } from "./log-reader.ts";
import { setDialing } from "./operator-dialing.ts";
import { createPeopleService } from "./people-service.ts";
import type { DataPaths } from "./storage.ts";
import { createToolService } from "./tool-service.ts";
import { trunkTest } from "./trunk-test.ts";
import type { TurnFeed } from "./turn-feed.ts";
import { rotateMasterKey } from "./vault.ts";

const DEFAULT_TIME_ZONE = "Europe/Vilnius";
const CREDIT_EUR_MAX = 1_000_000;

/** What only a running server has. */
export interface RunningParts {
  readonly logs: LogRing;
  readonly calls: CallService;
  readonly turns: TurnFeed;
  registration(trunkId: number): RegistrationStatus | null;
  /** Asks the far end; null: the trunk does not run. */
  probeTrunk(trunkId: number, options?: { readonly calls: boolean }): Promise<TrunkFacts | null>;
  /** After `trunk set`. */
  reloadTrunk(tenantId: number): Promise<void>;
  /** After a tenant was suspended or resumed: its keys are looked up anew. */
  forgetKeys(): void;
}

export interface OperatorDependencies {
  readonly database: Database;
  readonly identity: Identity;
  readonly vault: Vault;
  readonly billing: Billing;
  readonly apiKeys: ApiKeys;
  readonly checkouts: Checkouts;
  readonly backups: Backups;
  readonly paths: Pick<DataPaths, "recordings" | "outbox">;
  /** Why no request would go to a tool's URL; null: it may. */
  readonly urlProblem: UrlProblem;
  readonly clock: Clock;
  readonly random: Random;
  /** null: no server runs on this data directory. */
  readonly running: RunningParts | null;
}

export function trunkSummary(trunk: TrunkRecord, status: RegistrationStatus | null): TrunkSummary {
  const failed = status?.name === "failed" ? status : null;
  return {
    id: trunk.id,
    tenant_id: trunk.tenantId,
    server: trunk.server,
    port: shownPort(trunk),
    transport: trunk.transport,
    username: trunk.username,
    caller_id: trunk.callerId,
    register: trunk.register,
    channels: trunk.channels,
    extra_networks: trunk.extraNetworks ?? [],
    status: status?.name ?? "unknown",
    last_code: failed?.lastCode ?? null,
    explanation: failed?.explanation ?? null,
    next_attempt_at: failed ? isoUtc(failed.nextAttemptAtMs) : null,
  };
}

const checkoutSummary = (checkout: Checkout): CheckoutSummary => ({
  id: checkout.id,
  tenant_id: checkout.tenantId,
  kind: checkout.kind,
  item: checkout.item,
  amount_eur: microToEur(checkout.amount),
  status: checkout.status,
  created_at: isoUtc(checkout.createdAt),
  expires_at: isoUtc(checkout.expiresAt),
});

export function createOperator(deps: OperatorDependencies): OperatorPort {
  const { database, vault, billing, running, clock } = deps;
  const quotas = createQuotas(billing, quotaStore);
  const doNotCallList = doNotCallListOf(vault, database);

  function needServer(): RunningParts {
    if (running) return running;
    throw new AppError({
      code: "unavailable",
      publicMessage:
        "No linevoice server runs on this data directory; start one with `linevoice serve`.",
    });
  }

  async function tenant(tenantId: number): Promise<TenantSummary> {
    const row = (await listTenants()).find((summary) => summary.id === tenantId);
    if (!row) throw notFound("tenant");
    return row;
  }

  async function listTenants(): Promise<TenantSummary[]> {
    const rows = await tenantAdminStore(database.read).list();
    return rows.map(({ tenant: row, balance }) => ({
      id: row.id,
      name: row.name,
      email: row.email,
      plan: row.plan,
      suspended: row.suspended,
      balance_eur: microToEur(balance ?? microEur(0)),
      created_at: isoUtc(row.createdAt),
    }));
  }

  return {
    people: createPeopleService(deps.identity),

    async createTenant(draft) {
      if (draft.name.trim() === "" || draft.name.length > 120)
        throw invalidField("name", "A tenant's name has 1 to 120 characters.");
      if (!/^[^\s@]+@[^\s@]+$/.test(draft.email))
        throw invalidField("email", "Give an e-mail address such as desk@example.com.");
      const slugs = billing.plans.map((plan) => plan.slug);
      const plan = draft.plan ?? slugs[0] ?? "";
      if (!slugs.includes(plan))
        throw invalidField("plan", `There is no plan ${plan}; there are ${slugs.join(", ")}.`);
      const { name, email } = draft;
      return tenant(
        await createTenant(
          { ...deps, records: tenantAdminStore },
          { name, email, plan, timeZone: DEFAULT_TIME_ZONE },
        ),
      );
    },

    listTenants,

    async setPlan(tenantId, plan) {
      const slugs = billing.plans.map(({ slug }) => slug);
      if (!slugs.includes(plan))
        throw invalidField("plan", `There is no plan ${plan}; there are ${slugs.join(", ")}.`);
      await tenant(tenantId);
      await database.tx((queries) => tenantAdminStore(queries).setPlan(tenantId, plan));
      return tenant(tenantId);
    },

    async setSuspended(tenantId, suspended) {
      const changed = await database.tx(async (queries) => {
        const found = await tenantAdminStore(queries).setSuspended(tenantId, suspended);
        if (found)
          await database.revocations.note(queries, [
            { kind: "suspended", tenant: tenantId, on: suspended },
          ]);
        return found;
      });
      if (!changed) throw notFound("tenant");
      running?.forgetKeys();
      return tenant(tenantId);
    },

    setDialing: (tenantId, changes) => setDialing(database, tenantId, changes),

    async createKey(tenantId, label, limits) {
      await tenant(tenantId);
      if (label.trim() === "" || label.length > 120)
        throw invalidField("label", "A key's label has 1 to 120 characters.");
      const key = await deps.apiKeys.create(tenantId, label, limits);
      const { id, prefix, scopes, networks, secret } = key;
      return {
        ...{ id, label, prefix, scopes, networks, secret },
        expires_at: key.expiresAt === null ? null : isoUtc(key.expiresAt),
        created_at: isoUtc(key.createdAt),
      };
    },

    async readLogs(question) {
      // Of a call some is stored; other lines are the running server's, and the journal's.
      const logs = question.call === null ? needServer().logs : (running?.logs ?? null);
      return await readLogs(database, logs, question);
    },

    async rotateMasterKey(next, purposes) {
      const key = Buffer.from(next, "base64");
      const root = purposes ? deps.random.bytes(MASTER_KEY_BYTES) : null;
      const { sealed, endedCodesOf } = await rotateMasterKey(database, vault, key, root);
      return { sealed, people_without_recovery_codes: endedCodesOf };
    },

    async setTrunk(draft) {
      await tenant(draft.tenant);
      if (!isE164(draft.caller_id))
        throw invalidField("caller_id", "Give the caller id in E.164, e.g. +37052123456.");
      const nowMs = clock.now();
      const trunk = await database.tx((queries) =>
        trunkStore(queries).put(
          draft.tenant,
          {
            server: draft.server,
            port: draft.port,
            transport: draft.transport,
            username: draft.username,
            realm: draft.realm,
            outboundProxy: draft.outbound_proxy,
            callerId: draft.caller_id,
            register: draft.register,
            channels: draft.channels,
            extraNetworks: draft.extra_networks?.length ? draft.extra_networks : null,
            setByOperator: true,
            createdAt: nowMs,
            updatedAt: nowMs,
          },
          (trunkId) => vault.seal(draft.password, trunkPasswordBinding(trunkId)),
        ),
      );
      await running?.reloadTrunk(draft.tenant);
      return trunkSummary(trunk, running?.registration(trunk.id) ?? null);
    },

    async listTrunks() {
      const rows = await trunkStore(database.read).all();
      return rows.map((trunk) => trunkSummary(trunk, running?.registration(trunk.id) ?? null));
    },

    async testTrunk(trunkId, options) {
      const { probeTrunk } = needServer();
      const trunk = (await trunkStore(database.read).all()).find(({ id }) => id === trunkId);
      if (!trunk) throw notFound("trunk");
      const facts = await probeTrunk(trunkId, options);
      if (!facts)
        throw new AppError({
          code: "unavailable",
          publicMessage: "The trunk could not be started; the server's log says why.",
        });
      return trunkTest(trunkSummary(trunk, facts.registration), facts);
    },

    async credit(tenantId, eur, note) {
      await tenant(tenantId);
      if (!Number.isFinite(eur) || eur === 0 || Math.abs(eur) > CREDIT_EUR_MAX)
        throw invalidField("eur", `Give an amount in EUR, not 0 and at most ${CREDIT_EUR_MAX}.`);
      if (note.trim() === "") throw invalidField("note", "Say what the entry is for.");
      return { balance_eur: microToEur(await billing.credit(tenantId, eurToMicro(eur), note)) };
    },

    async erasePerson(tenantId, number, dryRun) {
      await tenant(tenantId);
      const { recordings: recordingsDir, outbox: outboxDir } = deps.paths;
      const options = { database, clock, recordingsDir, outboxDir, doNotCallList };
      return erasePerson(options, tenantId, number, dryRun);
    },

    createBackup: (to) => deps.backups.create(to),

    tools: createToolService(
      { database, vault, quotas, clock, urlProblem: deps.urlProblem },
      tenant,
    ),

    contacts: createContactService({ database, doNotCallList, quotas, clock }, tenant),

    statements: createStatements(database, statementStore),

    listCheckouts: async () => (await deps.checkouts.waiting()).map(checkoutSummary),

    confirmCheckout: async (id) => checkoutSummary(await deps.checkouts.confirm(id)),

    async placeCall(agentId, to) {
      const { calls } = needServer();
      const tenantId = await tenantAdminStore(database.read).ownerOfAgent(agentId);
      if (tenantId === null) throw notFound("agent");
      if (!isE164(to)) throw invalidField("to", "Give the number in E.164, e.g. +37061234567.");
      const input = { toNumber: to, fromNumber: null, agentId, scheduleAtMs: null };
      const { callUuid } = await calls.request(tenantId, input);
      return { tenant_id: tenantId, call_uuid: callUuid };
    },

    followCall(tenantId, callUuid, signal) {
      const { turns } = needServer();
      return followCall({ database, clock, turns }, tenantId, callUuid, signal);
    },
  };
}
