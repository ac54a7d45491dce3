/** Reads files named on the command line. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { AppError } from "../core/errors.ts";
import type { Terminal } from "./usage.ts";

/** Explains a file error and its remedy; null for any other error. */
export function fileProblem(error: unknown, file: string): string | null {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return `There is no file or folder ${file}.`;
  if (code === "EISDIR") return `${file} is a folder. Give a file.`;
  if (code === "EACCES" || code === "EPERM")
    return `This user cannot open ${file}. Run the command as its owner, or as root (sudo).`;
  if (code === "EROFS")
    return `${file} cannot be written: its disk is read-only, or the service's unit allows only /var/lib/linevoice (systemctl edit linevoice, ReadWritePaths=).`;
  return code === "ENOSPC" ? `The disk of ${file} is full.` : null;
}

/** Throws conflict with an explanation if the file cannot be read. */
export function fileArgument(file: string, { cwd }: Pick<Terminal, "cwd">): Buffer {
  try {
    return readFileSync(resolve(cwd, file));
  } catch (error) {
    const publicMessage = fileProblem(error, file);
    if (publicMessage === null) throw error;
    throw new AppError({ code: "conflict", publicMessage, cause: error });
  }
}
