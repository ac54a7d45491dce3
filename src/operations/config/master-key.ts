/** The master key: configured, or made once in the data directory and read from there ever after. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { hex } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import { isMasterKey } from "../../platform/config/formats.ts";
import { ConfigInvalid } from "./config-invalid.ts";
import type { LoadedConfig } from "./load.ts";

const KEY_BYTES = 32;

/** 32 bytes. Makes `<data>/master.key` (0600) when there is none. Throws ConfigInvalid. */
export function masterKeyOf({ config, dataDir }: LoadedConfig, random: Random): Uint8Array {
  const configured = config.secrets.master_key;
  if (configured !== null) return new Uint8Array(Buffer.from(configured, "base64"));
  const file = join(dataDir, "master.key");
  if (!existsSync(file)) make(file, dataDir, random);
  const text = readFileSync(file, "utf8").trim();
  if (!isMasterKey(text))
    throw new ConfigInvalid([
      `${file}:1: not a master key. Allowed: 32 bytes in base64. Restore the file from a backup; without it stored secrets cannot be read.`,
    ]);
  return new Uint8Array(Buffer.from(text, "base64"));
}

/** A crash leaves a whole key or none; of two makers one wins and both use its key. */
function make(file: string, dataDir: string, random: Random): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${hex(random.bytes(6))}`;
  const handle = openSync(draft, "wx", 0o600);
  writeSync(handle, `${Buffer.from(random.bytes(KEY_BYTES)).toString("base64")}\n`);
  fsyncSync(handle);
  closeSync(handle);
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(draft);
  }
}
