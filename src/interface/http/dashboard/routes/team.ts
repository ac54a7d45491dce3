/** Members, invitations, and what was changed by whom. */
import { isoUtc } from "../../../../core/clock.ts";
import type { Member } from "../../../../domain/identity/stores.ts";
import type { Invitation } from "../../../../domain/identity/team.ts";
import { type Route, route } from "../../contract.ts";
import type { RouteContext } from "../../routes/context.ts";
import { isoOrNull } from "../../routes/present.ts";
import * as contracts from "../contracts/team.ts";
import { linkTokenOf, sessionOf, visitorOf, welcome } from "./signed-in.ts";

const memberView = ({ userId, name, email, role, lastSeenAt }: Member) => ({
  user_id: userId,
  name,
  email,
  role,
  last_seen_at: isoOrNull(lastSeenAt),
});

const invitationView = ({ id, email, role, expiresAt }: Invitation) => ({
  id,
  email,
  role,
  expires_at: isoUtc(expiresAt),
});

function teamParts({ dependencies }: RouteContext) {
  const { team, audit } = dependencies.identity;
  const mailsOut = dependencies.dashboard?.statusSources.mailProvider !== "outbox";
  return { team, audit, mailsOut };
}

type Parts = ReturnType<typeof teamParts>;

const memberRoutes = ({ team, mailsOut }: Parts): Route[] => [
  route(contracts.getTeam)(async ({ tenantId }) => {
    const { members, invitations } = await team.overview(tenantId);
    return {
      ok: true,
      members: members.map(memberView),
      invitations: invitations.map(invitationView),
    };
  }),
  route(contracts.invite)(async (request) => {
    const { tenantId, body } = request;
    const { user } = sessionOf(request);
    const { invitation, url } = await team.invite(tenantId, user, body.email, body.role);
    return { ok: true, invitation: invitationView(invitation), link: mailsOut ? null : url };
  }),
  route(contracts.withdrawInvitation)(async ({ tenantId, params }) => {
    await team.revokeInvitation(tenantId, params.id);
    return { ok: true, id: params.id, deleted: true };
  }),
  route(contracts.changeRole)(async ({ tenantId, params, body }) => {
    const member = await team.changeRole(tenantId, params.id, body.role);
    return { ok: true, member: memberView(member) };
  }),
  route(contracts.removeMember)(async ({ tenantId, params }) => {
    await team.remove(tenantId, params.id);
    return { ok: true, id: params.id, deleted: true };
  }),
];

const invitationRoutes = ({ team }: Parts): Route[] => [
  route(contracts.getInvitation)(async (request) => {
    const found = await team.peek(linkTokenOf(request));
    return {
      ok: true,
      invitation: found && {
        email: found.email,
        role: found.role,
        tenant_name: found.tenantName,
        has_account: found.hasAccount,
        expires_at: isoUtc(found.expiresAt),
      },
    };
  }),
  route(contracts.acceptInvitation)(async ({ body, browser, session }) => {
    const signedIn = await team.accept(body, visitorOf(browser), session);
    return signedIn ? welcome(browser, signedIn) : { ok: true, next: "done" };
  }),
];

const auditRoutes = ({ audit }: Parts): Route[] => [
  route(contracts.listAudit)(async (request) => {
    const { limit, offset } = request.query;
    const { operator } = sessionOf(request).user;
    const { entries, total } = await audit.page(request.tenantId, { limit, offset, operator });
    return {
      ok: true,
      entries: entries.map(({ id, at, userEmail, action, target, ip, outcome }) => ({
        id,
        at: isoUtc(at),
        user_email: userEmail,
        action,
        target,
        ip,
        outcome,
      })),
      total,
    };
  }),
];

export const teamRoutes = (context: RouteContext): Route[] => {
  const parts = teamParts(context);
  return [...memberRoutes(parts), ...invitationRoutes(parts), ...auditRoutes(parts)];
};
