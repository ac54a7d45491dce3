/** The tenant's team, invitations, and the audit log. */

import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { contract, type Route, route } from "../../http/contract.ts";
import { deletedReply, idOut, okReply, page, shown, timeOut } from "../../http/contracts/schema.ts";
import {
  emailIn,
  givenPassword,
  isoOrNullOut,
  linkToken,
  linkTokenQuery,
  nextStep,
  personName,
  roleIn,
  roleOut,
} from "../../http/dashboard-fields.ts";
import { linkTokenOf, sessionOf, visitorOf, welcome } from "../../http/dashboard-signed-in.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { isoOrNull } from "../../http/route-present.ts";
import type { ActiveSession } from "./sessions.ts";
import type { Member as MemberRecord } from "./stores.ts";
import type { Invitation as InvitationRecord, Team } from "./team.ts";

const tag = "Team";

const Member = z
  .strictObject({
    user_id: idOut("user"),
    name: z.string(),
    email: z.string(),
    role: roleOut(),
    last_seen_at: isoOrNullOut("Time of the person's last request. `null` if there was none."),
  })
  .meta({ id: "Member" });

const Invitation = z
  .strictObject({
    id: idOut("invitation"),
    email: z.string(),
    role: roleOut(),
    expires_at: timeOut("Time when the invitation expires."),
  })
  .meta({ id: "Invitation" });

export const invitedReply = okReply({
  invitation: Invitation,
  mailed: shown(
    z.boolean(),
    "Whether the invitation was sent by email. `false`: emails are stored as files, so the operator must pass on the link.",
    true,
  ),
  link: shown(
    z.string().nullable(),
    "Link to pass on. Only for an operator when emails are not sent, because anyone with the link can set the password of the new account. Otherwise `null`.",
    null,
  ),
});

export const getTeam = contract({
  operationId: "getTeam",
  at: "GET /team",
  tag,
  summary: "List members and open invitations",
  reply: okReply({ members: z.array(Member), invitations: z.array(Invitation) }),
});

export const invite = contract({
  operationId: "invite",
  answersSecret: true,
  notWhenActing: true,
  at: "POST /team/invitations",
  tag,
  role: "owner",
  summary: "Invite a person by email",
  description: "Replaces an older invitation of the same address.",
  body: z.strictObject({ email: emailIn(), role: roleIn() }).meta({ id: "InvitationRequest" }),
  reply: invitedReply,
  errors: ["conflict", "plan_limit_reached"],
});

export const withdrawInvitation = contract({
  operationId: "withdrawInvitation",
  notWhenActing: true,
  at: "DELETE /team/invitations/{id}",
  noun: "invitation",
  tag,
  role: "owner",
  summary: "Withdraw an invitation",
  reply: deletedReply(),
});

const KEYS_GO_ON =
  "API keys created by the person stay valid: find them by `created_by` in GET /keys and revoke them with DELETE /keys.";

export const changeRole = contract({
  operationId: "changeRole",
  notWhenActing: true,
  at: "PATCH /team/{id}",
  noun: "member",
  tag,
  role: "owner",
  summary: "Change a member's role",
  description: `A tenant must keep at least one owner. ${KEYS_GO_ON}`,
  body: z.strictObject({ role: roleIn() }).meta({ id: "RoleRequest" }),
  reply: okReply({ member: Member }),
  errors: ["conflict"],
});

export const removeMember = contract({
  operationId: "removeMember",
  notWhenActing: true,
  at: "DELETE /team/{id}",
  noun: "member",
  tag,
  role: "owner",
  summary: "Remove a person from the team",
  description: `A tenant must keep at least one owner. ${KEYS_GO_ON} \`api_keys\` in the response lists them.`,
  reply: okReply({
    id: z.int().positive(),
    deleted: z.literal(true),
    api_keys: z.array(
      z.strictObject({
        id: shown(z.int(), "Id of a valid key that the person created.", 7),
        label: shown(z.string(), "Label of the key.", "CRM"),
        prefix: shown(z.string(), "First characters of the secret.", "lv_live_1a2b3c4d"),
      }),
    ),
  }),
  errors: ["conflict"],
});

export const getInvitation = contract({
  operationId: "getInvitation",
  at: "GET /invitation",
  tag,
  summary: "Show an invitation",
  open: true,
  query: linkTokenQuery(),
  reply: okReply({
    invitation: z
      .strictObject({
        email: z.string(),
        role: roleOut(),
        tenant_name: z.string(),
        has_account: shown(
          z.boolean(),
          "Whether the person already has an account, and accepts with its password.",
          false,
        ),
        expires_at: timeOut("Time when the invitation expires."),
      })
      .nullable()
      .meta({
        description:
          "Invitation. `null` if it was used, withdrawn or never created, or has expired.",
      }),
  }),
  errors: ["rate_limited"],
});

export const acceptInvitation = contract({
  operationId: "acceptInvitation",
  at: "POST /invitation",
  tag,
  summary: "Accept an invitation and sign in",
  description:
    "A new person sends a name and a password of at least 12 characters. A person with an account sends its password, or nothing if already signed in.",
  open: true,
  body: z
    .strictObject({
      token: linkToken(),
      name: personName().optional(),
      password: givenPassword().optional(),
    })
    .meta({ id: "AcceptInvitationRequest" }),
  reply: okReply({ next: nextStep() }),
  errors: ["not_found", "unauthorized", "rate_limited", "plan_limit_reached"],
});

export const listAudit = contract({
  operationId: "listAudit",
  at: "GET /audit",
  tag,
  role: "owner",
  summary: "List the audit log, newest first",
  query: z.strictObject({ limit: page.limit(50), offset: page.offset() }),
  reply: okReply({
    entries: z.array(
      z
        .strictObject({
          id: idOut("entry"),
          at: timeOut("Time of the action."),
          user_email: shown(
            z.string().nullable(),
            "Email address of the user. `null` if unknown.",
            "rasa@clinic.example",
          ),
          key_label: shown(
            z.string().nullable(),
            "Label of the API key that made the request. `null` if there was none.",
            null,
          ),
          command_line: shown(
            z.boolean(),
            "Whether the operator did it on the command line.",
            false,
          ),
          command_line_user: shown(
            z.string().nullable(),
            "User of the operating system on the command line. `null` if unknown.",
            null,
          ),
          action: shown(z.string(), "Operation id in this document.", "changeRole"),
          target: shown(z.string(), "Path of the request.", "/team/7"),
          ip: z.string(),
          subject: shown(z.string().nullable(), "Name of the affected record.", "Reception"),
          changes: shown(
            z.array(
              z.strictObject({
                field: z.string(),
                from: z.string().nullable(),
                to: z.string().nullable(),
              }),
            ),
            "Changed settings with old and new values. Secrets are shown as dots.",
            [{ field: "server", from: "sip.a.example", to: "sip.b.example" }],
          ),
          acting_until: isoOrNullOut(
            "Time until which an operator acts for the tenant. Set in the entry that starts it, otherwise `null`.",
          ),
          outcome: shown(
            z.enum(["done", "refused", "failed"]),
            "Result. `refused`: not allowed. `failed`: error of the server.",
            "done",
          ),
        })
        .meta({ id: "AuditEntry" }),
    ),
    total: z.int().min(0),
  }),
});

export const teamContracts = [
  getTeam,
  invite,
  withdrawInvitation,
  changeRole,
  removeMember,
  getInvitation,
  acceptInvitation,
  listAudit,
];

const memberView = ({ userId, name, email, role, lastSeenAt }: MemberRecord) => ({
  user_id: userId,
  name,
  email,
  role,
  last_seen_at: isoOrNull(lastSeenAt),
});

const invitationView = ({ id, email, role, expiresAt }: InvitationRecord) => ({
  id,
  email,
  role,
  expires_at: isoUtc(expiresAt),
});

/** The response to a person who invites. */
export function invitedBy(
  { dependencies }: RouteContext,
  { operator }: ActiveSession["user"],
  { invitation, url }: Awaited<ReturnType<Team["invite"]>>,
) {
  const mailed = dependencies.dashboard?.statusSources.mailProvider !== "outbox";
  const link = mailed || !operator ? null : url;
  return { ok: true, invitation: invitationView(invitation), mailed, link } as const;
}

function teamParts(context: RouteContext) {
  const { team, audit } = context.dependencies.identity;
  const { apiKeys } = context.dependencies.services;
  return { team, audit, apiKeys, context };
}

type Parts = ReturnType<typeof teamParts>;

const memberRoutes = ({ team, apiKeys, context }: Parts): Route[] => [
  route(getTeam)(async ({ tenantId }) => {
    const { members, invitations } = await team.overview(tenantId);
    return {
      ok: true,
      members: members.map(memberView),
      invitations: invitations.map(invitationView),
    };
  }),
  route(invite)(async (request) => {
    const { tenantId, body } = request;
    const { user } = sessionOf(request);
    request.note({ subject: body.email });
    return invitedBy(context, user, await team.invite(tenantId, user, body.email, body.role));
  }),
  route(withdrawInvitation)(async ({ tenantId, params, note }) => {
    note({ subject: await team.revokeInvitation(tenantId, params.id) });
    return { ok: true, id: params.id, deleted: true };
  }),
  route(changeRole)(async ({ tenantId, params, body: { role }, note }) => {
    const member = await team.changeRole(tenantId, params.id, role);
    const changes = [{ field: "role", from: member.role, to: role }];
    note({ subject: member.email, ...(role !== member.role && { changes }) });
    return { ok: true, member: memberView({ ...member, role }) };
  }),
  route(removeMember)(async ({ tenantId, params, note }) => {
    const { email } = await team.remove(tenantId, params.id);
    note({ subject: email });
    const keys = (await apiKeys.list(tenantId)).filter(({ createdBy }) => createdBy === email);
    const left = keys.map(({ id, label, prefix }) => ({ id, label, prefix }));
    return { ok: true, id: params.id, deleted: true, api_keys: left };
  }),
];

const invitationRoutes = ({ team }: Parts): Route[] => [
  route(getInvitation)(async (request) => {
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
  route(acceptInvitation)(async ({ body, browser, session }) => {
    const signedIn = await team.accept(body, visitorOf(browser), session);
    return signedIn ? welcome(browser, signedIn) : { ok: true, next: "done" };
  }),
];

const auditRoutes = ({ audit }: Parts): Route[] => [
  route(listAudit)(async (request) => {
    const { limit, offset } = request.query;
    const { operator } = sessionOf(request).user;
    const { entries, total } = await audit.page(request.tenantId, { limit, offset, operator });
    return {
      ok: true,
      entries: entries.map(({ id, at, userEmail, action, target, ip, outcome, details }) => ({
        id,
        at: isoUtc(at),
        user_email: userEmail,
        key_label: details?.key ?? null,
        command_line: details?.commandLine ?? false,
        command_line_user: details?.user || null,
        action,
        target,
        ip,
        subject: details?.subject ?? null,
        changes: [...(details?.changes ?? [])],
        acting_until: isoOrNull(details?.actingUntil ?? null),
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
