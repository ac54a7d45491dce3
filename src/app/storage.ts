/** The data directory: made, private, and what is in it. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

export interface DataPaths {
  readonly database: string;
  readonly recordings: string;
  readonly outbox: string;
  readonly controlSocket: string;
}

const PRIVATE = 0o700;

export function prepareDataDir(dataDir: string): DataPaths {
  const paths = {
    database: join(dataDir, "linevoice.db"),
    recordings: join(dataDir, "recordings"),
    outbox: join(dataDir, "outbox"),
    controlSocket: join(dataDir, "control.sock"),
  };
  for (const directory of [dataDir, paths.recordings, paths.outbox])
    mkdirSync(directory, { recursive: true, mode: PRIVATE });
  return paths;
}
