/**
 * `linevoice key rotate-master`: creates a new master key, re-encrypts all values under it, and
 * replaces the old key file. If a server runs, calls continue meanwhile.
 *
 * The new key is on disk (`<old>.next`) before anything is encrypted under it, and gets the old
 * name only afterwards. After an interruption, the same command completes the rotation. With
 * --purposes the name is `<old>.next-purposes`, so that the repeated command also replaces the
 * purposes' root.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { AppError, conflict } from "../core/errors.ts";
import type { Random } from "../core/random.ts";
import type { LoadedConfig } from "../ops/config/load.ts";
import { asOwnerOf } from "../ops/drop-privileges.ts";
import { isMasterKey } from "../platform/config/formats.ts";
import { operate } from "./operator.ts";

const KEY_BYTES = 32;

export interface Rotation {
  /** Number of re-encrypted values. */
  readonly sealed: number;
  /** Whether the root for signed links, challenges and recovery codes was replaced. */
  readonly purposes: boolean;
  /** Number of people whose unused recovery codes became invalid. */
  readonly people_without_recovery_codes: number;
  /** Path of the key file. */
  readonly key_file: string;
}

/** `requested`: also replace the purposes' root. Throws AppError with a remedy. */
export async function rotateMasterKey(
  loaded: LoadedConfig,
  requested: boolean,
  random: Random,
): Promise<Rotation> {
  const file = keyFileOf(loaded);
  const withPurposes = `${file}.next-purposes`;
  const purposes = requested || existsSync(withPurposes);
  const next = purposes ? withPurposes : `${file}.next`;
  // A rotation that started without --purposes continues with it, under the same new key.
  if (purposes && !existsSync(next) && existsSync(`${file}.next`)) renameSync(`${file}.next`, next);
  const isResumed = existsSync(next);
  if (!isResumed) {
    if (!existsSync(file) && !existsSync(loaded.dataDir))
      throw conflict(`Nothing to rotate: ${file} does not exist yet.`);
    // Written as the directory's owner: the service could not read a file owned by root.
    await asOwnerOf(dirname(file), async () =>
      write(next, Buffer.from(random.bytes(KEY_BYTES)).toString("base64")),
    );
  }
  const key = readFileSync(next, "utf8").trim();
  if (!isMasterKey(key))
    throw conflict(`${next} is not a master key. Delete it and run this again.`);
  const input = { next: key, purposes };
  const rotated = await asOwnerOf(loaded.dataDir, () => sealUnder(loaded, input, isResumed));
  renameSync(next, file);
  return { ...rotated, purposes, key_file: file };
}

async function sealUnder(
  loaded: LoadedConfig,
  input: { readonly next: string; readonly purposes: boolean },
  isResumed: boolean,
) {
  const { config } = loaded;
  try {
    return await operate(loaded, "key.rotate_master", input);
  } catch (error) {
    // The last run stopped after re-encryption: the data needs the new key, which still has its
    // temporary name.
    if (!isResumed || !(error instanceof AppError) || error.code !== "conflict") throw error;
    const renewed = { ...loaded, config: { ...config, secrets: { master_key: input.next } } };
    return await operate(renewed, "key.rotate_master", input);
  }
}

/** The file of the current key. */
function keyFileOf({ config, sources, file, dataDir }: LoadedConfig): string {
  if (config.secrets.master_key === null) return join(dataDir, "master.key");
  const source = sources.get("secrets.master_key") ?? "";
  const credential = /^credential file (.+)$/.exec(source)?.[1];
  if (credential && file) return join(dirname(file), "credentials", credential);
  throw conflict(
    `The master key comes from ${source}, which this command cannot change. Move it into ${file ? join(dirname(file), "credentials/secrets.master_key") : join(dataDir, "master.key")} (mode 0600), restart, and run this again.`,
  );
}

function write(path: string, key: string): void {
  const handle = openSync(path, "wx", 0o600);
  writeSync(handle, `${key}\n`);
  fsyncSync(handle);
  closeSync(handle);
}
