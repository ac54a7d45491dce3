/** What belongs to the appliance as a whole. */
import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Secrets of the appliance's own, sealed under the master key. */
export const applianceSecrets = sqliteTable("appliance_secrets", {
  name: text("name").primaryKey(),
  sealed: text("sealed").notNull(),
});
