/**
 * Secrets handed over as files, one a secret, named `<section>.<key>`: by systemd in
 * `$CREDENTIALS_DIRECTORY` (systemd.exec(5), LoadCredential), or in `credentials/` beside the
 * configuration file, which is where the unit takes them from. So the command line finds the same
 * secrets as the service. A directory that is there but closed to us is a mistake, never "no secret":
 * a new master key in its place would make what is stored unreadable.
 */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";

interface Credentials {
  /** The file that holds a secret; null: there is none. */
  fileOf(path: readonly string[]): string | null;
  /** How values from here are named as a source. */
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
