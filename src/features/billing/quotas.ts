/**
 * Limits a tenant's rows and bytes by its plan, because stored data costs disk, backups and time. Counted in
 * the transaction that stores the row.
 */

import type { Queries } from "../../core/database.ts";
import { AppError } from "../../core/errors.ts";
import type { Billing } from "./billing.ts";
import type { PlanQuotas } from "./ports.ts";

export type QuotaName = keyof PlanQuotas;

/** Implemented by store/billing/quota-store.ts. */
export interface QuotaRecords {
  /** Number of rows; bytes for `knowledgeBytes`. */
  used(tenantId: number, name: QuotaName): Promise<number>;
}

export interface Quotas {
  /** Throws plan_limit_reached, with the limit's name, if the plan does not allow `more`. */
  require(queries: Queries, tenantId: number, name: QuotaName, more: number): Promise<void>;
}

const LIMITS: Readonly<Record<QuotaName, { readonly key: string; readonly what: string }>> = {
  contacts: { key: "max_contacts", what: "contacts" },
  tools: { key: "max_tools", what: "tools" },
  campaigns: { key: "max_campaigns", what: "campaigns" },
  schedules: { key: "max_schedules", what: "pending scheduled calls" },
  knowledgeBytes: { key: "max_knowledge_bytes", what: "bytes of knowledge files" },
};

export function createQuotas(
  billing: Pick<Billing, "planOf">,
  records: (queries: Queries) => QuotaRecords,
): Quotas {
  return {
    async require(queries, tenantId, name, more) {
      const { slug, quotas } = await billing.planOf(queries, tenantId);
      const used = await records(queries).used(tenantId, name);
      if (used + more <= quotas[name]) return;
      const { key, what } = LIMITS[name];
      throw new AppError({
        code: "plan_limit_reached",
        publicMessage: `The plan ${slug} allows ${quotas[name]} ${what} (${key}); you have ${used}. Delete some, or change the plan.`,
      });
    },
  };
}
