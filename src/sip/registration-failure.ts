/** Reason for a failed registration, as text for the user, and the time of the next attempt. */
import type { Random } from "../core/random.ts";
import { retryAfterMs, type SipResponse } from "./message/index.ts";

/** After a permanent rejection: more frequent attempts could get us banned. */
const REJECTED_RETRY_MS = 600_000;
/** Minimum delay, even if the server keeps asking for 0. */
const REJECTED_RETRY_MS_MIN = 60_000;
/**
 * No response, or a server error: 2, 4, 8, … at most 45 s, so that we are registered again within
 * 60 s.
 */
const BACK_OFF_BASE_MS = 2000;
const BACK_OFF_MAX_MS = 45_000;
const RETRY_AFTER_MAX_MS = 3_600_000;

const REJECTIONS: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 416, 420, 423]);

/** Milliseconds until the next attempt; `response` is null if there was none. */
export function retryDelayMs(
  response: SipResponse | null,
  failuresBefore: number,
  random: Random,
): number {
  const isRejected = response !== null && REJECTIONS.has(response.statusCode);
  const stated = response && retryAfterMs(response);
  if (stated !== null) {
    const leastMs = isRejected ? REJECTED_RETRY_MS_MIN : BACK_OFF_BASE_MS;
    return Math.min(Math.max(stated, leastMs), RETRY_AFTER_MAX_MS);
  }
  if (isRejected) return REJECTED_RETRY_MS * (0.9 + 0.2 * random.float());
  const doubled = BACK_OFF_BASE_MS * 2 ** Math.min(failuresBefore, 10);
  return Math.min(doubled, BACK_OFF_MAX_MS) * (0.75 + 0.25 * random.float());
}

/** Different from a wrong password: another password would not help. */
export const explainUnknownChallenge = (asked: string): string =>
  `The provider requires a type of authentication that a trunk does not support (${asked}). Ask the provider for digest authentication with MD5, SHA-256 or SHA-512-256.`;

export const ENDED_AT_ONCE =
  "The provider accepted the registration but ended it at once (expires=0). Check whether another device uses the account, or ask the provider.";

export function explainRegistrationFailure(code: number | null, server: string): string {
  switch (code) {
    case null:
      return `${server} does not answer. Check the server name, port and firewall.`;
    case 401:
    case 407:
      return "The provider refused the user name or password. Check both, and the realm.";
    case 403:
      return "The provider does not allow this account to register. Check the user name and password, or ask the provider whether the account is locked.";
    case 404:
      return "The provider does not know this user name. Check it, and the server name.";
    case 423:
      return "The provider requires a longer registration time than the allowed maximum. Ask the provider.";
    case 503:
      return "The provider's server is overloaded or under maintenance. Linevoice will retry.";
    default:
      return code >= 500
        ? `The provider's server failed with code ${code}. Linevoice will retry.`
        : `The provider refused the registration with code ${code}. Ask the provider why.`;
  }
}
