/** Phone numbers: rows of `phone_numbers`. */
import { eq, getTableColumns } from "drizzle-orm";
import { callNoticeStore } from "../../call/store/call-notice-store.ts";
import type { Queries } from "../../core/database.ts";
import { ownedRows } from "../../store/query/owned-rows.ts";
import { phoneNumbers } from "../../store/schema/index.ts";
import { hasAgent } from "../agent/agent-store.ts";
import type { NumberRecords } from "./numbers.ts";

const { tenantId, ...COLUMNS } = getTableColumns(phoneNumbers);

export function numberStore(queries: Queries): NumberRecords {
  const rows = ownedRows(queries, phoneNumbers, COLUMNS);
  return {
    ...rows,
    insert: (tenantId, number) => rows.insert({ ...number, tenantId }),
    hasAgent: (tenantId, agentId) => hasAgent(queries, tenantId, agentId),

    claimsOf: async (numberE164) =>
      await queries
        .select({
          id: phoneNumbers.id,
          tenantId: phoneNumbers.tenantId,
          confirmedAt: phoneNumbers.confirmedAt,
          inboundEnabled: phoneNumbers.inboundEnabled,
        })
        .from(phoneNumbers)
        .where(eq(phoneNumbers.numberE164, numberE164)),

    noteClaim: (tenantId, numberE164, nowMs) =>
      callNoticeStore(queries).note(tenantId, "number_claimed", numberE164, nowMs),
  };
}
