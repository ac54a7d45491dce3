/** Tenants' own settings: columns of `tenants`, and their disclosures. */
import { and, eq } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { tenantDisclosures, tenants } from "../../store/schema/index.ts";
import { AGENT_LANGUAGES } from "../agent/agent.ts";
import type { Disclosures, TenantSettings, TenantSettingsRecords } from "./tenant-settings.ts";

const settingsOf = (row: typeof tenants.$inferSelect, disclosure: Disclosures): TenantSettings => ({
  name: row.name,
  email: row.email,
  timeZone: row.timeZone,
  callbackMemory: row.callbackMemory,
  namedGreeting: row.namedGreeting,
  cliIdentity: row.cliIdentity,
  birthdayCalls: row.birthdayCalls,
  crmBridge: row.crmBridge,
  allowedPrefixes: row.allowedPrefixes?.split(",").filter(Boolean) ?? null,
  shortNumbers: row.shortNumbers?.split(",").filter(Boolean) ?? null,
  callsPerMinuteMax: row.callsPerMinuteMax,
  dailySpendMax: row.dailySpendMax,
  legacyWebhook: row.legacyWebhook,
  requiresSecondFactor: row.requiresSecondFactor,
  retentionBlocks: row.retentionBlocks,
  createdAt: row.createdAt,
  disclosure,
});

export function tenantSettingsStore(queries: Queries): TenantSettingsRecords {
  return {
    async find(tenantId) {
      const row = await queries.select().from(tenants).where(eq(tenants.id, tenantId)).get();
      if (!row) return null;
      const own = await queries
        .select()
        .from(tenantDisclosures)
        .where(eq(tenantDisclosures.tenantId, tenantId));
      const disclosure = Object.fromEntries(
        AGENT_LANGUAGES.map((language) => [
          language,
          own.find((sentence) => sentence.language === language)?.text ?? null,
        ]),
      ) as Disclosures;
      return settingsOf(row, disclosure);
    },

    async update(tenantId, { allowedPrefixes, shortNumbers, ...changes }) {
      const listed = (items: readonly string[] | null | undefined) =>
        items === null ? null : items?.join(",");
      // Drizzle ignores undefined fields.
      await queries
        .update(tenants)
        .set({
          ...changes,
          allowedPrefixes: listed(allowedPrefixes),
          shortNumbers: listed(shortNumbers),
        })
        .where(eq(tenants.id, tenantId));
    },

    async setDisclosure(tenantId, language, text) {
      if (text === null)
        await queries
          .delete(tenantDisclosures)
          .where(
            and(eq(tenantDisclosures.tenantId, tenantId), eq(tenantDisclosures.language, language)),
          );
      else
        await queries
          .insert(tenantDisclosures)
          .values({ tenantId, language, text })
          .onConflictDoUpdate({
            target: [tenantDisclosures.tenantId, tenantDisclosures.language],
            set: { text },
          });
    },
  };
}
