/** What the main thread and a database worker say to each other: one job, one answer, one worker. */
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
  /** One sentence a problem. */
  readonly integrity: readonly string[];
}

export type FromDatabaseWorker =
  | { readonly ok: true; readonly result: DatabaseResults[DatabaseJob["type"]] }
  | { readonly ok: false; readonly reason: string };
