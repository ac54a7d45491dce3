/**
 * Encryption at rest: AES-256-GCM under the master key, with the row as associated data. So an
 * encrypted value copied to another row or tenant cannot be decrypted.
 *
 * Format: `v1.<nonce>.<ciphertext and tag>`, base64url. Purpose keys (for signed links and the
 * like) are derived by HKDF-SHA-256 (RFC 5869) from roots that outlive the master key. So
 * signatures stay valid after a change of the master key. Purpose keys never leave the process.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { AppError } from "../../core/errors.ts";

const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const MASTER_KEY_BYTES = 32;

export interface Vault {
  /** `binding` names the row and column, e.g. `trunks:7:password`. */
  seal(plain: string, binding: string): string;
  /**
   * Throws SealBroken if the value was encrypted with another key or for another row, or was
   * altered.
   */
  open(sealed: string, binding: string): string;
  /**
   * 32 bytes for one purpose. Do not store the result: it changes when the root of purpose keys is
   * replaced.
   */
  deriveKey(purpose: string): Uint8Array;
  /** 32 bytes for fingerprints that must stay valid forever, whatever else is replaced. */
  lastingKey(purpose: string): Uint8Array;
  /**
   * Encrypts with this key from now on; values encrypted with earlier keys can still be decrypted.
   * `purposeRoot`: the new root for `deriveKey`, if it changes too. Returns a function that undoes
   * both.
   */
  rekey(masterKey: Uint8Array, purposeRoot?: Uint8Array): () => void;
  /** True if the value is encrypted with the current key. */
  isCurrent(sealed: string, binding: string): boolean;
}

export class SealBroken extends Error {
  override readonly name = "SealBroken";
  constructor(binding: string, options?: ErrorOptions) {
    super(
      `The secret ${binding} cannot be decrypted with this master key. Restore the master key that encrypted it, or enter the secret again.`,
      options,
    );
  }
}

/** The data was encrypted with another master key: `conflict`. */
export class WrongMasterKey extends AppError {
  constructor(cause?: unknown) {
    super({
      code: "conflict",
      publicMessage:
        "The master key is not the one that encrypted this data. Nothing was changed. Restore the right key ([secrets] master_key, its credential, or <data>/master.key). If a rotation of the key was interrupted, finish it: linevoice key rotate-master",
      cause,
    });
  }
}

/**
 * `purposeRoot`: 32 bytes for deriving purpose keys; default: from the master key. `lastingRoot`:
 * 32 bytes for deriving lasting keys; default: the purpose root. Throws RangeError unless each has
 * 32 bytes.
 */
export function createVault(
  masterKey: Uint8Array,
  purposeRoot: Uint8Array = masterKey,
  lastingRoot: Uint8Array = purposeRoot,
): Vault {
  let keys = [sealingKeyOf(masterKey)];
  let root = purposeRoot;
  requireLength(purposeRoot);
  requireLength(lastingRoot);

  function open(sealed: string, binding: string, candidates: readonly Uint8Array[]): string {
    let failure: unknown;
    for (const key of candidates) {
      try {
        return decrypted(sealed, binding, key);
      } catch (error) {
        failure = error;
      }
    }
    throw failure instanceof SealBroken ? failure : new SealBroken(binding, { cause: failure });
  }

  return {
    deriveKey: (purpose) => derived(root, purpose),
    lastingKey: (purpose) => derived(lastingRoot, purpose),
    open: (sealed, binding) => open(sealed, binding, keys),
    rekey(next, nextRoot = root) {
      requireLength(nextRoot);
      const [added, former] = [sealingKeyOf(next), root];
      keys = [added, ...keys];
      root = nextRoot;
      return () => {
        keys = keys.filter((key) => key !== added);
        if (root === nextRoot) root = former;
      };
    },

    isCurrent(sealed, binding) {
      try {
        open(sealed, binding, keys.slice(0, 1));
        return true;
      } catch {
        return false;
      }
    },

    seal(plain, binding) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", keys[0] ?? sealingKeyOf(masterKey), nonce);
      cipher.setAAD(Buffer.from(binding));
      const body = Buffer.concat([
        cipher.update(plain, "utf8"),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `${VERSION}.${nonce.toString("base64url")}.${body.toString("base64url")}`;
    },
  };
}

function requireLength(key: Uint8Array): void {
  if (key.length !== MASTER_KEY_BYTES)
    throw new RangeError(`a key has ${key.length} bytes instead of 32`);
}

const derived = (root: Uint8Array, purpose: string) =>
  new Uint8Array(hkdfSync("sha256", root, "linevoice", purpose, MASTER_KEY_BYTES));

function sealingKeyOf(masterKey: Uint8Array): Uint8Array {
  requireLength(masterKey);
  return derived(masterKey, "seal");
}

function decrypted(sealed: string, binding: string, key: Uint8Array): string {
  const [version, nonce, body] = sealed.split(".");
  const bytes = Buffer.from(body ?? "", "base64url");
  if (version !== VERSION || !nonce || bytes.length < TAG_BYTES) throw new SealBroken(binding);
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url"));
  decipher.setAAD(Buffer.from(binding));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const plain = decipher.update(bytes.subarray(0, -TAG_BYTES));
  return Buffer.concat([plain, decipher.final()]).toString("utf8");
}
