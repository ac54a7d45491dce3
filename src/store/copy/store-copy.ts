/**
 * Copies a whole store into an empty one, table by table. Then it reads both again and compares them row by
 * row. The source is only read.
 *
 * An interrupted copy continues at its last row. Until it is done and verified, no linevoice starts on the
 * target (`UNFINISHED_COPY` among its migrations).
 */
import { createHash, type Hash } from "node:crypto";
import { conflict } from "../../core/errors.ts";
import {
  checkApplied,
  type Migration,
  UNFINISHED_COPY,
  withReplaced,
} from "../migration/migrate.ts";
import type { RawStore, StoredValue } from "./raw-store.ts";

export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
  /** Hash of all rows with their types, in the order of their key. */
  readonly sha256: string;
}

/**
 * Tables that belong to a store, not to its data. The word index is not copied either: `REINDEXED` rebuilds
 * it.
 */
const OWN_TABLES = ["migrations", "migration_lock", "commit_marks"];
const IS_OF_INDEX = /^search_/;
const REINDEXED =
  "INSERT INTO search_queue (tenant_id, call_id, due_at) SELECT tenant_id, id, ended_at FROM calls ORDER BY tenant_id, id";
const ROWS_FIRST = 16;
const ROWS_MAX = 500;
const PAGE_BYTES = 500_000;

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
/** Throws conflict if the target has data; nothing was changed then. */
export async function copyStore(source: RawStore, target: RawStore): Promise<CopiedTable[]> {
  const tables = await tablesOf(target);
  for (const table of tables) await requireSameColumns(source, target, table);
  if (!(await isUnfinished(target, source.name))) {
    await requireEmpty(target, tables);
    await begin(target, source.name);
  }
  for (const table of tables) await copyTable(source, target, table);
  const compared: CopiedTable[] = [];
  for (const table of tables) compared.push(await compareTable(source, target, table));
  await finish(source, target);
  return compared;
}

/** True if a copy into the target was started, from any source. A new store has no migrations. */
export async function isCopyBegun(target: RawStore): Promise<boolean> {
  const known = await target.rows("SELECT 1 FROM sqlite_master WHERE name = 'migrations'");
  if (known.length === 0) return false;
  return (await markOf(target)) !== null;
}

async function markOf(target: RawStore): Promise<string | null> {
  const sql = "SELECT hash FROM migrations WHERE tag = ?";
  const [row] = await target.rows(sql, [UNFINISHED_COPY]);
  return row ? String(row[0]) : null;
}

async function isUnfinished(target: RawStore, from: string): Promise<boolean> {
  const mark = await markOf(target);
  if (mark !== null && mark !== from)
    throw conflict(
      `${target.name} contains an unfinished copy of ${mark}. Finish that copy, or empty the store.`,
    );
  return mark !== null;
}

/** Throws conflict if the store misses migrations, MigrationRejected if it is newer. */
export async function requireUpToDate(source: RawStore, list: readonly Migration[]): Promise<void> {
  const rows = await source.rows("SELECT tag, hash FROM migrations");
  const stored = new Map(rows.map(([tag, hash]) => [String(tag), String(hash)]));
  const done = withReplaced(stored, list);
  checkApplied(done, list);
  if (list.some(({ tag }) => !done.has(tag)))
    throw conflict(
      `${source.name} was last used by an older linevoice. Start this version with it once, or run \`linevoice migrate up\`.`,
    );
}

async function tablesOf(store: RawStore): Promise<string[]> {
  const rows = await store.rows(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'
      AND name NOT GLOB 'libsql_*' ORDER BY name`,
  );
  return rows
    .map(([name]) => String(name))
    .filter((name) => !OWN_TABLES.includes(name) && !IS_OF_INDEX.test(name));
}

const columnsOf = async (store: RawStore, table: string): Promise<string[]> =>
  (await store.rows("SELECT name FROM pragma_table_info(?) ORDER BY cid", [table])).map(([name]) =>
    String(name),
  );

async function requireSameColumns(source: RawStore, target: RawStore, table: string) {
  const [here, there] = [await columnsOf(source, table), await columnsOf(target, table)];
  if (here.sort().join() !== there.sort().join())
    throw conflict(`The table ${table} of ${source.name} and of ${target.name} differ in columns.`);
}

async function requireEmpty(target: RawStore, tables: readonly string[]): Promise<void> {
  for (const table of tables)
    if ((await target.rows(`SELECT 1 FROM ${quoted(table)} LIMIT 1`)).length > 0)
      throw conflict(
        `${target.name} is not empty: its table ${table} has rows. Use an empty store.`,
      );
}

const triggersOf = (store: RawStore) =>
  store.rows("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name");

/** Removes the triggers, which would count the copied rows again. `finish` restores them. */
async function begin(target: RawStore, from: string): Promise<void> {
  await target.write([
    {
      sql: "INSERT INTO migrations (tag, hash, applied_at) VALUES (?, ?, 0)",
      args: [UNFINISHED_COPY, from],
    },
    ...(await triggersOf(target)).map(([name]) => ({
      sql: `DROP TRIGGER ${quoted(String(name))}`,
    })),
  ]);
}

async function finish(source: RawStore, target: RawStore): Promise<void> {
  const sequences = await source.rows("SELECT name, seq FROM sqlite_sequence");
  const present = new Set((await triggersOf(target)).map(([name]) => name));
  await target.write([
    { sql: "DELETE FROM sqlite_sequence" },
    ...sequences.map((args) => ({
      sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
      args,
    })),
    ...(await triggersOf(source))
      .filter(([name]) => !present.has(name ?? null))
      .map(([, sql]) => ({ sql: String(sql) })),
    { sql: REINDEXED },
    { sql: "DELETE FROM migrations WHERE tag = ?", args: [UNFINISHED_COPY] },
  ]);
}

interface Layout {
  /** Number of leading columns that form the key. Rows are ordered by it. */
  readonly key: number;
  /** Quoted names. */
  readonly columns: readonly string[];
}

async function layoutOf(store: RawStore, table: string): Promise<Layout> {
  const names = (await columnsOf(store, table)).map(quoted);
  const [[isKeyed = 0n] = []] = await store.rows(
    "SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'",
    [table],
  );
  if (isKeyed !== 1n) return { key: 1, columns: ["rowid", ...names] };
  const rows = await store.rows("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", [
    table,
  ]);
  const key = rows.map(([name]) => quoted(String(name)));
  return { key: key.length, columns: [...key, ...names.filter((name) => !key.includes(name))] };
}

type Key = readonly StoredValue[];

/** Rows in the order of their key, in pages of bounded size. `after` null: from the start. */
async function* pagesOf(
  store: RawStore,
  table: string,
  { key, columns }: Layout,
  after: Key | null,
) {
  const order = columns.slice(0, key).join(", ");
  const rest = `ORDER BY ${order} LIMIT ?`;
  const select = `SELECT ${columns.join(", ")} FROM ${quoted(table)}`;
  const places = Array(key).fill("?").join(", ");
  let last = after;
  for (let limit = ROWS_FIRST; ; ) {
    const rows = last
      ? await store.rows(`${select} WHERE (${order}) > (${places}) ${rest}`, [
          ...last,
          BigInt(limit),
        ])
      : await store.rows(`${select} ${rest}`, [BigInt(limit)]);
    const end = rows.at(-1);
    if (end === undefined) return;
    yield rows;
    last = end.slice(0, key);
    const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0);
    const fitting = Math.floor(PAGE_BYTES / Math.max(1, bytes / rows.length));
    limit = Math.min(ROWS_MAX, Math.max(1, fitting));
  }
}

const bytesOf = (row: readonly StoredValue[]) =>
  row.reduce<number>(
    (sum, value) =>
      sum + (typeof value === "string" || value instanceof Uint8Array ? value.length : 8),
    0,
  );

async function copyTable(source: RawStore, target: RawStore, table: string): Promise<void> {
  const layout = await layoutOf(target, table);
  const { key, columns } = layout;
  const sql = `INSERT INTO ${quoted(table)} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
  const names = columns.slice(0, key);
  const [newest = null] = await target.rows(
    `SELECT ${names.join(", ")} FROM ${quoted(table)} ORDER BY ${names.map((name) => `${name} DESC`).join(", ")} LIMIT 1`,
  );
  for await (const rows of pagesOf(source, table, layout, newest))
    await target.write(rows.map((args) => ({ sql, args })));
}

/** Throws conflict at the first difference. */
async function compareTable(
  source: RawStore,
  target: RawStore,
  table: string,
): Promise<CopiedTable> {
  const layout = await layoutOf(target, table);
  const copies = rowsOf(pagesOf(target, table, layout, null));
  const hash = createHash("sha256");
  let count = 0;
  const differs = (row: readonly StoredValue[] | undefined) =>
    conflict(
      `Row ${row?.slice(0, layout.key).join(" ")} of ${table} differs between ${source.name} and ${target.name}. If the source was in use during the copy, stop all nodes, empty the target and copy again.`,
    );
  for await (const row of rowsOf(pagesOf(source, table, layout, null))) {
    const { value: copy } = await copies.next();
    const text = written(row);
    if (!copy || written(copy) !== text) throw differs(row);
    add(hash, text);
    count++;
  }
  const { value: surplus } = await copies.next();
  if (surplus) throw differs(surplus);
  return { table, rows: count, sha256: hash.digest("hex") };
}

async function* rowsOf(
  pages: AsyncGenerator<StoredValue[][]>,
): AsyncGenerator<StoredValue[], undefined> {
  for await (const page of pages) yield* page;
  return undefined;
}

const add = (hash: Hash, text: string) => hash.update(text).update("\n");

/** A row with the types of its values: 1, 1.0 and "1" differ. */
const written = (row: readonly StoredValue[]) =>
  JSON.stringify(
    row.map((value) => {
      if (typeof value === "bigint") return ["i", String(value)];
      if (value instanceof Uint8Array) return ["b", Buffer.from(value).toString("base64")];
      return value;
    }),
  );
