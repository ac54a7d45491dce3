/** The current session, and all sign-in methods. */

import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { type Browser, contract, type Route, route } from "../../http/contract.ts";
import {
  field,
  idIn,
  idOut,
  nameIn,
  okReply,
  okTrue,
  shown,
  timeOut,
} from "../../http/contracts/schema.ts";
import {
  emailIn,
  givenPassword,
  isoOrNullOut,
  linkOut,
  linkToken,
  linkTokenQuery,
  newPassword,
  nextStep,
  personName,
  roleOut,
} from "../../http/dashboard-fields.ts";
import {
  currentUserOf,
  linkTokenOf,
  proofOf,
  sessionOf,
  visitorOf,
  welcome,
} from "../../http/dashboard-signed-in.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { isoOrNull } from "../../http/route-present.ts";
import { lacksSecondFactor } from "../../http/session/rights.ts";
import type { Identity } from "./identity.ts";
import { type ActiveSession, RECENT_SIGN_IN_MS } from "./sessions.ts";
import type { OneTimeLink } from "./stores.ts";

const tag = "Session";

const CurrentSession = z
  .strictObject({
    user: z.strictObject({
      id: idOut("user"),
      name: z.string(),
      email: z.string(),
      locale: shown(z.enum(["en", "lt", "lv", "ru"]), "Language of the dashboard.", "en"),
      totp_enabled: z.boolean(),
      passkeys: shown(z.int().min(0), "Number of registered passkeys.", 1),
    }),
    tenant: z
      .strictObject({
        id: idOut("tenant"),
        name: z.string(),
        time_zone: shown(z.string(), "Time zone of the times in the dashboard.", "Europe/Vilnius"),
      })
      .nullable(),
    role: shown(
      roleOut().nullable(),
      "Role in this tenant. An operator is an owner in every tenant.",
    ),
    operator: z.boolean(),
    acting_until: isoOrNullOut(
      "Time until which an operator acts for the tenant. `null` if the user is a member of the tenant.",
    ),
    second_factor_needed: shown(
      z.boolean(),
      "Whether the company requires a second factor that this session lacks. Then only the profile is available.",
      false,
    ),
    recent_until: timeOut("Time until which the sign-in counts as recent."),
    tenants: z.array(z.strictObject({ id: idOut("tenant"), name: z.string(), role: roleOut() })),
  })
  .meta({ id: "CurrentSession" });

const getSession = contract({
  operationId: "getSession",
  at: "GET /session",
  tag,
  summary: "Show the current session",
  open: true,
  reply: okReply({
    session: CurrentSession.nullable(),
    setup_needed: shown(z.boolean(), "Whether this appliance has no owner yet.", false),
    version: z.string(),
  }),
});

const getOwnerLink = contract({
  operationId: "getOwnerLink",
  at: "GET /owner-link",
  tag,
  summary: "Check whether an owner link is valid",
  open: true,
  query: linkTokenQuery(),
  reply: okReply({ link: linkOut }),
  errors: ["rate_limited"],
});

const useOwnerLink = contract({
  operationId: "useOwnerLink",
  at: "POST /owner-link",
  tag,
  summary: "Become the appliance's owner",
  description:
    "Creates the operator and, if there is none, the first tenant. Then signs in. Requires a link from `linevoice setup`.",
  open: true,
  body: z
    .strictObject({
      token: linkToken(),
      name: personName(),
      email: emailIn(),
      password: newPassword(),
      company: nameIn(
        120,
        "Name of the first tenant. Ignored if there is a tenant.",
        "Dantų klinika",
      ).optional(),
    })
    .meta({ id: "OwnerRequest" }),
  reply: okReply({ next: nextStep() }),
  errors: ["not_found", "conflict", "rate_limited"],
});

const signedIn = okReply({ next: nextStep() }).meta({ id: "SignedIn" });

const signIn = contract({
  operationId: "signIn",
  at: "POST /sign-in",
  tag,
  summary: "Sign in with email and password",
  description: "The response is the same for a wrong password and an unknown address.",
  open: true,
  body: z
    .strictObject({ email: emailIn(), password: givenPassword() })
    .meta({ id: "SignInRequest" }),
  reply: signedIn,
  errors: ["unauthorized", "rate_limited"],
});

const signInTotp = contract({
  operationId: "signInTotp",
  at: "POST /sign-in/totp",
  tag,
  summary: "Send the second factor: a code of the authenticator, or a recovery code",
  open: true,
  body: z
    .strictObject({
      code: field(z.string().trim().min(6).max(40), {
        description: "Code of six digits, or a recovery code.",
        example: "492039",
        must: "be six digits or a recovery code",
      }),
    })
    .meta({ id: "CodeRequest" }),
  reply: signedIn,
  errors: ["unauthorized", "rate_limited"],
});

const base64url = z
  .string()
  .max(100_000)
  .regex(/^[\w-]*$/);

/** The credential in the browser's format (WebAuthn 5.1, `PublicKeyCredential.toJSON`). */
export const credentialIn = () =>
  field(
    z.looseObject({
      id: base64url.max(2_000),
      rawId: base64url.max(2_000),
      type: z.literal("public-key"),
      response: z.looseObject({ clientDataJSON: base64url }),
    }),
    {
      description: "Result of `navigator.credentials` as JSON.",
      example: { id: "AQID", rawId: "AQID", type: "public-key", response: {} },
      must: "be the result of the browser's passkey dialog, as JSON",
    },
  );

/** The options for `navigator.credentials`, as JSON. */
export const credentialOptions = shown(
  z.looseObject({ challenge: z.string() }),
  "Options for `startRegistration` or `startAuthentication`.",
);

const passkeySignInOptions = contract({
  operationId: "passkeySignInOptions",
  at: "POST /sign-in/passkey/options",
  tag,
  summary: "Start to sign in with a passkey",
  open: true,
  reply: okReply({ options: credentialOptions }),
  errors: ["rate_limited"],
});

const signInPasskey = contract({
  operationId: "signInPasskey",
  at: "POST /sign-in/passkey",
  tag,
  summary: "Sign in with a passkey",
  open: true,
  body: z.strictObject({ response: credentialIn() }).meta({ id: "PasskeyRequest" }),
  reply: signedIn,
  errors: ["unauthorized", "rate_limited"],
});

const signInLink = contract({
  operationId: "signInLink",
  at: "POST /sign-in/link",
  tag,
  summary: "Sign in with a one-time link from the command line",
  open: true,
  body: z.strictObject({ token: linkToken() }).meta({ id: "SignInLinkRequest" }),
  reply: signedIn,
  errors: ["not_found", "rate_limited"],
});

const signOut = contract({
  operationId: "signOut",
  at: "POST /sign-out",
  tag,
  summary: "Sign out",
  open: true,
  reply: z.strictObject({ ok: okTrue }),
});

export const proofFields = {
  password: givenPassword().optional(),
  code: field(z.string().trim().min(6).max(40), {
    description: "Code of the authenticator, or a recovery code.",
    example: "492039",
    must: "be six digits or a recovery code",
  }).optional(),
  response: credentialIn().optional(),
};

const confirmSession = contract({
  operationId: "confirmSession",
  at: "POST /session/confirm",
  tag,
  scope: "user",
  role: "viewer",
  summary: "Confirm your identity again",
  description:
    "Send a passkey (`response`, with the options of /sign-in/passkey/options), or the password. If an authenticator is set up, also send a code. The sign-in then counts as recent.",
  body: z.strictObject(proofFields).meta({ id: "ConfirmSessionRequest" }),
  reply: z.strictObject({ ok: okTrue }),
  errors: ["rate_limited"],
});

const setActiveTenant = contract({
  operationId: "setActiveTenant",
  at: "POST /active-tenant",
  tag,
  summary: "Switch to another tenant",
  description:
    "The user must be a member of the tenant. An operator who signed in within the last 15 minutes can act for any tenant for an hour: like an owner, but without access to secrets, payments and team. The tenant's audit log shows it.",
  scope: "user",
  role: "viewer",
  body: z.strictObject({ tenant_id: idIn("tenants") }).meta({ id: "ActiveTenantRequest" }),
  reply: okReply({ tenant: z.strictObject({ id: idOut("tenant"), name: z.string() }) }),
  errors: ["not_found"],
});

const stopActing = contract({
  operationId: "stopActing",
  at: "DELETE /active-tenant",
  tag,
  summary: "Stop acting for a tenant",
  description: "Returns to the first tenant of which the user is a member, if there is one.",
  scope: "user",
  role: "viewer",
  reply: z.strictObject({ ok: okTrue }),
});

const forgotPassword = contract({
  operationId: "forgotPassword",
  at: "POST /forgot-password",
  tag,
  summary: "Send a link to set a new password",
  description: "The response is the same if there is no such account.",
  open: true,
  body: z.strictObject({ email: emailIn() }).meta({ id: "ForgotPasswordRequest" }),
  reply: z.strictObject({ ok: okTrue }),
  errors: ["rate_limited"],
});

const getResetLink = contract({
  operationId: "getResetLink",
  at: "GET /reset-password",
  tag,
  summary: "Check whether a password link is valid",
  open: true,
  query: linkTokenQuery(),
  reply: okReply({ link: linkOut }),
  errors: ["rate_limited"],
});

const resetPassword = contract({
  operationId: "resetPassword",
  at: "POST /reset-password",
  tag,
  summary: "Set a new password with a link, and end all sessions of the user",
  open: true,
  body: z
    .strictObject({ token: linkToken(), password: newPassword() })
    .meta({ id: "ResetPasswordRequest" }),
  reply: okReply({
    passkeys: shown(z.array(z.string()), "Names of the user's passkeys. They stay valid.", [
      "Laptop",
    ]),
  }),
  errors: ["not_found", "rate_limited"],
});

export const sessionContracts = [
  getSession,
  getOwnerLink,
  useOwnerLink,
  signIn,
  signInTotp,
  passkeySignInOptions,
  signInPasskey,
  signInLink,
  signOut,
  confirmSession,
  setActiveTenant,
  stopActing,
  forgotPassword,
  getResetLink,
  resetPassword,
];

const linkView = (link: OneTimeLink | null) => ({
  ok: true as const,
  link: { valid: link !== null, expires_at: link && isoUtc(link.expiresAt) },
});

function sessionParts({ dependencies, settings }: RouteContext) {
  const { identity, log } = dependencies;
  const { setup, signIn: signInService, account, team, sessions, passkeys } = identity;
  async function view(session: ActiveSession) {
    const { user, tenant, role } = session;
    const memberships = await team.membershipsOf(user.id);
    return {
      user: {
        id: user.id,
        name: user.name,
        email: user.email,
        locale: user.locale,
        totp_enabled: user.totpSealed !== null,
        passkeys: (await passkeys.list(user.id)).length,
      },
      tenant: tenant && { id: tenant.id, name: tenant.name, time_zone: tenant.timeZone },
      role,
      operator: user.operator,
      acting_until: isoOrNull(session.actingUntil),
      second_factor_needed: lacksSecondFactor(session),
      recent_until: isoUtc(session.signedInAt + RECENT_SIGN_IN_MS),
      tenants: memberships.map(({ tenantId, tenantName, role: own }) => ({
        id: tenantId,
        name: tenantName,
        role: own,
      })),
    };
  }
  return { settings, setup, view, identity, signInService, sessions, passkeys, account, log };
}

type Parts = ReturnType<typeof sessionParts>;

const firstVisitRoutes = ({ settings, setup, view }: Parts): Route[] => [
  route(getSession)(async ({ session }) => ({
    ok: true,
    session: session && (await view(session)),
    setup_needed: await setup.needed(),
    version: settings.version,
  })),
  route(getOwnerLink)(async (request) => linkView(await setup.peekOwnerLink(linkTokenOf(request)))),
  route(useOwnerLink)(async ({ body, browser }) =>
    welcome(browser, await setup.becomeOwner(body, visitorOf(browser))),
  ),
];

const signInRoutes = ({ identity, signInService, sessions, passkeys }: Parts): Route[] => [
  route(signIn)(async ({ body, browser }) => {
    browser.about(await identity.audit.actorOf(body.email));
    return welcome(
      browser,
      await signInService.byPassword(body.email, body.password, visitorOf(browser)),
    );
  }),
  route(signInTotp)(async ({ body, browser }) => {
    const begun = browser.token === null ? null : await sessions.find(browser.token);
    if (begun) browser.about(await identity.audit.actorOf(begun.user.email));
    return welcome(browser, await signInService.byCode(body.code, visitorOf(browser)));
  }),
  route(passkeySignInOptions)(async ({ browser }) => ({
    ok: true,
    options: { ...(await passkeys.signInOptions(browser.origin)) },
  })),
  route(signInPasskey)(async ({ body, browser }) =>
    welcome(
      browser,
      await signInService.byPasskey(body.response, browser.origin, visitorOf(browser)),
    ),
  ),
  route(signInLink)(async ({ body, browser }) =>
    welcome(browser, await signInService.byLink(body.token, visitorOf(browser))),
  ),
];

const signedInRoutes = ({ account, sessions, identity }: Parts): Route[] => [
  route(signOut)(async ({ browser, session }) => {
    if (session) await noteLeaving(identity, browser, session);
    if (browser.token !== null) await sessions.end(browser.token);
    browser.setSessionToken("");
    return { ok: true };
  }),
  route(confirmSession)(async (request) => {
    await account.confirm(currentUserOf(request), proofOf(request));
    return { ok: true };
  }),
  route(setActiveTenant)(async (request) => {
    const { body, browser } = request;
    const session = sessionOf(request);
    const { id, name, actingUntil } = await sessions.enter(session, body.tenant_id);
    if (session.tenant?.id !== id) await noteLeaving(identity, browser, session);
    const token = browser.token && (await sessions.rotate(session, browser.token));
    if (token) browser.setSessionToken(token);
    browser.about({
      userId: session.user.id,
      email: session.user.email,
      tenantId: id,
      ...(actingUntil !== null && { details: { actingUntil } }),
    });
    return { ok: true, tenant: { id, name } };
  }),
  route(stopActing)(async (request) => {
    const { browser } = request;
    const session = sessionOf(request);
    if (session.actingUntil !== null) await sessions.stopActing(session);
    browser.about({
      userId: session.user.id,
      email: session.user.email,
      tenantId: session.tenant?.id ?? null,
    });
    return { ok: true };
  }),
];

/** Audit log entry for an operator whose impersonation ends by a sign-out or a new sign-in. */
async function noteLeaving({ audit }: Identity, { source }: Browser, session: ActiveSession) {
  const { user, tenant, actingUntil } = session;
  if (actingUntil === null || !tenant) return;
  await audit.write({
    tenantId: tenant.id,
    userId: user.id,
    userEmail: user.email,
    ip: source.ip,
    action: "stopActing",
    target: "/active-tenant",
    outcome: "done",
  });
}

const passwordRoutes = ({ identity, log, account }: Parts): Route[] => [
  route(forgotPassword)(async ({ body, browser }) => {
    browser.about(await identity.audit.actorOf(body.email));
    const { mailed } = await account.forgotPassword(body.email, browser.source);
    mailed.catch((error: unknown) =>
      log.error("identity.reset_not_mailed", { error: String(error) }),
    );
    return { ok: true };
  }),
  route(getResetLink)(async (request) =>
    linkView(await account.peekResetLink(linkTokenOf(request))),
  ),
  route(resetPassword)(async ({ body, browser }) => {
    const { user, passkeys } = await account.resetPassword(body.token, body.password);
    browser.about(await identity.audit.actorOf(user.email));
    return { ok: true, passkeys: [...passkeys] };
  }),
];

export const sessionRoutes = (context: RouteContext): Route[] => {
  const parts = sessionParts(context);
  return [
    ...firstVisitRoutes(parts),
    ...signInRoutes(parts),
    ...signedInRoutes(parts),
    ...passwordRoutes(parts),
  ];
};
