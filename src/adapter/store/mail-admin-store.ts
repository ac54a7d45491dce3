/** The mail queue of all tenants for the operator: waiting and failed emails. */
import { and, count, desc, eq, gt } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { mails } from "./schema/index.ts";

type MailState = "pending" | "dead";

export function mailAdminStore(queries: Queries) {
  return {
    ...mailLists(queries),

    /** Null: no such email. */
    async statusOf(id: number): Promise<"pending" | "sent" | "dead" | null> {
      const row = await queries
        .select({ status: mails.status })
        .from(mails)
        .where(eq(mails.id, id))
        .get();
      return row?.status ?? null;
    },

    /** Restarts a dead email with all its attempts. */
    async revive(id: number, nowMs: number): Promise<void> {
      await queries
        .update(mails)
        .set({ status: "pending", attempts: 0, nextAttemptAt: nowMs })
        .where(and(eq(mails.id, id), eq(mails.status, "dead")));
    },
  };
}

/** Emails for the operator. */
function mailLists(queries: Queries) {
  return {
    /** Newest first, without their text. */
    async list(status: MailState, page: { readonly limit: number; readonly offset: number }) {
      return await queries
        .select({
          id: mails.id,
          tenantId: mails.tenantId,
          recipient: mails.recipient,
          subject: mails.subject,
          callUuid: mails.callUuid,
          attempts: mails.attempts,
          lastError: mails.lastError,
          nextAttemptAt: mails.nextAttemptAt,
          createdAt: mails.createdAt,
        })
        .from(mails)
        .where(eq(mails.status, status))
        .orderBy(desc(mails.createdAt), desc(mails.id))
        .limit(page.limit)
        .offset(page.offset);
    },

    async total(status: MailState): Promise<number> {
      const row = await queries
        .select({ n: count() })
        .from(mails)
        .where(eq(mails.status, status))
        .get();
      return row?.n ?? 0;
    },

    /** The number of waiting emails that failed at least once, and the latest error. */
    async failing(): Promise<{ readonly waiting: number; readonly lastError: string | null }> {
      const where = and(eq(mails.status, "pending"), gt(mails.attempts, 0));
      const waiting = await queries.select({ n: count() }).from(mails).where(where).get();
      const newest = await queries
        .select({ error: mails.lastError })
        .from(mails)
        .where(where)
        .orderBy(desc(mails.id))
        .limit(1)
        .get();
      return { waiting: waiting?.n ?? 0, lastError: newest?.error ?? null };
    },
  };
}
