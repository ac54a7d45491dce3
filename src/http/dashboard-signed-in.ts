/** Finds the person behind a dashboard request, and responds to a sign-in. */

import type { CurrentUser, Proof } from "../features/identity/account.ts";
import type { ActiveSession } from "../features/identity/sessions.ts";
import type { SignedIn, Visitor } from "../features/identity/sign-in.ts";
import type { ApiRequest, Browser } from "./contract.ts";
import { LINK_TOKEN_HEADER } from "./dashboard-fields.ts";
import { signInNeeded } from "./problem.ts";

export const visitorOf = ({ source, token }: Browser): Visitor => ({ source, token });

/** The session of a request. Throws without one. */
export function sessionOf({ session }: Pick<ApiRequest, "session">): ActiveSession {
  if (!session) throw signInNeeded();
  return session;
}

/** Sets the cookie of the new session. */
export function welcome(browser: Browser, signedIn: SignedIn) {
  const { user, tenantId, token, next } = signedIn;
  browser.setSessionToken(token);
  browser.about({ userId: user.id, email: user.email, tenantId });
  return { ok: true as const, next };
}

/** The token of a one-time link; "" matches no link. */
export const linkTokenOf = (request: {
  readonly http: Request;
  readonly query: { readonly token?: string | undefined };
}): string => request.http.headers.get(LINK_TOKEN_HEADER) ?? request.query.token ?? "";

export function currentUserOf(request: Pick<ApiRequest, "session" | "browser">): CurrentUser {
  const { token, source } = request.browser;
  if (token === null) throw signInNeeded();
  return { session: sessionOf(request), token, source };
}

/** Proof of identity: password, code or passkey. */
export const proofOf = ({
  body,
  browser,
}: {
  readonly body: {
    readonly password?: string;
    readonly code?: string;
    readonly response?: unknown;
  };
  readonly browser: Browser;
}): Proof => ({
  password: body.password,
  code: body.code,
  passkey: body.response,
  origin: browser.origin,
});
