/** The mail queue of all tenants for the operator: waiting and failed emails. */
import { and, count, desc, eq, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { statement } from "../../store/query/prepared.ts";
import { mails } from "../../store/schema/index.ts";

type MailState = "pending" | "dead";

const troubledMails = statement((queries) => {
  const failing = sql`status = ${"pending" satisfies MailState} AND attempts > 0`;
  return queries
    .select({
      dead: count(),
      waiting: sql`(SELECT count(*) FROM mails WHERE ${failing})`.mapWith(Number),
      lastError: sql<string | null>`(SELECT last_error FROM mails WHERE ${failing}
        ORDER BY id DESC LIMIT 1)`,
    })
    .from(mails)
    .where(eq(mails.status, "dead"))
    .prepare();
});

export function mailAdminStore(queries: Queries) {
  return {
    ...mailLists(queries),

    /** Null if the email does not exist. */
    async statusOf(id: number): Promise<"pending" | "sent" | "dead" | null> {
      const row = await queries
        .select({ status: mails.status })
        .from(mails)
        .where(eq(mails.id, id))
        .get();
      return row?.status ?? null;
    },

    /** Restarts a dead email with its attempts reset. */
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
      return await queries.$count(mails, eq(mails.status, status));
    },

    /**
     * Numbers of dead emails and of waiting emails that failed at least once, and the latest error of the
     * waiting ones.
     */
    async troubled() {
      const row = await troubledMails(queries).get();
      return row ?? { dead: 0, waiting: 0, lastError: null };
    },
  };
}
