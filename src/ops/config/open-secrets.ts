/** Detects secret files that every user of this machine may read, or that the service may not. */
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Log } from "../../core/log.ts";
import { keyText, type LoadedConfig } from "./load.ts";

const OTHERS_READ = 0o004;
const OTHERS_ENTER = 0o001;

interface WrongRights {
  /** Problem with the names of the files. */
  readonly finding: string;
  /** A command. */
  readonly remedy: string;
}

/** null: none. */
export function openSecrets({
  secretFiles,
}: Pick<LoadedConfig, "secretFiles">): WrongRights | null {
  const open = [...secretFiles].filter(([file]) => isOpen(file));
  if (open.length === 0) return null;
  const files = open.map(([file, key]) => `${file}, which holds ${keyText(key.split("."))}`);
  return {
    finding: `Every user of this machine can read ${files.join("; ")}.`,
    remedy: `chmod o= ${open.map(([file]) => file).join(" ")}`,
  };
}

export function logConfigWarnings(
  loaded: Pick<LoadedConfig, "secretFiles" | "warnings">,
  log: Log,
): void {
  for (const problem of loaded.warnings) log.warn("config.key_removed", { problem });
  const open = openSecrets(loaded);
  if (open) log.warn("config.secrets_open", { problem: open.finding, remedy: open.remedy });
}

/**
 * Files that root has read but this process, now the data's owner, cannot read. systemd reads the master key
 * for the service. null: none.
 */
export function closedSecrets({
  secretFiles,
  sources,
}: Pick<LoadedConfig, "secretFiles" | "sources">): WrongRights | null {
  const closed = [...secretFiles]
    .filter(([, key]) => key !== "secrets.master_key" && !sources.get(key)?.startsWith("systemd"))
    .flatMap(([file]) => (isClosed(file) ? [file] : []));
  if (closed.length === 0) return null;
  const files = closed.join(" ");
  return {
    finding: `The service's user cannot read ${files}.`,
    remedy: `chgrp ${process.getegid?.()} ${files}; chmod 0640 ${files}`,
  };
}

function isClosed(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return false;
  } catch {
    return true;
  }
}

/** A file in a directory without access for others is not readable either. */
function isOpen(file: string): boolean {
  try {
    if ((statSync(file).mode & OTHERS_READ) === 0) return false;
    for (let path = file; path !== dirname(path); path = dirname(path))
      if ((statSync(dirname(path)).mode & OTHERS_ENTER) === 0) return false;
    return true;
  } catch {
    return false; // not readable by this process
  }
}
