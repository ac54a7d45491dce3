/** Column types of all tables: epoch milliseconds, micro-euro, booleans, JSON. */
import { integer, text } from "drizzle-orm/sqlite-core";
import type { MicroEur } from "../../core/money.ts";

export const id = () => integer("id").primaryKey({ autoIncrement: true });
/** Milliseconds since the epoch, UTC. */
export const time = (name: string) => integer(name);
export const money = (name: string) => integer(name).$type<MicroEur>();
export const flag = (name: string) => integer(name, { mode: "boolean" });
export const json = <Value>(name: string) => text(name, { mode: "json" }).$type<Value>();

/** Values that release the lease of a row. */
export const NO_LEASE = { leaseOwner: null, leaseUntil: null };
