/**
 * Reason for a provider's failure, and whether a retry may help. Messages are for the log: they
 * contain the service and its error, never a key.
 */
import { EngineFailure } from "../conversation/engine-port.ts";

export type FailureReason =
  /** Refused, unreachable, or no connection in time. */
  | "connect"
  /** Connected, but the first byte or the next one did not come in time. */
  | "timeout"
  /** The key is wrong or lacks a permission, or the account has no credit. */
  | "auth"
  /** The model does not exist, or the address is wrong. */
  | "not_found"
  | "rate_limited"
  /** 5xx, or an internal error of the provider. */
  | "server"
  /** The voice returned only silence. */
  | "silent"
  /** The provider rejects this request: a bad parameter, a tool's schema. */
  | "request"
  /** This request has more tokens than the model accepts. */
  | "too_long"
  /** The provider's policy forbids an answer. */
  | "policy"
  /** The answer does not follow the protocol, or broke off. */
  | "protocol";

/** A server's error message. */
export interface ErrorAnswer {
  readonly message: string;
  /** Such as `context_length_exceeded`; empty if missing. */
  readonly code: string;
  /** Field of the request with the error, such as `tools[0].function.parameters`. */
  readonly param: string;
}

interface FailureDetail {
  readonly part: EngineFailure["part"];
  readonly reason: FailureReason;
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly answer?: ErrorAnswer;
  readonly cause?: unknown;
}

/** Affects every call until the operator changes something. */
const LASTING: readonly FailureReason[] = ["auth", "not_found", "silent"];
/** Affects one request: the provider works for others. */
const OF_REQUEST: readonly FailureReason[] = ["request", "too_long", "policy"];

export class ProviderFailure extends EngineFailure {
  readonly reason: FailureReason;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  /** Full text, for parsing only: never logged. */
  readonly answer: ErrorAnswer | null;

  constructor({ part, reason, message, status, retryAfterMs, answer, cause }: FailureDetail) {
    super(part, message, { cause });
    this.name = "ProviderFailure";
    this.reason = reason;
    this.status = status ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
    this.answer = answer ?? null;
  }

  /** Lasts until the operator changes something. */
  get lasting(): boolean {
    return LASTING.includes(this.reason);
  }

  /** Shows nothing about the provider: other requests may succeed. */
  get ofRequest(): boolean {
    return OF_REQUEST.includes(this.reason);
  }
}

const DETAIL_CHARACTERS_MAX = 300;

/** A server's message, shortened and without anything that looks like a key. */
export function withoutSecrets(text: string, secrets: readonly (string | null)[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret) clean = clean.replaceAll(secret, "«key»");
  }
  return clean
    .replace(/\b(?:sk|pk|rk|key)-[\w*.-]{4,}/gi, "«key»")
    .replace(/\bBearer\s+[\w.~+/=-]+/gi, "Bearer «key»")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, DETAIL_CHARACTERS_MAX);
}
