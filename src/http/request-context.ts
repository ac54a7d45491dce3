/** Context of one request during its processing, and response writing. */

import type { ActiveSession } from "../features/identity/sessions.ts";
import type { AuditDetails } from "../features/identity/stores.ts";
import type { KeyLimits } from "../features/key/key-limits.ts";
import type { RateLimitResult } from "./ports.ts";
import type { Problem } from "./problem.ts";
import { setCookie } from "./session/cookie.ts";
import type { Origins } from "./session/source.ts";

export interface RequestContext {
  readonly requestId: string;
  readonly path: string;
  readonly search: string;
  readonly startedAt: number;
  tenantId: number;
  keyId: number;
  /** Limits of the request's API key. */
  keyLimits: KeyLimits;
  rate: RateLimitResult | null;
  /** Client address and used host; set if a browser may have sent the request. */
  origins: Origins | null;
  userAgent: string;
  session: ActiveSession | null;
  /** Token of the cookie, not yet verified. */
  token: string | null;
  /** New token for the response's cookie; "" deletes the cookie. */
  newToken: string | null;
  /** Person that a request to an open route is about, for the audit log. */
  actor: Actor | null;
  /** Audit log details beyond operation and path. */
  details: AuditDetails | null;
  /** Resolves when the tenant may send another large body; rejects with rate_limited. */
  onLargeBody: () => Promise<void>;
  /** Rejects if the sender's key, session or rights have ended since the request began. */
  onLate: () => Promise<void>;
}

/** A person who signs in, identified by id or by the entered e-mail address. */
export interface Actor {
  readonly userId: number | null;
  readonly email: string | null;
  readonly tenantId: number | null;
  readonly details?: AuditDetails;
}

const HALF_A_YEAR_SECONDS = 15_552_000;

/** A response to a browser's session must not be framed, embedded or cached. */
const BROWSER_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  vary: "Cookie, Sec-Fetch-Site",
};

const SANE_REQUEST_ID = /^[\w.:~-]{1,128}$/;

/** The client's request id, if it is valid. */
export const saneRequestId = (sent: string | null): string | null =>
  sent !== null && SANE_REQUEST_ID.test(sent) ? sent : null;

/** Splits a URL. Unlike `new URL` it is cheap and never throws. */
export function splitUrl(url: string): { path: string; search: string } {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return { path: "/", search: "" };
  const mark = url.indexOf("?", start);
  return mark < 0
    ? { path: url.slice(start), search: "" }
    : { path: url.slice(start, mark), search: url.slice(mark + 1) };
}

function headersOf(requestContext: RequestContext, contentType: string): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": contentType,
    "X-Request-Id": requestContext.requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  if (requestContext.origins) {
    Object.assign(headers, BROWSER_HEADERS);
    if (requestContext.origins.own.startsWith("https://"))
      headers["strict-transport-security"] = `max-age=${HALF_A_YEAR_SECONDS}`;
    if (requestContext.newToken !== null)
      headers["set-cookie"] = setCookie(requestContext.newToken, requestContext.origins.secure);
  }
  if (requestContext.rate) {
    headers["RateLimit-Limit"] = String(requestContext.rate.limit);
    headers["RateLimit-Remaining"] = String(requestContext.rate.remaining);
    headers["RateLimit-Reset"] = String(requestContext.rate.resetSeconds);
  }
  return headers;
}

const JSON_TYPE = "application/json; charset=utf-8";

export function jsonResponse(
  requestContext: RequestContext,
  status: number,
  json: string,
  etag: string | null = null,
): Response {
  const headers = headersOf(requestContext, JSON_TYPE);
  if (etag !== null) headers.etag = etag;
  return new Response(json, { status, headers });
}

/** The client has this version already. */
export function notModifiedResponse(requestContext: RequestContext, etag: string): Response {
  const { "content-type": _, ...headers } = headersOf(requestContext, JSON_TYPE);
  return new Response(null, { status: 304, headers: { ...headers, etag } });
}

/** `Retry-After` of 429: the specification's 60 seconds if no other value is known. */
export function problemResponse(
  requestContext: RequestContext,
  problem: Problem,
  extra: Readonly<Record<string, string>> = {},
): Response {
  const headers = { ...headersOf(requestContext, JSON_TYPE), ...extra };
  // RFC 9110, 11.6.1.
  if (problem.status === 401) headers["WWW-Authenticate"] = "Bearer";
  if (problem.status === 429) headers["Retry-After"] = String(problem.retryAfterSeconds ?? 60);
  if (problem.status === 503) headers["Retry-After"] = "5";
  if (problem.status === 413) headers.connection = "close";
  return new Response(problemJson(requestContext, problem), { status: problem.status, headers });
}

export const problemJson = (requestContext: RequestContext, problem: Problem): string =>
  JSON.stringify({
    ok: false,
    error: problem.error,
    message: problem.message,
    field: problem.field,
    ...(requestContext.origins && problem.messageName),
    request_id: requestContext.requestId,
  });

/** Adds the common headers to a handler's Response. */
export function withCommonHeaders(requestContext: RequestContext, response: Response): Response {
  for (const [name, value] of Object.entries(headersOf(requestContext, "")))
    if (!response.headers.has(name) && value !== "") response.headers.set(name, value);
  return response;
}
