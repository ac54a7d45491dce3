/** Opens the files it is told for writing, until it is ended. */
import { type FileHandle, open } from "node:fs/promises";

declare const self: Worker;

const files: FileHandle[] = [];
self.onmessage = async ({ data }: MessageEvent<readonly string[]>) => {
  for (const path of data) files.push(await open(path, "w"));
  self.postMessage("opened");
};
