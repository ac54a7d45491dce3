/** The database as domain code sees it: one reader, and one writer in transactions. Stores make statements of `Queries`; domain code only hands them on. */
import type { BaseSQLiteDatabase } from "drizzle-orm/sqlite-core";
import type { RevocationNotes } from "./revocation.ts";

/** Drizzle over any driver. bun:sqlite's query builders are awaitable too. */
export type Queries = BaseSQLiteDatabase<"async", unknown>;

export interface Database {
  readonly read: Queries;
  /**
   * Runs `body` in one immediate transaction: all or nothing, one at a time, durable when it
   * resolves. Throwing rolls back and rethrows. Never nest: pass `Queries` down instead.
   */
  tx<Result>(body: (queries: Queries) => Promise<Result>): Promise<Result>;
  /** Where what is taken back for good is noted, outside the database (revocation/journal.ts). */
  readonly revocations: RevocationNotes<Queries>;
  /** From now on it is noted there; until then nowhere. */
  keepRevocations(notes: RevocationNotes<Queries>): void;
  /** Another number after every commit, whoever made it; null: it cannot be told (a server's). */
  version(): number | null;
  /** Rejects when the database cannot be read. */
  ping(): Promise<void>;
  /** After the transaction under way. The file is let go when it resolves; queries throw from then on. */
  close(): Promise<void>;
}
