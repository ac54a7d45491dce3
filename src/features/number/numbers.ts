/** Phone numbers and the agents that answer them (decisions 5). */

import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { type E164, e164 } from "../../core/e164.ts";
import { AppError, notFound } from "../../core/errors.ts";
import type { Billing } from "../billing/billing.ts";
import type { NewNumber, NumberFields } from "./number-schema.ts";

export interface NumberRecord extends NewNumber {
  readonly id: number;
  readonly createdAt: number;
  /** Null if the tenant only claims the number (claims.ts). */
  readonly confirmedAt: number | null;
}

/** A tenant's record of a number. Other tenants may have one too. */
export type NumberClaim = Pick<NumberRecord, "id" | "confirmedAt" | "inboundEnabled"> & {
  readonly tenantId: number;
};

/** Implemented by store/tenant/number-store.ts. */
export interface NumberRecords {
  list(tenantId: number): Promise<NumberRecord[]>;
  find(tenantId: number, id: number): Promise<NumberRecord | undefined>;
  count(tenantId: number): Promise<number>;
  /** Claims of all tenants; at most one is confirmed. */
  claimsOf(numberE164: E164): Promise<readonly NumberClaim[]>;
  /** Records, for the operator, that this tenant requested another tenant's number. */
  noteClaim(tenantId: number, numberE164: E164, nowMs: number): Promise<void>;
  hasAgent(tenantId: number, agentId: number): Promise<boolean>;
  insert(tenantId: number, number: Omit<NumberRecord, "id">): Promise<NumberRecord>;
  update(
    tenantId: number,
    id: number,
    changes: Partial<NumberFields>,
  ): Promise<NumberRecord | undefined>;
  remove(tenantId: number, id: number): Promise<boolean>;
}

interface NumberDependencies {
  readonly database: Database;
  readonly records: (queries: Queries) => NumberRecords;
  readonly billing: Billing;
  readonly clock: Clock;
}

export class Numbers {
  constructor(private readonly deps: NumberDependencies) {}

  /** True if no agent is given. */
  async #hasAgent(
    queries: Queries,
    tenantId: number,
    agentId: number | null | undefined,
  ): Promise<boolean> {
    return !agentId || (await this.deps.records(queries).hasAgent(tenantId, agentId));
  }

  list(tenantId: number) {
    return this.deps.records(this.deps.database.read).list(tenantId);
  }

  /** Throws not_found. */
  async get(tenantId: number, id: number): Promise<NumberRecord> {
    const number = await this.deps.records(this.deps.database.read).find(tenantId, id);
    if (!number) throw notFound("phone number");
    return number;
  }

  /**
   * Another tenant's unconfirmed claim does not prevent this. The operator sees both. Throws conflict
   * (confirmed for another tenant, or the tenant already has it), plan_limit_reached, not_found (agent).
   */
  async create(tenantId: number, input: NewNumber): Promise<NumberRecord> {
    const { database, records, billing, clock } = this.deps;
    const numberE164 = e164(input.numberE164);
    const made = await database.tx(async (queries) => {
      const store = records(queries);
      // Sent together: a database server answers them in one round trip.
      const [claims, hasAgent, plan, count] = await Promise.all([
        store.claimsOf(numberE164),
        this.#hasAgent(queries, tenantId, input.agentId),
        billing.planOf(queries, tenantId),
        store.count(tenantId),
      ]);
      if (claims.some((claim) => claim.tenantId === tenantId)) return null;
      if (claims.length > 0) await store.noteClaim(tenantId, numberE164, clock.now());
      if (claims.some(({ confirmedAt }) => confirmedAt !== null)) return null;
      if (!hasAgent) throw notFound("agent");
      if (count >= plan.maxNumbers) throw numberCap(plan.slug, plan.maxNumbers);
      return await database.finish(
        queries,
        () => store.insert(tenantId, { ...input, createdAt: clock.now(), confirmedAt: null }),
        async () => {
          const stored = await records(database.read).list(tenantId);
          return stored.find((number) => number.numberE164 === numberE164) ?? null;
        },
      );
    });
    if (!made) throw taken();
    return made;
  }

  /** Throws not_found (number or agent). */
  update(tenantId: number, id: number, changes: Partial<NumberFields>): Promise<NumberRecord> {
    const { database, records } = this.deps;
    return database.tx(async (queries) => {
      const [before, hasAgent] = await Promise.all([
        records(queries).find(tenantId, id),
        this.#hasAgent(queries, tenantId, changes.agentId),
      ]);
      if (!before) throw notFound("phone number");
      if (!hasAgent) throw notFound("agent");
      if (Object.values(changes).every((change) => change === undefined)) return before;
      const after = await database.finish(
        queries,
        () => records(queries).update(tenantId, id, changes),
        () => records(database.read).find(tenantId, id),
      );
      return after ?? before;
    });
  }

  /** Throws not_found. */
  async remove(tenantId: number, id: number): Promise<void> {
    const removed = await this.deps.database.tx((queries) =>
      this.deps.records(queries).remove(tenantId, id),
    );
    if (!removed) throw notFound("phone number");
  }
}

const taken = () =>
  new AppError({
    code: "conflict",
    reason: "number_taken",
    publicMessage: "This number is already registered. A number can belong to only one tenant.",
    field: "number_e164",
  });

const numberCap = (slug: string, numbersMax: number) =>
  new AppError({
    code: "plan_limit_reached",
    publicMessage: `The plan ${slug} allows ${numbersMax} numbers. Remove one or change the plan.`,
  });
