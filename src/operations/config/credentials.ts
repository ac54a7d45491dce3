/**
 * Secrets in files, one per secret, named `<section>.<key>`: from systemd in
 * `$CREDENTIALS_DIRECTORY` (systemd.exec(5), LoadCredential), or in `credentials/` beside the
 * configuration file. The unit reads the same files, so the command line finds the secrets of the
 * service. A directory that exists but cannot be read is an error and never means "no secret": a new
 * master key would make the stored data unreadable.
 */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";

interface Credentials {
  /** The file of a secret; null: there is none. */
  fileOf(path: readonly string[]): string | null;
  /** The name of this source in messages. */
  readonly label: "systemd credential" | "credential file";
  readonly problem: string | null;
}

export function credentialsFor(env: Environment, configFile: string | null): Credentials {
  const handedOver = env.CREDENTIALS_DIRECTORY;
  if (handedOver && isAbsolute(handedOver)) return reading(handedOver, "systemd credential", null);
  if (configFile === null) return reading(null, "credential file", null);
  const directory = join(dirname(configFile), "credentials");
  if (!existsSync(directory)) return reading(null, "credential file", null);
  const problem = isReadable(directory)
    ? null
    : `${directory}: the secrets there cannot be read. Run this command as root (sudo).`;
  return reading(directory, "credential file", problem);
}

function reading(
  directory: string | null,
  label: Credentials["label"],
  problem: string | null,
): Credentials {
  return {
    label,
    problem,
    fileOf(path) {
      if (directory === null || problem !== null) return null;
      const name = path.join(".");
      const names = name === "secrets.master_key" ? [name, "master_key"] : [name];
      return names.map((name) => join(directory, name)).find((file) => existsSync(file)) ?? null;
    },
  };
}

function isReadable(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
