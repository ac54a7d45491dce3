/** The operator's actions on tenants: create, list, suspend, change the plan, credit. */

import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { invalidField, notFound } from "../../core/errors.ts";
import { eurToMicro, type MicroEur, microEur } from "../../core/money.ts";
import type { Random } from "../../core/random.ts";
import { folded } from "../../core/search-words.ts";
import type { Billing } from "../billing/billing.ts";
import { diagnosticsStore } from "../call-log/diagnostics-store.ts";
import { percentile } from "../call-log/reports.ts";
import { createTenant } from "./create-tenant.ts";
import { dashboardListStore } from "./dashboard-list-store.ts";
import { type TenantPage, tenantAdminStore } from "./tenant-admin-store.ts";
import { tenantStore } from "./tenant-store.ts";

/** Audit action of a voice test in the browser (http/dashboard/sockets/web-call.ts). */
const WEB_CALL_ACTION = "talkToAgent";
/** Audit action of a text test in the browser (`chatWithAgent`). */
const CHAT_ACTION = "chatWithAgent";
const DAY_MS = 86_400_000;
const COST_DAYS = 30;
const DEFAULT_TIME_ZONE = "Europe/Vilnius";

export interface AdminTenant {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly plan: string;
  readonly suspended: boolean;
  readonly balance: MicroEur;
  readonly createdAt: number;
}

interface TenantAdminDependencies {
  readonly database: Database;
  readonly vault: { seal(plain: string, binding: string): string };
  readonly billing: Pick<Billing, "plans" | "credit" | "account">;
  /** Clears the key cache, so that a suspended tenant's keys become invalid immediately. */
  readonly apiKeys: { forget(): void };
  readonly clock: Clock;
  readonly random: Random;
}

export type TenantAdmin = ReturnType<typeof createTenantAdmin>;

export function createTenantAdmin(deps: TenantAdminDependencies) {
  const { database, billing, apiKeys } = deps;
  const reads = createTenantReads(database);
  const { get, require } = reads;

  function requirePlan(plan: string): void {
    const slugs = billing.plans.map(({ slug }) => slug);
    if (!slugs.includes(plan))
      throw invalidField("plan", `There is no plan ${plan}. Available plans: ${slugs.join(", ")}.`);
  }

  return {
    ...reads,
    ...createTenantViews(deps),
    ...createActivity(deps),

    /** `plan` null: the first configured plan. Throws `valid_…_required`. */
    async create(draft: { name: string; email: string; plan: string | null }) {
      const { name, email } = draft;
      const plan = draft.plan ?? billing.plans[0]?.slug ?? "";
      requirePlan(plan);
      return get(
        await createTenant(
          { ...deps, records: tenantAdminStore },
          { name, email, plan, timeZone: DEFAULT_TIME_ZONE },
        ),
      );
    },

    /** Applies immediately and without payment; the current month keeps its minutes. Throws valid_plan_required. */
    async setPlan(tenantId: number, plan: string): Promise<AdminTenant> {
      requirePlan(plan);
      await require(tenantId);
      await database.tx((queries) => tenantAdminStore(queries).setPlan(tenantId, plan));
      return get(tenantId);
    },

    /** Live calls continue. Throws not_found. */
    async setSuspended(tenantId: number, suspended: boolean): Promise<AdminTenant> {
      const changed = await database.tx(async (queries) => {
        const found = await tenantAdminStore(queries).setSuspended(tenantId, suspended);
        if (found)
          await database.revocations.note(queries, [
            { kind: "suspended", tenant: tenantId, on: suspended },
          ]);
        return found;
      });
      if (!changed) throw notFound("tenant");
      apiKeys.forget();
      return get(tenantId);
    },

    /** Adds a manual wallet entry; returns the new balance. */
    async credit(tenantId: number, eur: number, note: string): Promise<MicroEur> {
      await require(tenantId);
      return billing.credit(tenantId, eurToMicro(eur), note);
    },
  };
}

function createTenantReads(database: Pick<Database, "read">) {
  const store = tenantAdminStore(database.read);
  async function list(which: TenantPage = {}): Promise<AdminTenant[]> {
    const rows = await store.list(which);
    return rows.map((row) => ({ ...row, balance: row.balance ?? microEur(0) }));
  }
  return {
    list: () => list(),

    /** Tenants whose name or address contains the search text, without case and accents; ordered by id. */
    async page(search: string, { limit, offset }: { limit: number; offset: number }) {
      const wanted = folded(search.trim());
      if (wanted === "") {
        const [tenants, total] = await Promise.all([list({ limit, offset }), store.count()]);
        return { tenants, total };
      }
      const found = (await store.labels()).filter(({ name, email }) =>
        [name, email].some((text) => folded(text).includes(wanted)),
      );
      const shown = found.slice(offset, offset + limit).map(({ id }) => id);
      return { tenants: await list({ ids: shown }), total: found.length };
    },

    /** Throws not_found. */
    async get(tenantId: number): Promise<AdminTenant> {
      const [found] = await list({ ids: [tenantId] });
      if (!found) throw notFound("tenant");
      return found;
    },

    /** Throws not_found. */
    async require(tenantId: number): Promise<void> {
      if (!(await store.find(tenantId))) throw notFound("tenant");
    },
  };
}

/** Data for the operator's tenant list. */
const createActivity = ({ database, clock }: TenantAdminDependencies) => ({
  /** The operator's costs of calls and trials in the last 30 days, by tenant. */
  async costs(tenantIds: readonly number[]) {
    const sinceMs = clock.now() - COST_DAYS * DAY_MS;
    const found = await tenantAdminStore(database.read).costsSince(tenantIds, sinceMs);
    return new Map(found.map(({ tenantId, cost }) => [tenantId, cost]));
  },

  /**
   * Call results of the last 24 hours by tenant, with latencies of the newest. Tenants without calls are
   * missing.
   */
  async activity(tenantIds: readonly number[]) {
    const store = tenantAdminStore(database.read);
    const sinceMs = clock.now() - DAY_MS;
    const latencies = new Map(
      (await store.latenciesSince(tenantIds, sinceMs)).map((row) => [
        row.tenantId,
        row.latenciesMs,
      ]),
    );
    return new Map(
      (await store.callsSince(tenantIds, sinceMs)).map(({ tenantId, calls, failed }) => [
        tenantId,
        { calls, failed, p95Ms: percentile(latencies.get(tenantId) ?? [], 0.95) },
      ]),
    );
  },
});

/** Data about a tenant for its own people. */
function createTenantViews({
  database,
  billing,
}: Pick<TenantAdminDependencies, "database" | "billing">) {
  return {
    /** Company, trunk, plan and balance. Throws not_found. */
    async profile(tenantId: number) {
      const found = await tenantStore(database.read).profile(tenantId);
      if (!found) throw notFound("tenant");
      return { ...found, ...(await billing.account(tenantId)) };
    },

    /** Wallet entries, newest first. */
    async ledger(tenantId: number, page: { readonly limit: number; readonly offset: number }) {
      const store = dashboardListStore(database.read);
      return {
        entries: await store.ledger(tenantId, page),
        total: await store.ledgerTotal(tenantId),
      };
    },

    /** Completed steps to the first call, from stored data. Throws not_found. */
    async progress(tenantId: number) {
      const talks = [WEB_CALL_ACTION, CHAT_ACTION];
      const done = await diagnosticsStore(database.read).firstSteps(tenantId, talks);
      if (!done) throw notFound("tenant");
      return done;
    },
  };
}
