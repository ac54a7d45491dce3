/** Retry-After (RFC 3261 20.33). */
import type { SipResponse } from "./message.ts";

/** Milliseconds, without a limit: the caller must apply one. Null if the header is missing. */
export function retryAfterMs({ headers }: SipResponse): number | null {
  const seconds = /^\s*(\d{1,9})/.exec(headers.get("retry-after") ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}
