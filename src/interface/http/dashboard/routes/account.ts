/** A person's own account. */
import { isoUtc } from "../../../../core/clock.ts";
import type { Passkey } from "../../../../domain/identity/stores.ts";
import { type ApiRequest, type Browser, type Route, route } from "../../contract.ts";
import type { RouteContext } from "../../routes/context.ts";
import { isoOrNull } from "../../routes/present.ts";
import * as contracts from "../contracts/account.ts";
import { currentUserOf, proofOf, sessionOf } from "./signed-in.ts";

type Handler<Request, Reply> = (request: Request) => Promise<Reply>;

const keep = (browser: Browser, token: string | null): void => {
  if (token !== null) browser.setSessionToken(token);
};

const passkeyView = ({ id, name, createdAt, lastUsedAt }: Passkey) => ({
  id,
  name,
  created_at: isoUtc(createdAt),
  last_used_at: isoOrNull(lastUsedAt),
});

function accountParts({ dependencies }: RouteContext) {
  const { account, passkeys, secondFactor, sessions } = dependencies.identity;
  /** For what makes another way into the account, or takes one away. */
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
  route(contracts.updateProfile)(async (request) => {
    await account.updateProfile(sessionOf(request).user.id, request.body);
    return { ok: true };
  }),
  route(contracts.changePassword)(async (request) => {
    const { current, password } = request.body;
    keep(request.browser, await account.changePassword(currentUserOf(request), current, password));
    return { ok: true };
  }),
];

const secondFactorRoutes = ({ account, secondFactor, afresh }: Parts): Route[] => [
  route(contracts.beginTotp)(
    afresh(async (request) => {
      const { secret, otpauthUri } = await secondFactor.begin(sessionOf(request).user.id);
      return { ok: true, secret, otpauth_uri: otpauthUri };
    }),
  ),
  route(contracts.confirmTotp)(
    afresh(async (request) => {
      const on = await account.confirmTotp(currentUserOf(request), request.body.code);
      keep(request.browser, on.token);
      return { ok: true, recovery_codes: on.recoveryCodes };
    }),
  ),
  route(contracts.disableTotp)(
    afresh(async (request) => {
      keep(request.browser, await account.disableTotp(currentUserOf(request), proofOf(request)));
      return { ok: true };
    }),
  ),
];

const passkeyRoutes = ({ account, passkeys, afresh }: Parts): Route[] => [
  route(contracts.listPasskeys)(async (request) => ({
    ok: true,
    passkeys: (await passkeys.list(sessionOf(request).user.id)).map(passkeyView),
  })),
  route(contracts.passkeyOptions)(
    afresh(async (request) => {
      const { user } = sessionOf(request);
      const options = await passkeys.registrationOptions(user, request.browser.origin);
      return { ok: true, options: { ...options } };
    }),
  ),
  route(contracts.addPasskey)(
    afresh(async (request) => {
      const { name, response } = request.body;
      const { origin } = request.browser;
      const made = await account.addPasskey(currentUserOf(request), name, response, origin);
      return { ok: true, passkey: passkeyView(made) };
    }),
  ),
  route(contracts.removePasskey)(
    afresh(async (request) => {
      const { id } = request.params;
      await passkeys.remove(sessionOf(request).user.id, id);
      return { ok: true, id, deleted: true };
    }),
  ),
];

const ownSessionRoutes = ({ sessions }: Parts): Route[] => [
  route(contracts.listSessions)(async (request) => {
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
  route(contracts.endSession)(async (request) => {
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
