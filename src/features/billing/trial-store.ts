/** Engine usage of agents' trials: one row per tenant and day. */
import { and, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Queries } from "../../core/database.ts";
import { microEur } from "../../core/money.ts";
import { trialDays } from "../../store/schema/money.ts";
import { tenants } from "../../store/schema/tenants.ts";
import type { TrialStore, TrialSums } from "./trials.ts";

const NOTHING = { boughtSeconds: 0, charged: microEur(0) };
const sum = (column: SQLiteColumn): SQL<number> =>
  sql`coalesce(sum(${column}), 0)`.mapWith(Number) as SQL<number>;

export function trialStore(queries: Queries): TrialStore {
  const isDay = (tenantId: number, day: string) =>
    and(eq(trialDays.tenantId, tenantId), eq(trialDays.day, day));
  return {
    async isSuspended(tenantId) {
      const { suspended } = tenants;
      const row = await queries
        .select({ suspended })
        .from(tenants)
        .where(eq(tenants.id, tenantId))
        .get();
      return row?.suspended ?? false;
    },

    async day(tenantId, day) {
      const { seconds, boughtSeconds } = trialDays;
      const row = await queries
        .select({ seconds, boughtSeconds })
        .from(trialDays)
        .where(isDay(tenantId, day))
        .get();
      return row ?? { seconds: 0, boughtSeconds: 0 };
    },

    async add(tenantId, day, { embeddingTokens = 0, ...use }) {
      const counted = { ...use, embeddingTokens };
      const added = Object.keys(counted).map((name) => {
        const column = trialDays[name as keyof typeof counted];
        return [name, sql`${column} + ${counted[name as keyof typeof counted]}`] as const;
      });
      await queries
        .insert(trialDays)
        .values({ tenantId, day, ...NOTHING, ...counted })
        .onConflictDoUpdate({
          target: [trialDays.tenantId, trialDays.day],
          set: Object.fromEntries(added),
        });
    },

    async buy(tenantId, day, seconds, charged) {
      await queries
        .update(trialDays)
        .set({
          boughtSeconds: sql`${trialDays.boughtSeconds} + ${seconds}`,
          charged: sql`${trialDays.charged} + ${charged}`,
        })
        .where(isDay(tenantId, day));
    },

    sums: (...which) => sumsOf(queries, ...which),
  };
}

async function sumsOf(
  queries: Queries,
  tenantId: number,
  firstDay: string,
  lastDay: string,
): Promise<TrialSums> {
  const found = await queries
    .select({
      seconds: sum(trialDays.seconds),
      llmInputTokens: sum(trialDays.llmInputTokens),
      llmOutputTokens: sum(trialDays.llmOutputTokens),
      embeddingTokens: sum(trialDays.embeddingTokens),
      ttsCharacters: sum(trialDays.ttsCharacters),
      sttSeconds: sum(trialDays.sttSeconds),
      costOfGoods: sum(trialDays.costOfGoods),
      charged: sum(trialDays.charged),
    })
    .from(trialDays)
    .where(
      and(
        eq(trialDays.tenantId, tenantId),
        gte(trialDays.day, firstDay),
        lte(trialDays.day, lastDay),
      ),
    );
  return found[0] as TrialSums;
}
