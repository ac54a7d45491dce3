/** Attempts of telephone PINs: time, number, and result. Never the digits. */
import { and, count, eq, gt, gte, max } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { auditEntries, pinAttempts } from "../../store/schema/index.ts";
import type { PinRecords } from "./pin-check.ts";

const ACTION = "verifyCaller";
const OUTCOMES = { right: "done", wrong: "refused", locked: "refused" } as const;

export function pinStore(queries: Queries): PinRecords {
  return {
    async wrong(tenantId, numberE164, sinceMs) {
      const own = and(
        eq(pinAttempts.tenantId, tenantId),
        eq(pinAttempts.numberE164, numberE164),
        gte(pinAttempts.attemptedAt, sinceMs),
      );
      const right = await queries
        .select({ id: max(pinAttempts.id) })
        .from(pinAttempts)
        .where(and(own, eq(pinAttempts.ok, true)))
        .get();
      const all = await queries
        .select({ n: count() })
        .from(pinAttempts)
        .where(and(own, eq(pinAttempts.ok, false)))
        .get();
      const row = await queries
        .select({ n: count(), latestAt: max(pinAttempts.attemptedAt) })
        .from(pinAttempts)
        .where(and(own, gt(pinAttempts.id, right?.id ?? 0)))
        .get();
      return { total: all?.n ?? 0, sinceRight: row?.n ?? 0, latestAt: row?.latestAt ?? 0 };
    },

    async add(tenantId, numberE164, callUuid, nowMs) {
      const [row] = await queries
        .insert(pinAttempts)
        .values({ tenantId, numberE164, callUuid, ok: false, attemptedAt: nowMs })
        .returning({ id: pinAttempts.id });
      if (!row) throw new Error("insert answered no row");
      return row.id;
    },

    async setRight(tenantId, id) {
      await queries
        .update(pinAttempts)
        .set({ ok: true })
        .where(and(eq(pinAttempts.id, id), eq(pinAttempts.tenantId, tenantId)));
    },

    async audit(tenantId, { callUuid, result }, nowMs) {
      await queries.insert(auditEntries).values({
        tenantId,
        userId: null,
        userEmail: null,
        action: ACTION,
        ip: "",
        at: nowMs,
        target: result === "locked" ? `call ${callUuid} (locked out)` : `call ${callUuid}`,
        outcome: OUTCOMES[result],
      });
    },
  };
}
