/** Messages between the main thread and a database worker: one worker per job, one reply per job. */
import type { BackupReport } from "./verify.ts";

/** Paths are absolute. */
export type DatabaseJob =
  | { readonly type: "snapshot"; readonly database: string; readonly target: string }
  | {
      readonly type: "verify";
      readonly file: string;
      readonly scratchDir: string;
      readonly nowMs: number;
    }
  | { readonly type: "integrity"; readonly database: string };

export interface DatabaseResults {
  /** Bytes. */
  readonly snapshot: number;
  readonly verify: BackupReport;
  /** One sentence per problem. */
  readonly integrity: readonly string[];
}

export type FromDatabaseWorker =
  | { readonly ok: true; readonly result: DatabaseResults[DatabaseJob["type"]] }
  | { readonly ok: false; readonly reason: string };
