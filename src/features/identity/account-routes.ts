/** A person's own account: profile, password, second factor, passkeys, sessions. */

import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { type ApiRequest, type Browser, contract, type Route, route } from "../../http/contract.ts";
import {
  choice,
  deletedReply,
  field,
  idOut,
  nameIn,
  okReply,
  okTrue,
  shown,
  timeOut,
} from "../../http/contracts/schema.ts";
import {
  givenPassword,
  isoOrNullOut,
  newPassword,
  personName,
} from "../../http/dashboard-fields.ts";
import { currentUserOf, proofOf, sessionOf } from "../../http/dashboard-signed-in.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { isoOrNull } from "../../http/route-present.ts";
import { credentialIn, credentialOptions, proofFields } from "./session-routes.ts";
import type { Passkey as PasskeyRecord } from "./stores.ts";

const tag = "Account";
/** Routes about the person, independent of the active tenant. */
const own = { tag, scope: "user", role: "viewer" } as const;
const done = z.strictObject({ ok: okTrue });

const updateProfile = contract({
  operationId: "updateProfile",
  at: "POST /profile",
  ...own,
  summary: "Change your name or language",
  body: z
    .strictObject({
      name: personName().optional(),
      locale: choice(["en", "lt", "lv", "ru"], "Language of the dashboard.", "lt").optional(),
    })
    .meta({ id: "ProfileRequest" }),
  reply: done,
});

const changePassword = contract({
  operationId: "changePassword",
  at: "POST /password",
  ...own,
  summary: "Change your password and end all other sessions",
  body: z
    .strictObject({ current: givenPassword("Current password."), password: newPassword() })
    .meta({ id: "PasswordRequest" }),
  reply: done,
  errors: ["rate_limited"],
});

const beginTotp = contract({
  operationId: "beginTotp",
  at: "POST /totp/begin",
  ...own,
  summary: "Start to set up an authenticator app",
  reply: okReply({
    secret: shown(z.string(), "Secret to type in, in Base32.", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"),
    otpauth_uri: shown(z.string(), "URI for the QR code."),
  }),
  errors: ["conflict"],
});

const confirmTotp = contract({
  operationId: "confirmTotp",
  at: "POST /totp/confirm",
  ...own,
  summary: "Switch on the second factor with a first code",
  body: z
    .strictObject({
      code: field(
        z
          .string()
          .trim()
          .regex(/^\d{6}$/),
        {
          description: "Code that the authenticator shows.",
          example: "492039",
          must: "be the six digits that the authenticator shows now",
        },
      ),
    })
    .meta({ id: "ConfirmTotpRequest" }),
  reply: okReply({
    recovery_codes: shown(
      z.array(z.string()),
      "Ten recovery codes. Each works once. Shown only in this response.",
    ),
  }),
  errors: ["conflict", "rate_limited"],
});

const disableTotp = contract({
  operationId: "disableTotp",
  at: "POST /totp/disable",
  ...own,
  summary: "Switch off the second factor",
  description:
    "Needs the password and also a code of the authenticator, a recovery code or a passkey.",
  body: z
    .strictObject({ ...proofFields, password: givenPassword() })
    .meta({ id: "DisableTotpRequest" }),
  reply: done,
  errors: ["rate_limited"],
});

const Passkey = z
  .strictObject({
    id: idOut("passkey"),
    name: z.string(),
    created_at: timeOut("Time of registration."),
    last_used_at: isoOrNullOut("Time of the last use. `null` if it was never used."),
  })
  .meta({ id: "Passkey" });

const listPasskeys = contract({
  operationId: "listPasskeys",
  at: "GET /passkeys",
  ...own,
  summary: "One's passkeys",
  reply: okReply({ passkeys: z.array(Passkey) }),
});

const passkeyOptions = contract({
  operationId: "passkeyOptions",
  at: "POST /passkeys/options",
  ...own,
  summary: "Start to register a passkey",
  reply: okReply({ options: credentialOptions }),
  errors: ["plan_limit_reached"],
});

const addPasskey = contract({
  operationId: "addPasskey",
  at: "POST /passkeys",
  ...own,
  summary: "Register a passkey",
  body: z
    .strictObject({
      name: nameIn(60, "Name of the passkey, of your choice.", "Office laptop"),
      response: credentialIn(),
    })
    .meta({ id: "NewPasskeyRequest" }),
  reply: okReply({ passkey: Passkey }),
  errors: ["conflict", "plan_limit_reached"],
});

const removePasskey = contract({
  operationId: "removePasskey",
  at: "DELETE /passkeys/{id}",
  noun: "passkey",
  ...own,
  summary: "Remove a passkey",
  reply: deletedReply(),
});

const listSessions = contract({
  operationId: "listSessions",
  at: "GET /sessions",
  ...own,
  summary: "List your sessions",
  reply: okReply({
    sessions: z.array(
      z
        .strictObject({
          id: idOut("session"),
          current: shown(z.boolean(), "Whether this is the current session.", true),
          ip: shown(z.string(), "Address of the last request.", "192.0.2.7"),
          user_agent: z.string(),
          method: shown(
            z.enum(["password", "passkey", "link"]),
            "Method of the sign-in.",
            "password",
          ),
          created_at: timeOut("Time of the sign-in."),
          last_seen_at: timeOut("Time of the last request."),
          expires_at: timeOut("Time when the session expires."),
        })
        .meta({ id: "SessionEntry" }),
    ),
  }),
});

const endSession = contract({
  operationId: "endSession",
  at: "DELETE /sessions/{id}",
  noun: "session",
  ...own,
  summary: "End a session at once",
  reply: deletedReply(),
});

export const accountContracts = [
  updateProfile,
  changePassword,
  beginTotp,
  confirmTotp,
  disableTotp,
  listPasskeys,
  passkeyOptions,
  addPasskey,
  removePasskey,
  listSessions,
  endSession,
];

type Handler<Request, Reply> = (request: Request) => Promise<Reply>;

const keep = (browser: Browser, token: string | null): void => {
  if (token !== null) browser.setSessionToken(token);
};

const passkeyView = ({ id, name, createdAt, lastUsedAt }: PasskeyRecord) => ({
  id,
  name,
  created_at: isoUtc(createdAt),
  last_used_at: isoOrNull(lastUsedAt),
});

function accountParts({ dependencies }: RouteContext) {
  const { account, passkeys, secondFactor, sessions } = dependencies.identity;
  /** Wrapper for routes that add or remove a sign-in method: requires a recent sign-in. */
  const afresh =
    <Request extends Pick<ApiRequest, "session">, Reply>(handle: Handler<Request, Reply>) =>
    async (request: Request): Promise<Reply> => {
      sessions.requireRecent(sessionOf(request));
      return await handle(request);
    };
  return { account, secondFactor, afresh, passkeys, sessions };
}

type Parts = ReturnType<typeof accountParts>;

const profileRoutes = ({ account }: Parts): Route[] => [
  route(updateProfile)(async (request) => {
    await account.updateProfile(sessionOf(request).user.id, request.body);
    return { ok: true };
  }),
  route(changePassword)(async (request) => {
    const { current, password } = request.body;
    keep(request.browser, await account.changePassword(currentUserOf(request), current, password));
    return { ok: true };
  }),
];

const secondFactorRoutes = ({ account, secondFactor, afresh }: Parts): Route[] => [
  route(beginTotp)(
    afresh(async (request) => {
      const { secret, otpauthUri } = await secondFactor.begin(sessionOf(request).user.id);
      return { ok: true, secret, otpauth_uri: otpauthUri };
    }),
  ),
  route(confirmTotp)(
    afresh(async (request) => {
      const on = await account.confirmTotp(currentUserOf(request), request.body.code);
      keep(request.browser, on.token);
      return { ok: true, recovery_codes: on.recoveryCodes };
    }),
  ),
  route(disableTotp)(
    afresh(async (request) => {
      keep(request.browser, await account.disableTotp(currentUserOf(request), proofOf(request)));
      return { ok: true };
    }),
  ),
];

const passkeyRoutes = ({ account, passkeys, afresh }: Parts): Route[] => [
  route(listPasskeys)(async (request) => ({
    ok: true,
    passkeys: (await passkeys.list(sessionOf(request).user.id)).map(passkeyView),
  })),
  route(passkeyOptions)(
    afresh(async (request) => {
      const { user } = sessionOf(request);
      const options = await passkeys.registrationOptions(user, request.browser.origin);
      return { ok: true, options: { ...options } };
    }),
  ),
  route(addPasskey)(
    afresh(async (request) => {
      const { name, response } = request.body;
      const { origin } = request.browser;
      const made = await account.addPasskey(currentUserOf(request), name, response, origin);
      return { ok: true, passkey: passkeyView(made) };
    }),
  ),
  route(removePasskey)(
    afresh(async (request) => {
      const { id } = request.params;
      await passkeys.remove(sessionOf(request).user.id, id);
      return { ok: true, id, deleted: true };
    }),
  ),
];

const ownSessionRoutes = ({ sessions }: Parts): Route[] => [
  route(listSessions)(async (request) => {
    const { user, id: current } = sessionOf(request);
    return {
      ok: true,
      sessions: (await sessions.list(user.id)).map((session) => ({
        id: session.id,
        current: session.id === current,
        ip: session.ip,
        user_agent: session.userAgent,
        method: session.method,
        created_at: isoUtc(session.createdAt),
        last_seen_at: isoUtc(session.lastSeenAt),
        expires_at: isoUtc(session.expiresAt),
      })),
    };
  }),
  route(endSession)(async (request) => {
    const { id } = request.params;
    const session = sessionOf(request);
    await sessions.revoke(session.user.id, id);
    if (session.id === id) request.browser.setSessionToken("");
    return { ok: true, id, deleted: true };
  }),
];

export const accountRoutes = (context: RouteContext): Route[] => {
  const parts = accountParts(context);
  return [
    ...profileRoutes(parts),
    ...secondFactorRoutes(parts),
    ...passkeyRoutes(parts),
    ...ownSessionRoutes(parts),
  ];
};
