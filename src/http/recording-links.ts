/**
 * Signed links to recordings (decisions 6): HMAC-SHA-256 over call and expiry. The key is derived from the
 * appliance's root secret, so webhooks, mails and the API can create links that the HTTP server accepts.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../core/clock.ts";

const VALID_MS = 15 * 60_000;
export const RECORDING_LINK_PURPOSE = "recording-links";

export interface RecordingLinks {
  /** Default validity of a link. */
  readonly validMs: number;
  /** `validMs`: default 15 minutes. No link opens a deleted recording. */
  urlFor(
    callUuid: string,
    validMs?: number,
  ): { readonly url: string; readonly expiresAtMs: number };
  /** True for an unmodified link of this appliance that has not expired. */
  verify(callUuid: string, expiresUnix: number, signature: string): boolean;
}

/**
 * `key`: `vault.deriveKey(RECORDING_LINK_PURPOSE)`, read for each link. `publicUrl`: without a trailing
 * slash.
 */
export function createRecordingLinks(
  key: () => Uint8Array,
  publicUrl: () => string,
  clock: Clock,
): RecordingLinks {
  const sign = (callUuid: string, expiresUnix: number) =>
    createHmac("sha256", key()).update(`${callUuid}.${expiresUnix}`).digest("hex");

  return {
    validMs: VALID_MS,
    urlFor(callUuid, validMs = VALID_MS) {
      const expiresUnix = Math.floor((clock.now() + validMs) / 1000);
      const query = `expires=${expiresUnix}&signature=${sign(callUuid, expiresUnix)}`;
      return {
        url: `${publicUrl()}/api/v1/recordings/${callUuid}?${query}`,
        expiresAtMs: expiresUnix * 1000,
      };
    },
    verify(callUuid, expiresUnix, signature) {
      if (!Number.isSafeInteger(expiresUnix) || expiresUnix * 1000 <= clock.now()) return false;
      const expected = Buffer.from(sign(callUuid, expiresUnix));
      const sent = Buffer.from(signature);
      return sent.length === expected.length && timingSafeEqual(sent, expected);
    },
  };
}
