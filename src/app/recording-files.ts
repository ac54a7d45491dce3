/** Finds stored recordings by name. Accepts only plain names inside the recordings directory. */
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";

/** Returns the absolute path, or null if the file does not exist. */
export async function locateRecording(directory: string, file: string): Promise<string | null> {
  if (basename(file) !== file || file.startsWith(".")) return null;
  const path = join(directory, file);
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? path : null;
}
