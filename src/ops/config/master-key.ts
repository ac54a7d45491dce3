/** The master key: configured, or created once in the data directory. */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hex } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import { isMasterKey } from "../../platform/config/formats.ts";
import { makeOnce } from "../../platform/files/durable-file.ts";
import { WrongMasterKey } from "../../platform/secrets/vault.ts";
import { ConfigInvalid } from "./config-invalid.ts";
import type { LoadedConfig } from "./load.ts";

const KEY_BYTES = 32;

/**
 * 32 bytes. Creates `<data>/master.key` (0600) if there is no key and no encrypted data yet. Throws
 * ConfigInvalid.
 */
export function masterKeyOf({ config, dataDir }: LoadedConfig, random: Random): Uint8Array {
  const configured = config.secrets.master_key;
  if (configured !== null) return new Uint8Array(Buffer.from(configured, "base64"));
  const file = join(dataDir, "master.key");
  if (!existsSync(file)) {
    if (config.storage.database === "file" && existsSync(join(dataDir, "linevoice.db")))
      throw new ConfigInvalid([
        `${file} is missing, but the database in the same directory is encrypted with it. Restore the file from your copy, or set [secrets] master_key.`,
      ]);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const made = Buffer.from(random.bytes(KEY_BYTES)).toString("base64");
    makeOnce(file, `${file}.${hex(random.bytes(6))}`, `${made}\n`);
  }
  const text = readFileSync(file, "utf8").trim();
  if (!isMasterKey(text))
    throw new ConfigInvalid([
      `${file}:1: not a master key. Allowed: 32 bytes in base64. Restore the file from a backup. Without it, stored secrets cannot be read.`,
    ]);
  return new Uint8Array(Buffer.from(text, "base64"));
}

/**
 * Runs the function that opens the data with the master key. Deletes a newly created key if the data is
 * encrypted with another one, because all nodes of a store share one key.
 */
export async function withMasterKey<Result>(
  loaded: LoadedConfig,
  random: Random,
  open: (masterKey: Uint8Array) => Promise<Result>,
): Promise<Result> {
  const file = join(loaded.dataDir, "master.key");
  const isNew = !existsSync(file);
  try {
    return await open(masterKeyOf(loaded, random));
  } catch (error) {
    if (isNew && error instanceof WrongMasterKey) rmSync(file, { force: true });
    throw error;
  }
}
