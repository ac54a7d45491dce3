/** Retry-After (RFC 3261 20.33). */
import type { SipResponse } from "./message.ts";

/** Milliseconds, whatever their number: the caller bounds them. null: it says none. */
export function retryAfterMs({ headers }: SipResponse): number | null {
  const seconds = /^\s*(\d{1,9})/.exec(headers.get("retry-after") ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}
