/**
 * Signatures of deliveries (specification 6): HMAC-SHA-256 over `<unix>.<raw body>`, keyed with the
 * signing secret as text, sent as `X-LV-Signature: t=<unix>,v1=<hex>`.
 */
import { timingSafeEqual } from "node:crypto";

/** Receivers reject timestamps that are older or newer than this. */
export const TIMESTAMP_TOLERANCE_SECONDS = 300;

function digest(secret: string, unixSeconds: number, body: string): string {
  return new Bun.CryptoHasher("sha256", secret).update(`${unixSeconds}.${body}`).digest("hex");
}

export function signatureHeader(secret: string, unixSeconds: number, body: string): string {
  return `t=${unixSeconds},v1=${digest(secret, unixSeconds, body)}`;
}

const HEADER = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;

/**
 * The receiver's check: true for an unchanged body signed with this secret within the tolerance.
 */
export function verifySignature(
  secret: string,
  header: string,
  body: string,
  nowUnixSeconds: number,
): boolean {
  const match = HEADER.exec(header);
  if (!match?.[1] || !match[2]) return false;
  const signedAt = Number(match[1]);
  if (Math.abs(nowUnixSeconds - signedAt) > TIMESTAMP_TOLERANCE_SECONDS) return false;
  return timingSafeEqual(Buffer.from(match[2]), Buffer.from(digest(secret, signedAt, body)));
}
