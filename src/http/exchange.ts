/** What is known about one request while it is answered, and how its answer is written. */

import type { ActiveSession } from "../identity/sessions.ts";
import type { KeyLimits } from "../tenant/key-limits.ts";
import type { RateVerdict } from "./ports.ts";
import type { Problem } from "./problem.ts";
import { setCookie } from "./session/cookie.ts";
import type { Origins } from "./session/source.ts";

export interface Exchange {
  readonly requestId: string;
  readonly path: string;
  readonly search: string;
  readonly startedAt: number;
  tenantId: number;
  keyId: number;
  /** Of the key it came with. */
  keyLimits: KeyLimits;
  rate: RateVerdict | null;
  /** Set for what a browser may have sent with a cookie: where it came from and reached us. */
  origins: Origins | null;
  userAgent: string;
  session: ActiveSession | null;
  /** The cookie's token, whatever it is worth. */
  token: string | null;
  /** Goes out with the answer: a new token, or "" to take the cookie away. */
  newToken: string | null;
  /** Whom an open route turned out to be about, for the audit log. */
  actor: Actor | null;
}

/** A person who is signing in: known by id, or by what was typed. */
export interface Actor {
  readonly userId: number | null;
  readonly email: string | null;
  readonly tenantId: number | null;
}

const HALF_A_YEAR_SEC = 15_552_000;

/** Nothing of an answer to a browser's session may be framed, embedded or kept. */
const BROWSER_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  vary: "Cookie, Sec-Fetch-Site",
};

const SANE_REQUEST_ID = /^[\w.:~-]{1,128}$/;

/** The caller's own id, if it sent a sane one. */
export const saneRequestId = (sent: string | null): string | null =>
  sent !== null && SANE_REQUEST_ID.test(sent) ? sent : null;

/** Splits without the cost and the failures of `new URL`. */
export function splitUrl(url: string): { path: string; search: string } {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return { path: "/", search: "" };
  const mark = url.indexOf("?", start);
  return mark < 0
    ? { path: url.slice(start), search: "" }
    : { path: url.slice(start, mark), search: url.slice(mark + 1) };
}

export function headersOf(exchange: Exchange, contentType: string): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": contentType,
    "x-request-id": exchange.requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  if (exchange.origins) {
    Object.assign(headers, BROWSER_HEADERS);
    if (exchange.origins.own.startsWith("https://"))
      headers["strict-transport-security"] = `max-age=${HALF_A_YEAR_SEC}`;
    if (exchange.newToken !== null)
      headers["set-cookie"] = setCookie(exchange.newToken, exchange.origins.secure);
  }
  if (exchange.rate) {
    headers["ratelimit-limit"] = String(exchange.rate.limit);
    headers["ratelimit-remaining"] = String(exchange.rate.remaining);
    headers["ratelimit-reset"] = String(exchange.rate.resetSec);
  }
  return headers;
}

const JSON_TYPE = "application/json; charset=utf-8";

export function jsonResponse(exchange: Exchange, status: number, json: string): Response {
  return new Response(json, { status, headers: headersOf(exchange, JSON_TYPE) });
}

/** `retry-after` of 429 is the specification's 60 seconds where nothing else is known. */
export function problemResponse(
  exchange: Exchange,
  problem: Problem,
  extra: Readonly<Record<string, string>> = {},
): Response {
  const headers = { ...headersOf(exchange, JSON_TYPE), ...extra };
  if (problem.status === 429) headers["retry-after"] = String(problem.retryAfterSec ?? 60);
  if (problem.status === 503) headers["retry-after"] = "5";
  if (problem.status === 413) headers.connection = "close";
  return new Response(problemJson(exchange, problem), { status: problem.status, headers });
}

export const problemJson = (exchange: Exchange, problem: Problem): string =>
  JSON.stringify({
    ok: false,
    error: problem.error,
    message: problem.message,
    field: problem.field,
    request_id: exchange.requestId,
  });

/** A handler's own Response gets the headers that every answer has. */
export function withCommonHeaders(exchange: Exchange, response: Response): Response {
  for (const [name, value] of Object.entries(headersOf(exchange, "")))
    if (!response.headers.has(name) && value !== "") response.headers.set(name, value);
  return response;
}
