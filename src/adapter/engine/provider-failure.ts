/**
 * How a provider failed, and whether asking it again may help. Messages are for the log: they name
 * the service and what it said, never a key.
 */
import { EngineFailure } from "../../domain/conversation/engine-port.ts";

type FailureReason =
  /** Refused, unreachable, or no connection in time. */
  | "connect"
  /** Connected, but the first byte or the next one did not come in time. */
  | "timeout"
  /** The key is wrong or may not. */
  | "auth"
  | "rate_limited"
  /** 5xx, or an error the provider calls its own. */
  | "server"
  /** It refuses what we ask: unknown model, bad parameter. */
  | "request"
  /** It answered something that is not the protocol, or broke off. */
  | "protocol";

interface FailureDetail {
  readonly part: EngineFailure["part"];
  readonly reason: FailureReason;
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Failures that a new attempt right away cannot fix. */
const LASTING: readonly FailureReason[] = ["auth", "request"];

export class ProviderFailure extends EngineFailure {
  readonly reason: FailureReason;
  readonly status: number | null;
  readonly retryAfterMs: number | null;

  constructor({ part, reason, message, status, retryAfterMs, cause }: FailureDetail) {
    super(part, message, { cause });
    this.name = "ProviderFailure";
    this.reason = reason;
    this.status = status ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
  }

  /** Nothing changes until the operator changes something. */
  get lasting(): boolean {
    return LASTING.includes(this.reason);
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
