/** What belongs to the appliance as a whole. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Secrets of the appliance's own, sealed under the master key. */
export const applianceSecrets = sqliteTable("appliance_secrets", {
  name: text("name").primaryKey(),
  sealed: text("sealed").notNull(),
});

/** How far this database has got in the journals of revocations, one a data directory (revocation/). */
export const revocationJournals = sqliteTable("revocation_journals", {
  journal: text("journal").primaryKey(),
  /** Number of the last entry that is in this database. */
  position: integer("position").notNull(),
});
