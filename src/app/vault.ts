/**
 * The vault over a store: opened with the master key the data was sealed with, or not at all; and the
 * change of that key while calls go on.
 *
 * The store holds the root of the purpose keys, sealed under the master key. Whether that opens is the
 * proof of the key; a wrong one stops the start. A rotation may replace this root. The first such rotation
 * keeps the root that was there as the lasting one: fingerprints of refusals and of the journal of
 * revocations cannot be made anew, because the numbers and addresses behind them are not stored.
 */

import { userStore } from "../adapter/store/identity/user-store.ts";
import {
  applianceSecretBinding,
  SEALED_COLUMNS,
  sealedStore,
} from "../adapter/store/tenant/sealed-store.ts";
import type { Database, Queries } from "../core/database.ts";
import type { Random } from "../core/random.ts";
import {
  createVault,
  MASTER_KEY_BYTES,
  SealBroken,
  type Vault,
  WrongMasterKey,
} from "../platform/secrets/vault.ts";

const PURPOSE_ROOT = "purpose_root";
/** Absent until the purposes' root is replaced. Until then both roots are the same. */
const LASTING_ROOT = "lasting_root";

/** Throws WrongMasterKey. */
export async function openVault(
  database: Database,
  masterKey: Uint8Array,
  random: Random,
): Promise<Vault> {
  const sealing = createVault(masterKey);
  const store = sealedStore(database.read);
  // The order matters: if a rotation happens in between, the second value does not open.
  const purposes = await store.secret(PURPOSE_ROOT);
  const lasting = await store.secret(LASTING_ROOT);
  if (purposes === null) {
    const made = random.bytes(MASTER_KEY_BYTES);
    const isOurs = await database.tx((queries) =>
      sealedStore(queries).addSecret(PURPOSE_ROOT, sealedRoot(made, sealing, PURPOSE_ROOT)),
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
  /** How many values were sealed anew. */
  readonly sealed: number;
  /** How many people lost their unused recovery codes. */
  readonly endedCodesOf: number;
}

/**
 * Seals everything anew under `next` in one transaction, and seals under it from then on: transactions that
 * share its commit do so already. What was sealed before and stored after is found by a second look.
 * `purposeRoot`: replaces the root of the purpose keys in the same transaction (32 bytes); null: it stays.
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
  const store = sealedStore(queries);
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
 * Runs after everything was sealed under `fresh`. Removes the recovery codes: only their HMACs are
 * stored, and somebody with the old root can find the codes by trial. Returns how many people had
 * codes.
 */
async function replacePurposeRoot(
  queries: Queries,
  fresh: Vault,
  root: Uint8Array,
): Promise<number> {
  const store = sealedStore(queries);
  const former = await store.secret(PURPOSE_ROOT);
  // The first root stays the lasting root, even if the other is replaced again.
  if (former !== null)
    await store.addSecret(
      LASTING_ROOT,
      sealedRoot(rootFrom(former, fresh, PURPOSE_ROOT), fresh, LASTING_ROOT),
    );
  await store.replaceSecret(PURPOSE_ROOT, sealedRoot(root, fresh, PURPOSE_ROOT));
  return userStore(queries).removeRecoveryCodes();
}
