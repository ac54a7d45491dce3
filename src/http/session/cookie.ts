/**
 * The session's cookie (RFC 6265, and 6265bis for the prefix). Over TLS and on loopback it is
 * `__Host-linevoice`: Secure, bound to this host and path `/`, and no other host can set it. Browsers reject
 * this name on plain HTTP under another host name, so it is `linevoice_session` there.
 */
const SECURE_COOKIE = "__Host-linevoice";
const PLAIN_COOKIE = "linevoice_session";

const DAY_SECONDS = 86_400;
/** Maximum lifetime of a session (identity/sessions.ts). */
const MAX_AGE_SECONDS = 14 * DAY_SECONDS;

export const cookieName = (secure: boolean): string => (secure ? SECURE_COOKIE : PLAIN_COOKIE);

/** The first cookie with that name; null: none. */
export function cookieOf(headers: Headers, name: string): string | null {
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

/** The header that sets the cookie; an empty token deletes it. */
export function setCookie(token: string, secure: boolean): string {
  const age = token === "" ? 0 : MAX_AGE_SECONDS;
  const parts = [`${cookieName(secure)}=${token}`, "Path=/", `Max-Age=${age}`, "HttpOnly"];
  if (secure) parts.push("Secure");
  return [...parts, "SameSite=Lax"].join("; ");
}
