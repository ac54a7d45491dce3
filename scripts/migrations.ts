/**
 * Packs the contents of migrations/ for the program: the migrations themselves, and the resulting
 * schema, which initialises an empty store.
 */
import { Database } from "bun:sqlite";
import { mkdirSync, readFileSync } from "node:fs";
import journal from "../migrations/meta/_journal.json" with { type: "json" };
import { type Migration, migrate, statementsOf } from "../src/store/migration/migrate.ts";

const DATA = new URL("../src/store/migration/data/", import.meta.url);

const sqlOf = (tag: string) =>
  readFileSync(new URL(`../migrations/${tag}.sql`, import.meta.url), "utf8");

/** Statements that create the schema directly, in a third of the migrations' time. */
export function schemaAfter(migrations: readonly Migration[]): string {
  const store = new Database(":memory:");
  migrate(store, migrations, 0);
  const made = store
    .query<{ sql: string }, []>(
      `SELECT s.sql FROM sqlite_schema s JOIN pragma_table_list l ON l.schema = 'main' AND l.name = s.tbl_name
        WHERE s.sql IS NOT NULL AND l.type <> 'shadow' AND s.tbl_name <> 'migrations' AND s.name NOT LIKE 'sqlite_%'
        ORDER BY s.type = 'trigger', s.type = 'index', s.rowid`,
    )
    .all();
  const virtual = store
    .query<{ name: string }, []>("SELECT name FROM pragma_table_list WHERE type = 'virtual'")
    .all();
  // The settings of a virtual table are not in the schema.
  const settings = migrations
    .flatMap(statementsOf)
    .filter((sql) => virtual.some(({ name }) => sql.trim().startsWith(`INSERT INTO \`${name}\``)));
  store.close();
  return `${[...made.map(({ sql }) => sql), ...settings].map((sql) => sql.trim().replace(/;$/, "")).join(";\n")};`;
}

async function write(name: string, text: string): Promise<void> {
  const packed = Bun.zstdCompressSync(text, { level: 22 });
  const file = Bun.file(new URL(name, DATA));
  if ((await file.exists()) && Buffer.from(await file.bytes()).equals(packed)) return;
  await Bun.write(file, packed);
}

export async function writeMigrations(): Promise<void> {
  mkdirSync(DATA, { recursive: true });
  const migrations = journal.entries.map(({ tag, when }) => ({
    tag,
    createdAt: when,
    sql: sqlOf(tag),
  }));
  await write("migrations.zst", JSON.stringify(migrations));
  await write("schema.zst", schemaAfter(migrations));
}

if (import.meta.main) await writeMigrations();
