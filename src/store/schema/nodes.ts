/** Nodes that share one store, and their leases of trunk registrations. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, time } from "./columns.ts";
import { trunks } from "./tenants.ts";

export const trunkLeases = sqliteTable("trunk_leases", {
  trunkId: integer("trunk_id")
    .primaryKey()
    .references(() => trunks.id, { onDelete: "cascade" }),
  /** The node that registers the trunk and handles its calls. */
  node: text("node").notNull(),
  /** Increased with every renewal. If it stops changing, the holder is dead. */
  beat: integer("beat").notNull(),
  takenAt: time("taken_at").notNull(),
});

/** Nodes that share this store. Each writes its row with every renewal of its leases. */
export const nodes = sqliteTable("nodes", {
  /** The id of its data directory. */
  id: text("id").primaryKey(),
  /** The host name of its machine. */
  name: text("name").notNull(),
  version: text("version").notNull(),
  /** `[limits] concurrent_calls`; decides its share of the trunks. */
  weight: integer("weight").notNull(),
  calls: integer("calls").notNull(),
  /** Increased with every renewal. If it stops changing, the node is dead. */
  beat: integer("beat").notNull(),
  seenAt: time("seen_at").notNull(),
  /** Drained by the operator: it holds no trunks while another node can. */
  isDraining: flag("is_draining").notNull().default(false),
  /** True after a clean shutdown. */
  isStopped: flag("is_stopped").notNull().default(false),
});
