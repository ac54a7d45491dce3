/**
 * The vault over a store: opened with the master key the data was sealed with, or not at all; and the
 * change of that key while calls go on.
 *
 * The store holds one secret of the appliance's own, the root of the purpose keys, sealed under the
 * master key. Whether that opens is the proof of the key; a wrong one stops the start.
 */
import { createVault, MASTER_KEY_BYTES, SealBroken, type Vault } from "../config/vault.ts";
import { AppError } from "../core/errors.ts";
import type { Random } from "../core/random.ts";
import type { Database } from "../store/database.ts";
import { applianceSecretBinding, SEALED_COLUMNS, sealedStore } from "../store/sealed-store.ts";

const ROOT = "purpose_root";

/** Throws AppError `conflict` when the data was sealed with another master key. */
export async function openVault(
  database: Database,
  masterKey: Uint8Array,
  random: Random,
): Promise<Vault> {
  const sealing = createVault(masterKey);
  const binding = applianceSecretBinding(ROOT);
  const known = await sealedStore(database.read).secret(ROOT);
  if (known === null) {
    const made = Buffer.from(random.bytes(MASTER_KEY_BYTES)).toString("base64");
    const isOurs = await database.tx((queries) =>
      sealedStore(queries).addSecret(ROOT, sealing.seal(made, binding)),
    );
    if (!isOurs) return openVault(database, masterKey, random);
    return createVault(masterKey, Buffer.from(made, "base64"));
  }
  return createVault(masterKey, Buffer.from(rootFrom(known, sealing, binding), "base64"));
}

function rootFrom(sealed: string, sealing: Vault, binding: string): string {
  try {
    return sealing.open(sealed, binding);
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    throw wrongMasterKey(error);
  }
}

export const wrongMasterKey = (cause?: unknown) =>
  new AppError({
    code: "conflict",
    publicMessage:
      "The master key is not the one this data was sealed with. Nothing was changed. Put the right key back ([secrets] master_key, its credential, or <data>/master.key). If a rotation of the key was interrupted, finish it: linevoice key rotate-master",
    cause,
  });

/**
 * Seals everything anew under `next` in one transaction, then seals under it from then on. What was sealed
 * meanwhile under the old key is found by a second look. Answers how many values were sealed anew.
 */
export async function rotateMasterKey(
  database: Database,
  vault: Vault,
  next: Uint8Array,
): Promise<number> {
  const fresh = createVault(next);
  const moved = await database.tx(async (queries) => {
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
  });
  vault.rekey(next);
  return moved;
}
