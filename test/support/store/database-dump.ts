/** Dumps a whole database as SQL text, to store a released version's database in the repository. */
import type { Database } from "bun:sqlite";

interface SchemaItem {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** Indexes and triggers come after the rows: a trigger would count the rows again. */
const ORDER = ["table", "rows", "index", "trigger"];

const namesOf = (db: Database, table: string) =>
  db
    .query<{ name: string }, []>(`PRAGMA table_info("${table}")`)
    .all()
    .map(({ name }) => `"${name}"`);

/** Order by the table's key, or by row id if it has none. */
export function orderOf(db: Database, table: string): string {
  const key = db
    .query<{ name: string }, [string]>(
      "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk",
    )
    .all(table);
  return key.length === 0 ? "rowid" : key.map(({ name }) => `"${name}"`).join(", ");
}

function rowsOf(db: Database, table: string): string[] {
  const names = namesOf(db, table);
  const values = names.map((name) => `quote(${name})`).join(" || ', ' || ");
  return db
    .query<{ line: string }, []>(
      `SELECT ${values} AS line FROM "${table}" ORDER BY ${orderOf(db, table)}`,
    )
    .all()
    .map(({ line }) => `INSERT INTO "${table}" (${names.join(", ")}) VALUES (${line});`);
}

/** The full-text index is built again from the calls. */
const QUEUE_OF_WORDS =
  "INSERT INTO search_queue (tenant_id, call_id, due_at) SELECT tenant_id, id, ended_at FROM calls;";

export function dumpOf(db: Database): string {
  const items = db
    .query<SchemaItem, []>(
      "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT GLOB 'search_index_*' ORDER BY rowid",
    )
    .all();
  const parts = items.map(({ type, sql }) => ({ type, text: `${sql};` }));
  const tables = items
    .filter(({ type, name }) => type === "table" && !name.startsWith("search_"))
    .map(({ name }) => name);
  for (const table of tables)
    for (const text of rowsOf(db, table)) parts.push({ type: "rows", text });
  parts.push({ type: "rows", text: "DELETE FROM sqlite_sequence;" });
  parts.push({ type: "rows", text: QUEUE_OF_WORDS });
  for (const text of rowsOf(db, "sqlite_sequence")) parts.push({ type: "rows", text });
  return parts
    .toSorted((left, right) => ORDER.indexOf(left.type) - ORDER.indexOf(right.type))
    .map(({ text }) => `${text}\n`)
    .join("");
}
