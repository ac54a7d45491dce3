/**
 * The vault over a store: opens with the master key that encrypted the data, and rotates that key
 * while calls continue.
 *
 * The store contains the root of the purpose keys, encrypted under the master key. If decryption
 * fails, the master key is wrong and the start stops. A rotation may replace this root. The first
 * such rotation keeps the old root as the lasting root. Hashes in the revocation journal and of
 * refusals depend on it, and cannot be recomputed: their phone numbers and addresses are not
 * stored.
 */

import type { Database, Queries } from "../core/database.ts";
import type { Random } from "../core/random.ts";
import { userStore } from "../features/identity/user-store.ts";
import {
  createVault,
  MASTER_KEY_BYTES,
  SealBroken,
  type Vault,
  WrongMasterKey,
} from "../platform/secrets/vault.ts";
import {
  applianceSecretBinding,
  encryptedColumns,
  SEALED_COLUMNS,
} from "../store/encrypted-columns.ts";

const PURPOSE_ROOT = "purpose_root";
/** Absent until a rotation replaces the purposes' root. Until then both roots are equal. */
const LASTING_ROOT = "lasting_root";

/** Throws WrongMasterKey. */
export async function openVault(
  database: Database,
  masterKey: Uint8Array,
  random: Random,
): Promise<Vault> {
  const sealing = createVault(masterKey);
  const store = encryptedColumns(database.read);
  // Order matters: if a rotation happens between the two reads, the second value cannot be
  // decrypted.
  const purposes = await store.secret(PURPOSE_ROOT);
  const lasting = await store.secret(LASTING_ROOT);
  if (purposes === null) {
    const made = random.bytes(MASTER_KEY_BYTES);
    const isOurs = await database.tx((queries) =>
      encryptedColumns(queries).addSecret(PURPOSE_ROOT, sealedRoot(made, sealing, PURPOSE_ROOT)),
    );
    if (!isOurs) return openVault(database, masterKey, random);
    return createVault(masterKey, made);
  }
  const root = rootFrom(purposes, sealing, PURPOSE_ROOT);
  return createVault(
    masterKey,
    root,
    lasting === null ? root : rootFrom(lasting, sealing, LASTING_ROOT),
  );
}

const sealedRoot = (root: Uint8Array, sealing: Vault, name: string): string =>
  sealing.seal(Buffer.from(root).toString("base64"), applianceSecretBinding(name));

function rootFrom(sealed: string, sealing: Vault, name: string): Uint8Array {
  try {
    return Buffer.from(sealing.open(sealed, applianceSecretBinding(name)), "base64");
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    throw new WrongMasterKey(error);
  }
}

interface Rotated {
  /** Number of re-encrypted values. */
  readonly sealed: number;
  /** Number of people whose unused recovery codes were deleted. */
  readonly endedCodesOf: number;
}

/**
 * Re-encrypts all values under `next` in one transaction. Later transactions also encrypt under
 * `next`. A second pass finds values encrypted before it and stored after it. `purposeRoot`:
 * new root of the purpose keys (32 bytes), replaced in the same transaction; null keeps the root.
 */
export async function rotateMasterKey(
  database: Database,
  vault: Vault,
  next: Uint8Array,
  purposeRoot: Uint8Array | null,
): Promise<Rotated> {
  const fresh = createVault(next);
  let takeBack = () => {};
  const { sealed, endedCodesOf } = await database
    .tx(async (queries) => {
      const count = await reseal(queries, vault, fresh);
      const ended = purposeRoot ? await replacePurposeRoot(queries, fresh, purposeRoot) : 0;
      takeBack = vault.rekey(next, purposeRoot ?? undefined);
      return { sealed: count, endedCodesOf: ended };
    })
    .catch((error: unknown) => {
      takeBack();
      throw error;
    });
  const late = await database.tx((queries) => reseal(queries, vault, fresh));
  return { sealed: sealed + late, endedCodesOf };
}

async function reseal(queries: Queries, vault: Vault, fresh: Vault): Promise<number> {
  const store = encryptedColumns(queries);
  let count = 0;
  for (const column of SEALED_COLUMNS)
    for (const row of await store.rows(column)) {
      const binding = column.binding(row);
      if (fresh.isCurrent(row.sealed, binding)) continue;
      const plain = vault.open(row.sealed, binding);
      await store.replace(column, row.rowid, fresh.seal(plain, binding));
      count++;
    }
  return count;
}

/**
 * Runs after all values are encrypted under `fresh`. Deletes the recovery codes: only their HMACs
 * are stored, and somebody with the old root could guess the codes. Returns the number of people
 * who had codes.
 */
async function replacePurposeRoot(
  queries: Queries,
  fresh: Vault,
  root: Uint8Array,
): Promise<number> {
  const store = encryptedColumns(queries);
  const former = await store.secret(PURPOSE_ROOT);
  // The first root remains the lasting root, even if the purposes' root is replaced again.
  if (former !== null)
    await store.addSecret(
      LASTING_ROOT,
      sealedRoot(rootFrom(former, fresh, PURPOSE_ROOT), fresh, LASTING_ROOT),
    );
  await store.replaceSecret(PURPOSE_ROOT, sealedRoot(root, fresh, PURPOSE_ROOT));
  return userStore(queries).removeRecoveryCodes();
}
