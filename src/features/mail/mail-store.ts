/** The rows of the mail queue. */
import {
  and,
  asc,
  eq,
  gt,
  isNotNull,
  isNull,
  lte,
  min,
  or,
  type Placeholder,
  type SQL,
  sql,
} from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { calls } from "../../store/schema/calls.ts";
import { NO_LEASE } from "../../store/schema/columns.ts";
import { mails } from "../../store/schema/outbox.ts";
import { LINK_MAIL_PREFIX } from "../identity/mails.ts";
import type { DueMail, MailStores } from "./stores.ts";

const columns = {
  id: mails.id,
  tenantId: mails.tenantId,
  key: mails.key,
  callUuid: mails.callUuid,
  recipient: mails.recipient,
  subject: mails.subject,
  body: mails.body,
  attachment: mails.attachment,
  attempts: mails.attempts,
  createdAt: mails.createdAt,
  recordingForm: mails.recordingForm,
  recordingWords: mails.recordingWords,
};

const heldBy = (id: number, owner: string) => and(eq(mails.id, id), eq(mails.leaseOwner, owner));
/** True if the attachment is on another node's disk. Without a node name, always false. */
const isOnRemoteNode = (node: Placeholder | string | null) =>
  sql`(${mails.attachment} IS NOT NULL AND EXISTS (
  SELECT 1 FROM ${calls} WHERE ${calls.callUuid} = ${mails.callUuid} AND ${calls.node} <> ${node}))`;
const isHere = (node: Placeholder | string | null) => sql`NOT ${isOnRemoteNode(node)}`;

const isLost = sql<number>`(${isOnRemoteNode(arg("node"))}
  AND ${mails.nextAttemptAt} <= ${arg("lostBeforeMs")})`;

/** The next mail of a lane. */
const dueMail = (inLane: SQL) =>
  statement((queries) =>
    queries
      .select({ ...columns, isLost })
      .from(mails)
      .where(
        and(
          eq(mails.status, "pending"),
          lte(mails.nextAttemptAt, arg("nowMs")),
          or(isNull(mails.leaseUntil), lte(mails.leaseUntil, arg("nowMs"))),
          inLane,
          sql`${mails.tenantId} NOT IN (SELECT value FROM json_each(${arg("busyTenants")}))`,
          or(isHere(arg("node")), isLost),
        ),
      )
      .orderBy(asc(mails.nextAttemptAt), asc(mails.id))
      .limit(1)
      .prepare(),
  );

const dueMails = {
  without: dueMail(isNull(mails.attachment)),
  "with attachment": dueMail(isNotNull(mails.attachment)),
};

const nextMailDue = statement((queries) =>
  queries
    .select({ at: min(mails.nextAttemptAt) })
    .from(mails)
    .where(and(eq(mails.status, "pending"), gt(mails.nextAttemptAt, arg("nowMs"))))
    .prepare(),
);

export const mailStore: MailStores = (queries) => ({
  ...mailLeases(queries),
  ...mailOutcomes(queries),
  ...mailAttachments(queries),

  async enqueue(tenantId, mail, nowMs) {
    await queries
      .insert(mails)
      .values({
        tenantId,
        ...mail,
        status: "pending",
        attempts: 0,
        nextAttemptAt: nowMs,
        createdAt: nowMs,
      })
      .onConflictDoNothing({ target: mails.key });
  },
});

async function nextDue(
  queries: Queries,
  { nowMs, node, lane, lostBeforeMs, busyTenants }: DueMail,
) {
  const values = { nowMs, node, lostBeforeMs, busyTenants: JSON.stringify(busyTenants) };
  return (await dueMails[lane](queries).all(values))[0];
}

/** Leases: one node at a time sends an email. */
const mailLeases = (
  queries: Queries,
): Pick<ReturnType<MailStores>, "hasDue" | "claim" | "extendLease" | "nextDueAfter"> => ({
  async hasDue(request) {
    return (await nextDue(queries, request)) !== undefined;
  },

  async claim({ owner, leaseUntilMs, ...request }) {
    const mail = await nextDue(queries, request);
    if (!mail) return null;
    await queries
      .update(mails)
      .set({ leaseOwner: owner, leaseUntil: leaseUntilMs })
      .where(eq(mails.id, mail.id));
    return { ...mail, isLost: mail.isLost === 1 };
  },

  async extendLease(id, owner, leaseUntil) {
    await queries.update(mails).set({ leaseUntil }).where(heldBy(id, owner));
  },

  async nextDueAfter(nowMs) {
    return (await nextMailDue(queries).get({ nowMs }))?.at ?? null;
  },
});

/** Results of attempts. */
const mailOutcomes = (
  queries: Queries,
): Pick<ReturnType<MailStores>, "markSent" | "markFailed" | "release"> => ({
  async markSent(id, owner, nowMs) {
    const changed = await queries
      .update(mails)
      .set({
        status: "sent",
        sentAt: nowMs,
        nextAttemptAt: null,
        lastError: null,
        ...NO_LEASE,
        // The text of an email with a sign-in link is deleted after sending.
        body: sql`case when ${mails.key} like ${`${LINK_MAIL_PREFIX}%`} then '' else ${mails.body} end`,
      })
      .where(heldBy(id, owner))
      .returning({ id: mails.id });
    return changed.length > 0;
  },

  async markFailed(id, owner, outcome) {
    await queries
      .update(mails)
      .set({
        status: outcome.nextAttemptAt === null ? "dead" : "pending",
        attempts: outcome.attempts,
        nextAttemptAt: outcome.nextAttemptAt,
        lastError: outcome.error,
        ...NO_LEASE,
      })
      .where(heldBy(id, owner));
  },

  async release(id, owner) {
    await queries.update(mails).set(NO_LEASE).where(heldBy(id, owner));
  },
});

/** Recordings attached to emails. */
const mailAttachments = (
  queries: Queries,
): Pick<ReturnType<MailStores>, "detach" | "withAttachmentLeft" | "forgetAttachment"> => ({
  async detach(id, owner, recordingForm) {
    await queries.update(mails).set({ attachment: null, recordingForm }).where(heldBy(id, owner));
  },

  async withAttachmentLeft(limit, node) {
    return queries
      .select(columns)
      .from(mails)
      .where(and(eq(mails.status, "sent"), isNotNull(mails.attachment), isHere(node)))
      .orderBy(asc(mails.id))
      .limit(limit);
  },

  async forgetAttachment(id) {
    await queries.update(mails).set({ attachment: null }).where(eq(mails.id, id));
  },
});
