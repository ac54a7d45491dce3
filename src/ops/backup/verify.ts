/**
 * Verifies a backup by a restore to a temporary place. The copy is checked page by page and row by row,
 * migrated, and its ledger is audited. The backup itself is only read.
 */
import { Database as Sqlite } from "bun:sqlite";
import { chmodSync, copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describeError } from "../../core/errors.ts";
import { billingStores } from "../../features/billing/billing-stores.ts";
import { verifyLedger } from "../../features/billing/ledger.ts";
import { migrationStatus } from "../../store/migration/migrate.ts";
import { migrations } from "../../store/migration/migrations.ts";
import { openDatabase } from "../../store/sqlite/database.ts";
import { integrityProblems } from "../../store/sqlite/integrity.ts";

export interface BackupReport {
  readonly file: string;
  readonly ok: boolean;
  readonly size_bytes: number;
  readonly tenants: number;
  readonly calls: number;
  /** Migrations that this binary would apply to the restored database. */
  readonly migrations_pending: readonly string[];
  /** One sentence per problem; empty if the backup can be restored. */
  readonly problems: readonly string[];
}

/** Prefix of the temporary directories' names. */
export const VERIFY_PREFIX = ".verify-";
const PRIVATE_FILE = 0o600;

type Findings = Omit<BackupReport, "file" | "ok" | "size_bytes">;

const NOTHING_FOUND: Findings = { tenants: 0, calls: 0, migrations_pending: [], problems: [] };

/** Needs space for one more copy in `scratchDir`. Throws if `file` cannot be read. */
export async function verifyBackup(
  file: string,
  scratchDir: string,
  nowMs: number,
): Promise<BackupReport> {
  const size = statSync(file).size;
  const place = mkdtempSync(join(scratchDir, VERIFY_PREFIX));
  try {
    const copy = join(place, "linevoice.db");
    copyFileSync(file, copy);
    chmodSync(copy, PRIVATE_FILE);
    const found = await findings(copy, nowMs);
    return { file, ok: found.problems.length === 0, size_bytes: size, ...found };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function findings(copy: string, nowMs: number): Promise<Findings> {
  try {
    const asStored = inspect(copy);
    if (asStored.problems.length > 0) return asStored;
    return { ...asStored, problems: await problemsWhenInUse(copy, nowMs) };
  } catch (error) {
    return { ...NOTHING_FOUND, problems: [`It cannot be opened: ${describeError(error)}`] };
  }
}

function inspect(copy: string): Findings {
  const sqlite = new Sqlite(copy, { readwrite: true, create: false });
  try {
    const damage = integrityProblems(sqlite, "integrity_check");
    if (damage.length > 0) return { ...NOTHING_FOUND, problems: damage };
    const status = migrationStatus(sqlite, migrations);
    if (!status.some(({ applied }) => applied))
      return { ...NOTHING_FOUND, problems: ["It is not a Linevoice database."] };
    const orphans = sqlite.query("PRAGMA foreign_key_check").all().length;
    return {
      tenants: countOf(sqlite, "tenants"),
      calls: countOf(sqlite, "calls"),
      migrations_pending: status.filter(({ applied }) => !applied).map(({ tag }) => tag),
      problems: orphans === 0 ? [] : [`${orphans} rows refer to missing rows.`],
    };
  } finally {
    sqlite.close(true);
  }
}

const countOf = (sqlite: Sqlite, table: "tenants" | "calls") =>
  sqlite.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;

/** Opens the copy as the server would: migrates it and audits the ledger. */
async function problemsWhenInUse(copy: string, nowMs: number): Promise<string[]> {
  const database = openDatabase(copy, nowMs);
  try {
    return await verifyLedger(billingStores(database.read));
  } finally {
    await database.close();
  }
}
