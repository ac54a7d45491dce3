/** Opens the given files for writing, until it is terminated. */
import { type FileHandle, open } from "node:fs/promises";

declare const self: Worker;

const files: FileHandle[] = [];
self.onmessage = async ({ data }: MessageEvent<readonly string[]>) => {
  for (const path of data) files.push(await open(path, "w"));
  self.postMessage("opened");
};
