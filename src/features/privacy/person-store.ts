/**
 * A tenant's data about a person outside of the calls: contact, memories, PIN attempts, CRM data, campaign
 * rows, and scenarios that contain the number or come from the person's calls.
 */
import { and, count, eq, inArray, type SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Queries } from "../../core/database.ts";
import { mentionsNumber } from "../../core/e164.ts";
import {
  agentScenarios,
  birthdayCalls,
  callMemories,
  callPurposes,
  campaignTargets,
  contacts,
  crmCache,
  crmPosts,
  pinAttempts,
} from "../../store/schema/index.ts";

/** Bound variables per statement. */
const CHUNK = 500;

export interface PersonCounts {
  readonly contacts: number;
  readonly memories: number;
  readonly pin_attempts: number;
  readonly crm_answers: number;
  readonly crm_messages: number;
  readonly campaign_targets: number;
  readonly scenarios: number;
}

export function personStore(queries: Queries) {
  const wheres = (tenantId: number, number: string) => ({
    contacts: and(eq(contacts.tenantId, tenantId), eq(contacts.numberE164, number)),
    memories: and(eq(callMemories.tenantId, tenantId), eq(callMemories.numberE164, number)),
    pins: and(eq(pinAttempts.tenantId, tenantId), eq(pinAttempts.numberE164, number)),
    answers: and(eq(crmCache.tenantId, tenantId), eq(crmCache.numberE164, number)),
    targets: and(eq(campaignTargets.tenantId, tenantId), eq(campaignTargets.numberE164, number)),
  });

  return {
    /** True if the contact opted out of calls. */
    async isOnDoNotCallList(tenantId: number, number: string): Promise<boolean> {
      const where = and(wheres(tenantId, number).contacts, eq(contacts.doNotCall, true));
      return (await rows(queries, contacts, where)) > 0;
    },

    async countOf(
      tenantId: number,
      number: string,
      callUuids: readonly string[],
    ): Promise<PersonCounts> {
      const where = wheres(tenantId, number);
      let messages = 0;
      for (const uuids of chunksOf(callUuids))
        messages += await rows(queries, crmPosts, inArray(crmPosts.callUuid, uuids));
      return {
        contacts: await rows(queries, contacts, where.contacts),
        memories: await rows(queries, callMemories, where.memories),
        pin_attempts: await rows(queries, pinAttempts, where.pins),
        crm_answers: await rows(queries, crmCache, where.answers),
        crm_messages: messages,
        campaign_targets: await rows(queries, campaignTargets, where.targets),
        scenarios: (await scenariosOf(queries, tenantId, number, callUuids)).length,
      };
    },

    /** Deletes all of it, including the campaign rows. */
    async erase(tenantId: number, number: string, callUuids: readonly string[]): Promise<void> {
      const where = wheres(tenantId, number);
      const persons = queries.select({ id: contacts.id }).from(contacts).where(where.contacts);
      await queries.delete(birthdayCalls).where(inArray(birthdayCalls.contactId, persons));
      await queries.delete(contacts).where(where.contacts);
      await queries.delete(callMemories).where(where.memories);
      await queries.delete(pinAttempts).where(where.pins);
      await queries.delete(crmCache).where(where.answers);
      await queries.delete(campaignTargets).where(where.targets);
      for (const id of await scenariosOf(queries, tenantId, number, callUuids))
        await queries.delete(agentScenarios).where(eq(agentScenarios.id, id));
      for (const uuids of chunksOf(callUuids)) {
        await queries.delete(callPurposes).where(inArray(callPurposes.callUuid, uuids));
        await queries.delete(crmPosts).where(inArray(crmPosts.callUuid, uuids));
      }
    },
  };
}

async function rows(queries: Queries, table: SQLiteTable, where: SQL | undefined) {
  const row = await queries.select({ n: count() }).from(table).where(where).get();
  return row?.n ?? 0;
}

/** Ids of the tenant's scenarios that contain the number or come from one of these calls. */
async function scenariosOf(
  queries: Queries,
  tenantId: number,
  number: string,
  callUuids: readonly string[],
) {
  const { id, yaml, callUuid } = agentScenarios;
  const made = new Set(callUuids);
  const kept = await queries
    .select({ id, yaml, callUuid })
    .from(agentScenarios)
    .where(eq(agentScenarios.tenantId, tenantId));
  return kept
    .filter((each) => made.has(each.callUuid ?? "") || mentionsNumber(each.yaml, number))
    .map((each) => each.id);
}

function chunksOf(items: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let at = 0; at < items.length; at += CHUNK) chunks.push(items.slice(at, at + CHUNK));
  return chunks;
}
