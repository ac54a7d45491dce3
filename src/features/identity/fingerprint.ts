/**
 * A user's fingerprint in the journal of revocations: keyed, so that the journal identifies nobody.
 */
import { createHash, createHmac } from "node:crypto";

/** For `vault.lastingKey`: does not change when the purpose root is replaced. */
const PEOPLE_PURPOSE = "revocation: people";

/** Fingerprint of the address as stored (lower case). */
export function userFingerprintOf(vault: {
  lastingKey(purpose: string): Uint8Array;
}): (email: string) => string {
  const key = vault.lastingKey(PEOPLE_PURPOSE);
  return (email) => createHmac("sha256", key).update(email).digest("base64url");
}

export const credentialHash = (credentialId: string): string =>
  createHash("sha256").update(credentialId).digest("base64url");
