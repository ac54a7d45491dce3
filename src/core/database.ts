/**
 * The database port for domain code: one reader, and one writer in transactions. Stores build
 * statements with `Queries`; domain code only passes it on.
 */
import type { BaseSQLiteDatabase } from "drizzle-orm/sqlite-core";
import type { RevocationNotes } from "./revocation.ts";

/** Drizzle over any driver. The query builders of bun:sqlite can be awaited too. */
export type Queries = BaseSQLiteDatabase<"async", unknown>;

/**
 * A query that is asked for before its turn, so that it travels with others: only who awaits it hears
 * that it failed.
 */
export function ahead<Result>(query: Promise<Result>): Promise<Result> {
  query.catch(() => undefined);
  return query;
}

export interface Database {
  readonly read: Queries;
  /**
   * Runs `body` in one immediate transaction: all or nothing, one at a time, durable when the
   * promise resolves. An exception rolls back and is rethrown. Never nest transactions: pass
   * `Queries` down instead. An urgent one does not wait for others on a database server, nor for the
   * disk on a file: only for what a power cut ends, too, such as the beginning of a call. On a file one
   * in the background, for which nobody waits, may wait some milliseconds to share a COMMIT.
   */
  tx<Result>(
    body: (queries: Queries) => Promise<Result>,
    urgency?: "urgent" | "background",
  ): Promise<Result>;
  /**
   * Runs what the body of a transaction does last: on a database server it travels with COMMIT,
   * which spares a round trip. Nothing may be asked of `queries` after it. If it was done but its
   * result was lost with the connection, `again` finds out the result, outside of the transaction;
   * without it the transaction rejects.
   */
  finish<Result>(
    queries: Queries,
    work: () => Promise<Result>,
    again?: () => Promise<Result>,
  ): Promise<Result>;
  /**
   * What can be read may not be on the disk yet. Whoever tells others what they read waits for this
   * first. Null: all of it is. Never rejects: who wrote hears of a disk that fails.
   */
  settled(): Promise<void> | null;
  /** Where permanent revocations are recorded, outside the database (revocation/journal.ts). */
  readonly revocations: RevocationNotes<Queries>;
  /** Sets where revocations are recorded. Before this call they are not recorded. */
  keepRevocations(notes: RevocationNotes<Queries>): void;
  /**
   * Changes after every commit by any connection, after one of another process by the next turn of the
   * event loop; on a database server after one of another node within a second. Null while it is unknown.
   */
  version(): number | null;
  /** Rejects when the database cannot be read. */
  ping(): Promise<void>;
  /** Tries a write where the last one failed. Rejects with what the disk says, as SQLite names it. */
  probeWrites(): Promise<void>;
  /** Waits for the current transaction, then closes the file. Later queries throw. */
  close(): Promise<void>;
}
