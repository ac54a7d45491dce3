/** Signing in and out. What a session may do afterwards is not decided here. */
import { isoUtc } from "../../../../core/clock.ts";
import { type ActiveSession, RECENT_SIGN_IN_MS } from "../../../../domain/identity/sessions.ts";
import type { OneTimeLink } from "../../../../domain/identity/stores.ts";
import { type Route, route } from "../../contract.ts";
import type { RouteContext } from "../../routes/context.ts";
import { lacksSecondFactor } from "../../session/rights.ts";
import * as contracts from "../contracts/session.ts";
import { currentUserOf, linkTokenOf, proofOf, sessionOf, visitorOf, welcome } from "./signed-in.ts";

const linkView = (link: OneTimeLink | null) => ({
  ok: true as const,
  link: { valid: link !== null, expires_at: link && isoUtc(link.expiresAt) },
});

function sessionParts({ dependencies, settings }: RouteContext) {
  const { identity, log } = dependencies;
  const { setup, signIn, account, team, sessions, passkeys } = identity;
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
      tenant: tenant && { id: tenant.id, name: tenant.name },
      role,
      operator: user.operator,
      second_factor_needed: lacksSecondFactor(session),
      recent_until: isoUtc(session.signedInAt + RECENT_SIGN_IN_MS),
      tenants: memberships.map(({ tenantId, tenantName, role: own }) => ({
        id: tenantId,
        name: tenantName,
        role: own,
      })),
    };
  }
  return { settings, setup, view, identity, signIn, sessions, passkeys, account, log };
}

type Parts = ReturnType<typeof sessionParts>;

const firstVisitRoutes = ({ settings, setup, view }: Parts): Route[] => [
  route(contracts.getSession)(async ({ session }) => ({
    ok: true,
    session: session && (await view(session)),
    setup_needed: await setup.needed(),
    version: settings.version,
  })),
  route(contracts.getOwnerLink)(async (request) =>
    linkView(await setup.peekOwnerLink(linkTokenOf(request))),
  ),
  route(contracts.useOwnerLink)(async ({ body, browser }) =>
    welcome(browser, await setup.becomeOwner(body, visitorOf(browser))),
  ),
];

const signInRoutes = ({ identity, signIn, sessions, passkeys }: Parts): Route[] => [
  route(contracts.signIn)(async ({ body, browser }) => {
    browser.about(await identity.audit.actorOf(body.email));
    return welcome(browser, await signIn.byPassword(body.email, body.password, visitorOf(browser)));
  }),
  route(contracts.signInTotp)(async ({ body, browser }) => {
    const begun = browser.token === null ? null : await sessions.find(browser.token);
    if (begun) browser.about(await identity.audit.actorOf(begun.user.email));
    return welcome(browser, await signIn.byCode(body.code, visitorOf(browser)));
  }),
  route(contracts.passkeySignInOptions)(async ({ browser }) => ({
    ok: true,
    options: { ...(await passkeys.signInOptions(browser.origin)) },
  })),
  route(contracts.signInPasskey)(async ({ body, browser }) =>
    welcome(browser, await signIn.byPasskey(body.response, browser.origin, visitorOf(browser))),
  ),
  route(contracts.signInLink)(async ({ body, browser }) =>
    welcome(browser, await signIn.byLink(body.token, visitorOf(browser))),
  ),
];

const signedInRoutes = ({ account, sessions }: Parts): Route[] => [
  route(contracts.signOut)(async ({ browser }) => {
    if (browser.token !== null) await sessions.end(browser.token);
    browser.setSessionToken("");
    return { ok: true };
  }),
  route(contracts.confirmSession)(async (request) => {
    await account.confirm(currentUserOf(request), proofOf(request));
    return { ok: true };
  }),
  route(contracts.setActiveTenant)(async (request) => {
    const { body, browser } = request;
    const session = sessionOf(request);
    const { id, name } = await sessions.enter(session, body.tenant_id);
    const token = browser.token && (await sessions.rotate(session, browser.token));
    if (token) browser.setSessionToken(token);
    browser.about({ userId: session.user.id, email: session.user.email, tenantId: id });
    return { ok: true, tenant: { id, name } };
  }),
];

const passwordRoutes = ({ identity, log, account }: Parts): Route[] => [
  route(contracts.forgotPassword)(async ({ body, browser }) => {
    browser.about(await identity.audit.actorOf(body.email));
    const { mailed } = await account.forgotPassword(body.email, browser.source);
    mailed.catch((error: unknown) =>
      log.error("identity.reset_not_mailed", { error: String(error) }),
    );
    return { ok: true };
  }),
  route(contracts.getResetLink)(async (request) =>
    linkView(await account.peekResetLink(linkTokenOf(request))),
  ),
  route(contracts.resetPassword)(async ({ body, browser }) => {
    const user = await account.resetPassword(body.token, body.password);
    browser.about(await identity.audit.actorOf(user.email));
    return { ok: true };
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
