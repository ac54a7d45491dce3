/** How a person stands in the journal of revocations: keyed, so that the journal names nobody. */
import { createHash, createHmac } from "node:crypto";

/** For `vault.lastingKey`: the same after the purposes' root was replaced. */
const PEOPLE_PURPOSE = "revocation: people";

/** Of the address as it is stored, lower case. */
export function userFingerprintOf(vault: {
  lastingKey(purpose: string): Uint8Array;
}): (email: string) => string {
  const key = vault.lastingKey(PEOPLE_PURPOSE);
  return (email) => createHmac("sha256", key).update(email).digest("base64url");
}

export const credentialHash = (credentialId: string): string =>
  createHash("sha256").update(credentialId).digest("base64url");
