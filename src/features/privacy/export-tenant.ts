/**
 * Exports everything stored about one tenant as JSON lines `{"table","row"}` in one file (0600): every table
 * with a tenant id, and the rows that belong to those. Reads one snapshot, also while a server runs.
 *
 * Secrets are left out (encrypted passwords, key hashes, stored responses). Recordings are separate files;
 * the calls contain their names.
 */
import { constants, Database as Sqlite } from "bun:sqlite";
import { closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { AppError, notFound } from "../../core/errors.ts";
import { PARTIAL } from "../../ops/backup/snapshot.ts";
import { moveDurably } from "../../platform/files/durable-file.ts";

interface ExportReport {
  readonly file: string;
  /** Number of rows per table, without empty tables. */
  readonly rows: Readonly<Record<string, number>>;
}

const BUSY_TIMEOUT_MS = 5000;
const SECRET_COLUMN = /_sealed$|_hash$|^lease_/;
/** Tables without meaning outside this appliance, or derived from exported rows: sums, and the word index. */
const LEFT_OUT = new Set([
  "idempotency",
  "holds",
  "call_rollups",
  "call_days",
  "call_totals",
  "ledger_rollups",
]);
const IS_OF_INDEX = /^search_/;
/** Rows that belong to a tenant through their parent. */
const BY_PARENT: Readonly<Record<string, string>> = {
  turns: "call_id IN (SELECT id FROM calls WHERE tenant_id = ?)",
  tool_calls: "call_id IN (SELECT id FROM calls WHERE tenant_id = ?)",
  call_notes: "call_id IN (SELECT id FROM calls WHERE tenant_id = ?)",
  agent_files: "agent_id IN (SELECT id FROM agents WHERE tenant_id = ?)",
};

/** Throws not_found for an unknown tenant, conflict if `file` exists. */
export function exportTenant(databasePath: string, tenantId: number, file: string): ExportReport {
  if (existsSync(file))
    throw new AppError({
      code: "conflict",
      publicMessage: `${file} already exists. Use another file name.`,
    });
  const sqlite = new Sqlite(databasePath, constants.SQLITE_OPEN_READWRITE);
  const partial = `${file}${PARTIAL}`;
  try {
    sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    sqlite.run("PRAGMA query_only = ON");
    sqlite.run("BEGIN");
    if (!sqlite.query("SELECT 1 FROM tenants WHERE id = ?").get(tenantId)) throw notFound("tenant");
    rmSync(partial, { force: true });
    const rows = writeTables(sqlite, tenantId, partial);
    moveDurably(partial, file);
    return { file, rows };
  } finally {
    rmSync(partial, { force: true });
    sqlite.close(true);
  }
}

function writeTables(sqlite: Sqlite, tenantId: number, path: string): Record<string, number> {
  const rows: Record<string, number> = {};
  const handle = openSync(path, "wx", 0o600);
  try {
    for (const { table, where } of tablesOf(sqlite)) {
      const found = sqlite.query<Row, [number]>(`SELECT * FROM "${table}" WHERE ${where}`);
      for (const row of found.iterate(tenantId)) {
        writeSync(handle, `${JSON.stringify({ table, row: withoutSecrets(row) })}\n`);
        rows[table] = (rows[table] ?? 0) + 1;
      }
    }
  } finally {
    closeSync(handle);
  }
  return rows;
}

type Row = Record<string, string | number | null>;

const withoutSecrets = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !SECRET_COLUMN.test(column)));

/** Finds tables by their tenant_id column, so that future tables are included. */
function tablesOf(sqlite: Sqlite): { readonly table: string; readonly where: string }[] {
  const named = sqlite
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => name)
    .filter((name) => !LEFT_OUT.has(name) && !IS_OF_INDEX.test(name) && hasTenantId(sqlite, name))
    .map((table) => ({ table, where: "tenant_id = ?" }));
  const hanging = Object.entries(BY_PARENT).map(([table, where]) => ({ table, where }));
  return [{ table: "tenants", where: "id = ?" }, ...named, ...hanging];
}

const hasTenantId = (sqlite: Sqlite, table: string) =>
  sqlite.query("SELECT 1 FROM pragma_table_info(?) WHERE name = 'tenant_id'").get(table) !== null;
