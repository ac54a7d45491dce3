/** Leases of nodes that share one store: which node holds a trunk's registration. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { time } from "./columns.ts";
import { trunks } from "./tenants.ts";

export const trunkLeases = sqliteTable("trunk_leases", {
  trunkId: integer("trunk_id")
    .primaryKey()
    .references(() => trunks.id, { onDelete: "cascade" }),
  /** The node that registers the trunk and handles its calls. */
  node: text("node").notNull(),
  /** Increased with every renewal: a holder whose number does not change is dead. */
  beat: integer("beat").notNull(),
  takenAt: time("taken_at").notNull(),
});
