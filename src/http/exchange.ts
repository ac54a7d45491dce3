/** What is known about one request while it is answered, and how its answer is written. */

import type { RateVerdict } from "./ports.ts";
import type { Problem } from "./problem.ts";

export interface Exchange {
  readonly requestId: string;
  readonly path: string;
  readonly search: string;
  readonly startedAt: number;
  tenantId: number;
  keyId: number;
  rate: RateVerdict | null;
}

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

/** `retry-after` of 429 is the specification's 60 seconds. */
export function problemResponse(
  exchange: Exchange,
  problem: Problem,
  extra: Readonly<Record<string, string>> = {},
): Response {
  const headers = { ...headersOf(exchange, JSON_TYPE), ...extra };
  if (problem.status === 429) headers["retry-after"] = "60";
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
