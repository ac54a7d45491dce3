/** Stored recordings by name: only plain names inside the recordings directory. */
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";

/** Absolute path, or null when there is no such file. */
export async function locateRecording(directory: string, file: string): Promise<string | null> {
  if (basename(file) !== file || file.startsWith(".")) return null;
  const path = join(directory, file);
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? path : null;
}
