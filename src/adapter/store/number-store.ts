/** Phone numbers: rows of `phone_numbers`. */
import { and, asc, count, eq } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { NumberRecords } from "../../domain/number/numbers.ts";
import { callNoticeStore } from "./call-notice-store.ts";
import { agents, phoneNumbers } from "./schema/index.ts";

const COLUMNS = {
  id: phoneNumbers.id,
  numberE164: phoneNumbers.numberE164,
  label: phoneNumbers.label,
  agentId: phoneNumbers.agentId,
  inboundEnabled: phoneNumbers.inboundEnabled,
  createdAt: phoneNumbers.createdAt,
};

export function numberStore(queries: Queries): NumberRecords {
  const own = (tenantId: number, id: number) =>
    and(eq(phoneNumbers.id, id), eq(phoneNumbers.tenantId, tenantId));

  return {
    async list(tenantId) {
      return await queries
        .select(COLUMNS)
        .from(phoneNumbers)
        .where(eq(phoneNumbers.tenantId, tenantId))
        .orderBy(asc(phoneNumbers.id));
    },

    async find(tenantId, id) {
      return await queries.select(COLUMNS).from(phoneNumbers).where(own(tenantId, id)).get();
    },

    async count(tenantId) {
      const row = await queries
        .select({ n: count() })
        .from(phoneNumbers)
        .where(eq(phoneNumbers.tenantId, tenantId))
        .get();
      return row?.n ?? 0;
    },

    async ownerOf(numberE164) {
      const row = await queries
        .select({ tenantId: phoneNumbers.tenantId })
        .from(phoneNumbers)
        .where(eq(phoneNumbers.numberE164, numberE164))
        .get();
      return row?.tenantId;
    },

    noteClaim: (tenantId, numberE164, nowMs) =>
      callNoticeStore(queries).note(tenantId, "number_claimed", numberE164, nowMs),

    async hasAgent(tenantId, agentId) {
      const row = await queries
        .select({ id: agents.id })
        .from(agents)
        .where(and(eq(agents.id, agentId), eq(agents.tenantId, tenantId)))
        .get();
      return row !== undefined;
    },

    async insert(tenantId, number) {
      const [row] = await queries
        .insert(phoneNumbers)
        .values({ ...number, tenantId })
        .returning(COLUMNS);
      if (!row) throw new Error("insert answered no row");
      return row;
    },

    async update(tenantId, id, changes) {
      const [row] = await queries
        .update(phoneNumbers)
        .set(changes)
        .where(own(tenantId, id))
        .returning(COLUMNS);
      return row;
    },

    async remove(tenantId, id) {
      const rows = await queries
        .delete(phoneNumbers)
        .where(own(tenantId, id))
        .returning({ id: phoneNumbers.id });
      return rows.length > 0;
    },
  };
}
