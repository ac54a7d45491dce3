/**
 * The error type that crosses module borders.
 *
 * `publicMessage` may be shown to the caller; `internal` and `cause` are for the log. They are
 * separate fields so that nothing internal leaks by accident. `code` is the stable machine name
 * (decisions 2).
 */
import type { MessageName } from "./message-reasons.ts";

export type ErrorCode =
  | `valid_${string}_required`
  | "invalid_json"
  | "unknown_field"
  | "unauthorized"
  | "forbidden"
  | "insufficient_scope"
  | "insufficient_balance"
  | "plan_limit_reached"
  | "destination_not_allowed"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "payload_too_large"
  | "rate_limited"
  | "engine"
  | "unavailable";

interface AppErrorDetail extends MessageName {
  readonly code: ErrorCode;
  /** Plain words with the remedy. Safe to show to anyone who may see the resource. */
  readonly publicMessage: string;
  /** The invalid body field or query parameter, if any. */
  readonly field?: string;
  /** For logs only. */
  readonly internal?: string;
  readonly cause?: unknown;
  /** True if the same request may succeed later. */
  readonly retryable?: boolean;
  /** Seconds to wait before a retry; for `rate_limited`. */
  readonly retryAfterSeconds?: number;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly publicMessage: string;
  readonly field: string | null;
  readonly messageName: MessageName;
  readonly internal: string | null;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;

  constructor(detail: AppErrorDetail) {
    super(detail.internal ?? detail.publicMessage, { cause: detail.cause });
    this.name = "AppError";
    this.code = detail.code;
    this.publicMessage = detail.publicMessage;
    this.field = detail.field ?? null;
    this.messageName = { reason: detail.reason, params: detail.params };
    this.internal = detail.internal ?? null;
    this.retryable = detail.retryable ?? false;
    this.retryAfterSeconds = detail.retryAfterSeconds ?? null;
  }
}

/**
 * A missing or invalid field: `valid_<field>_required`, with a message that lists the allowed
 * values.
 */
export function invalidField(
  field: string,
  publicMessage: string,
  name: MessageName = {},
): AppError {
  return new AppError({ code: `valid_${field}_required`, publicMessage, field, ...name });
}

/** Unknown ids and ids of other tenants get the same answer, so that ids cannot be probed. */
export function notFound(what: string): AppError {
  const publicMessage = `${what.slice(0, 1).toUpperCase()}${what.slice(1)} not found.`;
  return new AppError({ code: "not_found", publicMessage });
}

/** The current state does not allow it. The message names the state and the remedy. */
export const conflict = (publicMessage: string): AppError =>
  new AppError({ code: "conflict", publicMessage });

/** Marks code that is unreachable when every variant of a union is handled. */
export function unreachable(value: never): never {
  throw new Error(`unhandled variant: ${JSON.stringify(value)}`);
}

/**
 * A short text of any thrown value, for logs. For a failed query it is the database's message: the
 * query builder's message contains all values, including names and numbers of people.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOfQuery = "query" in error && "params" in error && error.cause instanceof Error;
  return isOfQuery ? describeError(error.cause) : error.message;
}
