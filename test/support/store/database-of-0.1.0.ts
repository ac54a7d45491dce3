/** A database with the schema of 0.1.0, as its 19 migrations created it, and almost no rows. */
import type { Database } from "bun:sqlite";
import { filledBy } from "./filled-by.ts";

export interface SchemaItem {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

const left = filledBy("0.1.0", ":memory:");

/** Sorted by type and name, without the table `migrations`. */
export const schemaOf010: SchemaItem[] = left
  .query<SchemaItem, []>(
    "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND tbl_name <> 'migrations'",
  )
  .all()
  .sort((a, b) => (a.type + a.name).localeCompare(b.type + b.name));

const TAGS_010 = left.query<{ tag: string }, []>("SELECT tag FROM migrations ORDER BY tag").all();
left.close();

/** Fills an empty database with that schema and one tenant, `a`. */
export function fillAs010(db: Database): void {
  const order = ["table", "index", "trigger"];
  const items = schemaOf010.toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type));
  for (const { sql } of items) db.run(sql);
  db.run(
    "CREATE TABLE migrations (tag TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL)",
  );
  for (const { tag } of TAGS_010) db.run("INSERT INTO migrations VALUES (?, 'x', 0)", [tag]);
  db.run(
    "INSERT INTO tenants (name, email, plan, time_zone, webhook_secret_sealed, webhook_secret_prefix, created_at) VALUES ('a', 'a@example.com', 'p', 'UTC', 's', 'p', 0)",
  );
}
