/**
 * Secrets in files, one per secret, named `<section>.<key>`. systemd provides them in
 * `$CREDENTIALS_DIRECTORY` (systemd.exec(5), LoadCredential). Otherwise they are in `credentials/` next to
 * the configuration file, readable for the command line and the service's group. An unreadable directory is
 * an error and never means "no secret": a new master key would make the stored data unreadable.
 */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";

interface Credential {
  readonly file: string;
  /** In messages: `systemd credential X` or `credential file X`. */
  readonly source: string;
}

interface Credentials {
  /** null: not set. */
  of(path: readonly string[]): Credential | null;
  readonly problem: string | null;
}

export function credentialsFor(env: Environment, configFile: string | null): Credentials {
  const given = env.CREDENTIALS_DIRECTORY ?? "";
  const places: { directory: string; label: string }[] = [];
  if (isAbsolute(given)) places.push({ directory: given, label: "systemd credential" });
  const beside = configFile === null ? "" : join(dirname(configFile), "credentials");
  const isThere = beside !== "" && existsSync(beside);
  const isClosed = isThere && !isReadable(beside);
  if (isThere && !isClosed) places.push({ directory: beside, label: "credential file" });
  return {
    problem:
      isClosed && places.length === 0
        ? `The secrets in ${beside} cannot be read. Run this command as root (sudo).`
        : null,
    of(path) {
      const name = path.join(".");
      const names = name === "secrets.master_key" ? [name, "master_key"] : [name];
      for (const { directory, label } of places)
        for (const name of names) {
          const file = join(directory, name);
          if (existsSync(file)) return { file, source: `${label} ${name}` };
        }
      return null;
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
