/**
 * The health of endpoints: webhooks in their own row, legacy URLs in `legacy_endpoints` while they
 * fail.
 */
import { and, asc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { readerLocale } from "../../store/query/reader-locale.ts";
import { agents } from "../../store/schema/agents.ts";
import { legacyEndpoints, webhooks } from "../../store/schema/outbox.ts";
import { tenants } from "../../store/schema/tenants.ts";
import type { HealthStore } from "./stores.ts";

const webhook = (tenantId: number, id: number) =>
  and(eq(webhooks.tenantId, tenantId), eq(webhooks.id, id));
const legacy = (tenantId: number, url: string) =>
  and(eq(legacyEndpoints.tenantId, tenantId), eq(legacyEndpoints.url, url));

/** Clears the failures of a URL. Call it when a tenant sets the URL for an agent. */
export async function resetLegacyUrl(
  queries: Queries,
  tenantId: number,
  url: string,
): Promise<void> {
  await queries.delete(legacyEndpoints).where(legacy(tenantId, url));
}

const webhookHealth = statement((queries) =>
  queries
    .select({ enabled: webhooks.enabled, failingSince: webhooks.failingSince })
    .from(webhooks)
    .where(and(eq(webhooks.tenantId, arg("tenantId")), eq(webhooks.id, arg("webhookId"))))
    .prepare(),
);

const failingWebhooks = statement((queries) =>
  queries
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(
      and(
        inArray(webhooks.id, sql`(SELECT value FROM json_each(${arg("ids")}))`),
        isNotNull(webhooks.failingSince),
      ),
    )
    .prepare(),
);

export function endpointHealthStore(queries: Queries): HealthStore {
  return {
    ...endpointOutcomes(queries),
    ...switchedOff(queries),

    async of(tenantId, { webhookId, legacyUrl }) {
      if (webhookId !== null) {
        return (await webhookHealth(queries).get({ tenantId, webhookId })) ?? null;
      }
      const found = await queries
        .select()
        .from(legacyEndpoints)
        .where(legacy(tenantId, legacyUrl ?? ""));
      const failing = found[0];
      if (!failing) return { enabled: true, failingSince: null };
      return { enabled: failing.disabledReason === null, failingSince: failing.failingSince };
    },

    async failing(webhookIds) {
      const found = await failingWebhooks(queries).all({ ids: JSON.stringify(webhookIds) });
      return found.map(({ id }) => id);
    },
  };
}

/** Health changes after an attempt. */
function endpointOutcomes(queries: Queries): Pick<HealthStore, "succeeded" | "failed"> {
  return {
    async succeeded(tenantId, { webhookId, legacyUrl }) {
      if (webhookId !== null)
        await queries
          .update(webhooks)
          .set({ failingSince: null })
          .where(and(webhook(tenantId, webhookId), isNotNull(webhooks.failingSince)));
      else
        await queries
          .delete(legacyEndpoints)
          .where(and(legacy(tenantId, legacyUrl ?? ""), isNull(legacyEndpoints.disabledReason)));
    },

    async failed(tenantId, { webhookId, legacyUrl }, nowMs) {
      if (webhookId !== null)
        await queries
          .update(webhooks)
          .set({ failingSince: sql`coalesce(${webhooks.failingSince}, ${nowMs})` })
          .where(webhook(tenantId, webhookId));
      else
        await queries
          .insert(legacyEndpoints)
          .values({ tenantId, url: legacyUrl ?? "", failingSince: nowMs })
          .onConflictDoNothing();
    },
  };
}

/** Disables an endpoint, and finds the contact to notify. */
function switchedOff(queries: Queries): Pick<HealthStore, "disable" | "contact"> {
  return {
    async disable(tenantId, { webhookId, legacyUrl }, reason, nowMs) {
      if (webhookId !== null)
        await queries
          .update(webhooks)
          .set({ enabled: false, disabledReason: reason })
          .where(webhook(tenantId, webhookId));
      else
        await queries
          .insert(legacyEndpoints)
          .values({ tenantId, url: legacyUrl ?? "", failingSince: nowMs, disabledReason: reason })
          .onConflictDoUpdate({
            target: [legacyEndpoints.tenantId, legacyEndpoints.url],
            set: { disabledReason: reason },
          });
    },

    async contact(tenantId, { webhookId, legacyUrl }) {
      const [tenant] = await queries
        .select({
          tenantName: tenants.name,
          email: tenants.email,
          timeZone: tenants.timeZone,
          locale: readerLocale,
        })
        .from(tenants)
        .where(eq(tenants.id, tenantId));
      if (!tenant) return null;
      if (webhookId === null) {
        const url = legacyUrl ?? "";
        const using = await queries
          .select({ name: agents.name })
          .from(agents)
          .where(and(eq(agents.tenantId, tenantId), eq(agents.webhookUrl, url)))
          .orderBy(asc(agents.id));
        return { ...tenant, url, agentNames: using.map(({ name }) => name) };
      }
      const [own] = await queries
        .select({ url: webhooks.url })
        .from(webhooks)
        .where(webhook(tenantId, webhookId));
      return own ? { ...tenant, url: own.url, agentNames: [] } : null;
    },
  };
}
