/** Counts a tenant's rows for its plan's quotas. */
import { and, eq, sum } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Queries } from "../../core/database.ts";
import { campaigns, contacts, files, schedules, tools } from "../../store/schema/index.ts";
import type { QuotaName, QuotaRecords } from "./quotas.ts";

export function quotaStore(queries: Queries): QuotaRecords {
  const rows = async (table: SQLiteTable & { tenantId: SQLiteColumn }, tenantId: number) =>
    await queries.$count(table, eq(table.tenantId, tenantId));

  const counted: Readonly<Record<QuotaName, (tenantId: number) => Promise<number>>> = {
    contacts: (tenantId) => rows(contacts, tenantId),
    tools: (tenantId) => rows(tools, tenantId),
    campaigns: (tenantId) => rows(campaigns, tenantId),

    async schedules(tenantId) {
      return await queries.$count(
        schedules,
        and(
          eq(schedules.tenantId, tenantId),
          eq(schedules.immediate, false),
          eq(schedules.status, "pending"),
        ),
      );
    },

    async knowledgeBytes(tenantId) {
      const row = await queries
        .select({ bytes: sum(files.sizeBytes) })
        .from(files)
        .where(eq(files.tenantId, tenantId))
        .get();
      return Number(row?.bytes ?? 0);
    },
  };

  return { used: (tenantId, name) => counted[name](tenantId) };
}
