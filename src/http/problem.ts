/** Error responses (decisions 2). Internal details go to the log, never over the wire. */
import { AppError, type ErrorCode } from "../core/errors.ts";
import type { MessageName, MessageReason } from "../core/message-reasons.ts";

const STATUS: Readonly<Record<string, number>> = {
  invalid_json: 400,
  unknown_field: 400,
  unauthorized: 401,
  forbidden: 403,
  insufficient_scope: 403,
  insufficient_balance: 403,
  plan_limit_reached: 403,
  destination_not_allowed: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  rate_limited: 429,
  engine: 500,
  unavailable: 503,
};

/** `valid_…_required` is 400. */
export const statusOf = (code: ErrorCode): number => STATUS[code] ?? 400;

export interface Problem {
  readonly status: number;
  readonly error: ErrorCode;
  readonly message: string;
  readonly field: string | null;
  /** Message id, so that the dashboard can translate it. */
  readonly messageName?: MessageName;
  /** For 429, if known. */
  readonly retryAfterSeconds?: number | null;
  /** Set for server faults, to be logged. */
  readonly cause: unknown;
}

/** Result codes of SQLite and its server that mean "storage unreachable" rather than a bug. */
const STORAGE =
  /^(SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY|NOTADB|CORRUPT)|STORE_UNREACHABLE)/;

export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof AppError) {
    const status = statusOf(thrown.code);
    return {
      status,
      error: thrown.code,
      message: thrown.publicMessage,
      field: thrown.field,
      messageName: thrown.messageName,
      retryAfterSeconds: thrown.retryAfterSeconds,
      cause: status >= 500 ? thrown : null,
    };
  }
  const trouble = storageTrouble(thrown);
  if (trouble !== null) {
    const isFull = trouble.startsWith("SQLITE_FULL");
    return {
      status: 503,
      error: "unavailable",
      message: isFull
        ? "The server's disk is full, so nothing can be stored. Ask the operator to free up space."
        : "The storage is out of reach. Try again in a few seconds.",
      field: null,
      messageName: isFull ? { reason: "disk_full" } : {},
      cause: thrown,
    };
  }
  return {
    status: 500,
    error: "engine",
    message: "Something failed on our side. Try again; if it persists, send us the request_id.",
    field: null,
    cause: thrown,
  };
}

/** Error code of SQLite or its server; null: the storage did not cause the error. */
function storageTrouble(thrown: unknown): string | null {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 4; depth++) {
    const code = (error as { code?: unknown }).code;
    if (typeof code === "string" && STORAGE.test(code)) return code;
    error = error.cause;
  }
  return null;
}

/** The same response for a missing, malformed, unknown or revoked key. */
export const unauthorized = () =>
  new AppError({
    code: "unauthorized",
    publicMessage:
      "Send a valid API key as `Authorization: Bearer lv_live_…` or `X-LV-Api-Key: lv_live_…`.",
  });

/** Response below /api/dashboard if the session is missing or invalid. */
export const signInNeeded = () =>
  new AppError({
    code: "unauthorized",
    reason: "signed_out",
    publicMessage: "You are not signed in.",
  });

export const forbidden = (publicMessage: string, reason?: MessageReason) =>
  new AppError({ code: "forbidden", publicMessage, reason });

/** Explains why a heavy request is refused after fewer requests. */
const countsAs = (weight: number): string =>
  weight <= 1 ? "" : ` This request counts as ${weight} of them.`;

export const tooManyRequests = (limit: number, resetSeconds: number, weight = 1) =>
  new AppError({
    code: "rate_limited",
    publicMessage: `More than ${limit} requests in a minute.${countsAs(weight)} Wait ${resetSeconds} seconds.`,
    retryable: true,
    retryAfterSeconds: resetSeconds,
  });

export const rateLimited = (limit: number, weight = 1) =>
  new AppError({
    code: "rate_limited",
    publicMessage: `More than ${limit} requests in a minute with this key.${countsAs(weight)} Wait 60 seconds, then back off exponentially.`,
    retryable: true,
  });

export const draining = () =>
  new AppError({
    code: "unavailable",
    publicMessage: "The appliance is shutting down. Try again in a few seconds.",
    retryable: true,
  });

export const unknownPath = () =>
  new AppError({
    code: "not_found",
    publicMessage: "Path not found. See /openapi.json for all routes.",
  });

export const methodNotAllowed = (allow: string) =>
  new AppError({
    code: "method_not_allowed",
    publicMessage: `This path does not support that method. Allowed: ${allow}.`,
  });

export const payloadTooLarge = (bytesMax: number) =>
  new AppError({
    code: "payload_too_large",
    publicMessage: `The request body is larger than ${bytesMax} bytes.`,
  });

export const invalidJson = (publicMessage: string) =>
  new AppError({ code: "invalid_json", publicMessage });
