/** One-time links. */
import { and, asc, eq, gt, isNull, lt } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { oneTimeLinks } from "../../store/schema/identity.ts";
import type { LinkStore } from "./stores.ts";

const unused = isNull(oneTimeLinks.usedAt);

const invitationsOf = (tenantId: number) =>
  and(eq(oneTimeLinks.kind, "invitation"), eq(oneTimeLinks.tenantId, tenantId), unused);

export function linkStore(queries: Queries): LinkStore {
  return {
    ...invitationRows(queries),

    async insert(link) {
      const [row] = await queries
        .insert(oneTimeLinks)
        .values(link)
        .returning({ id: oneTimeLinks.id });
      if (!row) throw new Error("insert answered no row");
      return row.id;
    },

    async byToken(tokenHash) {
      const row = await queries
        .select()
        .from(oneTimeLinks)
        .where(eq(oneTimeLinks.tokenHash, tokenHash))
        .get();
      return row ?? null;
    },

    async use(linkId, nowMs) {
      const changed = await queries
        .update(oneTimeLinks)
        .set({ usedAt: nowMs })
        .where(and(eq(oneTimeLinks.id, linkId), unused))
        .returning({ id: oneTimeLinks.id });
      return changed.length > 0;
    },

    async removeOpen(kind, userId) {
      await queries
        .delete(oneTimeLinks)
        .where(
          and(
            eq(oneTimeLinks.kind, kind),
            userId === null ? isNull(oneTimeLinks.userId) : eq(oneTimeLinks.userId, userId),
            unused,
          ),
        );
    },

    async removeExpired(beforeMs) {
      const gone = await queries
        .delete(oneTimeLinks)
        .where(lt(oneTimeLinks.expiresAt, beforeMs))
        .returning({ id: oneTimeLinks.id });
      return gone.length;
    },
  };
}

/** Open invitations. */
function invitationRows(
  queries: Queries,
): Pick<
  LinkStore,
  "invitations" | "removeInvitation" | "removeInvitationsTo" | "removeInvitationsBy"
> {
  return {
    async invitations(tenantId, nowMs) {
      return await queries
        .select()
        .from(oneTimeLinks)
        .where(and(invitationsOf(tenantId), gt(oneTimeLinks.expiresAt, nowMs)))
        .orderBy(asc(oneTimeLinks.id));
    },

    async removeInvitation(tenantId, linkId) {
      const [gone] = await queries
        .delete(oneTimeLinks)
        .where(and(invitationsOf(tenantId), eq(oneTimeLinks.id, linkId)))
        .returning({ email: oneTimeLinks.email });
      return gone?.email ?? null;
    },

    async removeInvitationsTo(tenantId, email) {
      await queries
        .delete(oneTimeLinks)
        .where(and(invitationsOf(tenantId), eq(oneTimeLinks.email, email)));
    },

    async removeInvitationsBy(tenantId, inviterId) {
      await queries
        .delete(oneTimeLinks)
        .where(and(invitationsOf(tenantId), eq(oneTimeLinks.userId, inviterId)));
    },
  };
}
