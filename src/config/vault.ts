/**
 * Sealing at rest: AES-256-GCM under the master key, with the row it belongs to as associated data,
 * so that a sealed value copied to another row or tenant does not open.
 *
 * Format: `v1.<nonce>.<ciphertext and tag>`, base64url. Purpose keys (signed links and the like)
 * come from the same master key by HKDF-SHA-256 (RFC 5869) and never leave the process.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const MASTER_KEY_BYTES = 32;

export interface Vault {
  /** `binding` names the row and column, e.g. `trunks:7:password`. */
  seal(plain: string, binding: string): string;
  /** Throws SealBroken when sealed under another key or for another row, or altered. */
  open(sealed: string, binding: string): string;
  /** 32 bytes for one purpose, stable while the master key is. */
  deriveKey(purpose: string): Uint8Array;
}

export class SealBroken extends Error {
  override readonly name = "SealBroken";
  constructor(binding: string, options?: ErrorOptions) {
    super(
      `The secret ${binding} does not open with this master key. Restore the master key the data was written with, or enter the secret anew.`,
      options,
    );
  }
}

/** Throws RangeError unless the key has 32 bytes. */
export function createVault(masterKey: Uint8Array): Vault {
  if (masterKey.length !== MASTER_KEY_BYTES)
    throw new RangeError(`the master key has ${masterKey.length} bytes instead of 32`);
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync("sha256", masterKey, "linevoice", purpose, MASTER_KEY_BYTES));
  const sealingKey = derive("seal");

  return {
    deriveKey: derive,

    seal(plain, binding) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", sealingKey, nonce).setAAD(Buffer.from(binding));
      const body = Buffer.concat([
        cipher.update(plain, "utf8"),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `${VERSION}.${nonce.toString("base64url")}.${body.toString("base64url")}`;
    },

    open(sealed, binding) {
      const [version, nonce, body] = sealed.split(".");
      const bytes = Buffer.from(body ?? "", "base64url");
      if (version !== VERSION || !nonce || bytes.length < TAG_BYTES) throw new SealBroken(binding);
      try {
        const decipher = createDecipheriv(
          "aes-256-gcm",
          sealingKey,
          Buffer.from(nonce, "base64url"),
        ).setAAD(Buffer.from(binding));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        const plain = decipher.update(bytes.subarray(0, -TAG_BYTES));
        return Buffer.concat([plain, decipher.final()]).toString("utf8");
      } catch (cause) {
        throw new SealBroken(binding, { cause });
      }
    },
  };
}
