/**
 * How a provider failed, and whether asking it again may help. Messages are for the log: they name
 * the service and what it said, never a key.
 */
import { EngineFailure } from "../../domain/conversation/engine-port.ts";

export type FailureReason =
  /** Refused, unreachable, or no connection in time. */
  | "connect"
  /** Connected, but the first byte or the next one did not come in time. */
  | "timeout"
  /** The key is wrong or may not, or the account has no credit. */
  | "auth"
  /** There is no such model, or nothing at the address. */
  | "not_found"
  | "rate_limited"
  /** 5xx, or an error the provider calls its own. */
  | "server"
  /** It refuses this request: a bad parameter, a tool's schema. */
  | "request"
  /** This request has more tokens than the model reads. */
  | "too_long"
  /** It will not speak about this. */
  | "policy"
  /** It answered something that is not the protocol, or broke off. */
  | "protocol";

/** What a server said when it refused. */
export interface ErrorAnswer {
  readonly message: string;
  /** Such as `context_length_exceeded`; empty: none was given. */
  readonly code: string;
  /** The field of the request that it is about, such as `tools[0].function.parameters`. */
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

/** The provider's own, for every call: nothing changes until the operator changes something. */
const LASTING: readonly FailureReason[] = ["auth", "not_found"];
/** One request's: the provider is well, and others get their answers. */
const OF_REQUEST: readonly FailureReason[] = ["request", "too_long", "policy"];

export class ProviderFailure extends EngineFailure {
  readonly reason: FailureReason;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  /** In full and for reading only: it never goes into a log. */
  readonly answer: ErrorAnswer | null;

  constructor({ part, reason, message, status, retryAfterMs, answer, cause }: FailureDetail) {
    super(part, message, { cause });
    this.name = "ProviderFailure";
    this.reason = reason;
    this.status = status ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
    this.answer = answer ?? null;
  }

  /** Nothing changes until the operator changes something. */
  get lasting(): boolean {
    return LASTING.includes(this.reason);
  }

  /** It says nothing about the provider: another request may well be answered. */
  get ofRequest(): boolean {
    return OF_REQUEST.includes(this.reason);
  }
}

const DETAIL_CHARACTERS_MAX = 300;

/** What a server said, cut short and without anything that looks like a key. */
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
