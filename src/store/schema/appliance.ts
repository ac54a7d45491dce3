/** Tables of the appliance as a whole. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The appliance's secrets, sealed under the master key. */
export const applianceSecrets = sqliteTable("appliance_secrets", {
  name: text("name").primaryKey(),
  sealed: text("sealed").notNull(),
});

/** Position of this database in the journals of revocations, one per data directory (revocation/). */
export const revocationJournals = sqliteTable("revocation_journals", {
  journal: text("journal").primaryKey(),
  /** Number of the last entry that this database contains. */
  position: integer("position").notNull(),
});
