/**
 * The database port for domain code: one reader, and one writer in transactions. Stores build
 * statements with `Queries`; domain code only passes it on.
 */
import type { BaseSQLiteDatabase } from "drizzle-orm/sqlite-core";
import type { RevocationNotes } from "./revocation.ts";

/** Drizzle over any driver. The query builders of bun:sqlite can be awaited too. */
export type Queries = BaseSQLiteDatabase<"async", unknown>;

/**
 * A query sent early, to share a round trip with others. Only the code that awaits it gets its
 * error.
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
   * `Queries` down instead.
   *
   * On a database server, an urgent one does not wait for others. On a file, it does not wait for
   * the disk. So use it only for state that a power failure also ends, such as the beginning of a
   * call. On a file, a background one may wait some milliseconds to share a COMMIT.
   */
  tx<Result>(
    body: (queries: Queries) => Promise<Result>,
    urgency?: "urgent" | "background",
  ): Promise<Result>;
  /**
   * Runs the last step of a transaction's body. On a database server it is sent with COMMIT, which
   * saves a round trip. `queries` must not be used after it. If the connection was lost after
   * COMMIT, `again` finds out the result outside the transaction; without `again` the transaction
   * rejects.
   */
  finish<Result>(
    queries: Queries,
    work: () => Promise<Result>,
    again?: () => Promise<Result>,
  ): Promise<Result>;
  /**
   * Readable data may not be on the disk yet. Code that passes on what it read must wait for this
   * first. Null if everything is on the disk. Never rejects: the writer gets a disk error.
   */
  settled(): Promise<void> | null;
  /** Journal of permanent revocations, outside the database (revocation/journal.ts). */
  readonly revocations: RevocationNotes<Queries>;
  /** Sets the journal of revocations. Before this call they are not recorded. */
  keepRevocations(notes: RevocationNotes<Queries>): void;
  /**
   * Changes after every commit by any connection. For a commit of another process this takes until
   * the next turn of the event loop. For another node of a database server it takes up to a second.
   * Null if unknown.
   */
  version(): number | null;
  /** Rejects when the database cannot be read. */
  ping(): Promise<void>;
  /** Tries a write if the last one failed. Rejects with the disk's error, as named by SQLite. */
  probeWrites(): Promise<void>;
  /** Waits for the current transaction, then closes the file. Later queries throw. */
  close(): Promise<void>;
}
