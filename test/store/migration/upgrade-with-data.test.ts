/**
 * A released version's database with calls, money and contacts, upgraded through all migrations: its content is
 * kept, even if the upgrade is killed.
 */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openVault } from "../../../src/app/vault.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../../src/features/billing/ledger.ts";
import { encryptedColumns, SEALED_COLUMNS } from "../../../src/store/encrypted-columns.ts";
import { migrationStatus } from "../../../src/store/migration/migrate.ts";
import { migrations } from "../../../src/store/migration/migrations.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { fileProblems } from "../../../src/store/sqlite/integrity.ts";
import { orderOf } from "../../support/store/database-dump.ts";
import { FILLED_VERSIONS, filledBy, masterKeyOf } from "../../support/store/filled-by.ts";
import { tempDir } from "../../support/temp-dir.ts";

const PROGRAM = fileURLToPath(new URL("../../support/store/upgrade-process.ts", import.meta.url));
/** One bundled file starts in half the time, and each kill needs a start. */
const cwd = tempDir();
const built = await Bun.build({ entrypoints: [PROGRAM], target: "bun", outdir: cwd });
const program = built.outputs[0]?.path ?? "";
const KILL_LIMIT_MS = 300_000;
/** Rows that a migration changes intentionally, by its tag and the table. */
const CHANGES: Readonly<Record<string, Readonly<Record<string, (row: Row) => Row>>>> = {
  "0001_since_0_1_0": {
    call_memories: (row) =>
      String(row.outcome).startsWith("We spoke: ") ? { ...row, outcome: "We spoke." } : row,
  },
};

type Row = Readonly<Record<string, unknown>>;
type Content = ReadonlyMap<string, Row[]>;

const tablesOf = (db: Database): string[] =>
  db
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('migrations', 'sqlite_sequence') AND name NOT GLOB 'search_*' ORDER BY name",
    )
    .all()
    .map(({ name }) => name);

const contentOf = (db: Database): Content =>
  new Map(
    tablesOf(db).map((table) => [
      table,
      db.query<Row, []>(`SELECT * FROM "${table}" ORDER BY ${orderOf(db, table)}`).all(),
    ]),
  );

const tagsOf = (db: Database) =>
  db
    .query<{ tag: string }, []>("SELECT tag FROM migrations ORDER BY tag")
    .all()
    .map(({ tag }) => tag);

/** The current rows, with the earlier columns only. */
function withColumnsOf(before: readonly Row[], now: readonly Row[]): Row[] {
  const names = Object.keys(before[0] ?? {});
  return now.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
}

/** `tags`: the migrations between both. */
function expectCarried(before: Content, now: Content, tags: readonly string[]): void {
  for (const [table, rows] of before) {
    const changes = tags.map((tag) => CHANGES[tag]?.[table]).filter((change) => change != null);
    const expected = rows.map((row) => changes.reduce((changed, change) => change(changed), row));
    const found = now.get(table) ?? [];
    expect([table, withColumnsOf(rows, found)]).toEqual([table, expected]);
    if (rows.length === 0) expect([table, found]).toEqual([table, []]);
  }
}

/** A data directory with that version's database; returns its content and the missing migrations. */
function directoryOf(version: string) {
  const dataDir = tempDir();
  const file = join(dataDir, "linevoice.db");
  const filled = filledBy(version, file);
  const before = contentOf(filled);
  const missing = migrationStatus(filled, migrations).filter(({ applied }) => !applied);
  filled.close();
  return { dataDir, file, before, missing: missing.map(({ tag }) => tag) };
}

function read<Result>(file: string, look: (db: Database) => Result): Result {
  const db = new Database(file, { readwrite: true });
  try {
    return look(db);
  } finally {
    db.close();
  }
}

test("every released version has a stored database", () => {
  const changelog = readFileSync(join(import.meta.dir, "../../../CHANGELOG.md"), "utf8");
  const released = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(
    ([, version]) => version,
  );
  expect(FILLED_VERSIONS.toSorted()).toEqual(released.map(String).toSorted());
});

test.each(FILLED_VERSIONS)(
  "calls, money and contacts of %s survive all migrations",
  async (version) => {
    const { file, before, missing } = directoryOf(version);
    for (const table of ["calls", "turns", "contacts", "ledger_entries", "mails", "schedules"])
      expect([table, before.get(table)?.length]).not.toEqual([table, 0]);
    const database = openDatabase(file, 1);
    expectCarried(before, read(file, contentOf), missing);
    expect(fileProblems(file, "integrity_check")).toEqual([]);
    expect(await verifyLedger(billingStores(database.read))).toEqual([]);
    const vault = await openVault(database, masterKeyOf(version), systemRandom);
    let opened = 0;
    for (const column of SEALED_COLUMNS)
      for (const row of await encryptedColumns(database.read).rows(column)) {
        expect(vault.open(row.sealed, column.binding(row)).length).toBeGreaterThan(0);
        opened++;
      }
    expect(opened).toBeGreaterThan(2);
    await database.close();
  },
);

test("a number of 0.1.0 with an answered call is confirmed, another one stays a claim", async () => {
  const { file } = directoryOf("0.1.0");
  read(file, (db) =>
    db.run("INSERT INTO phone_numbers SELECT 2, 1, '+37052000002', NULL, NULL, 1, 0"),
  );
  await openDatabase(file, 1).close();
  const found = read(file, (db) =>
    db.query("SELECT number_e164, confirmed_at FROM phone_numbers ORDER BY id").values(),
  );
  const [first] = read(file, (db) =>
    db
      .query("SELECT min(answered_at) FROM calls WHERE direction = 'inbound' AND tenant_id = 1")
      .values(),
  );
  expect(first).toEqual([expect.any(Number)]);
  expect(found).toEqual([
    ["+37052000001", ...(first ?? [])],
    ["+37052000002", null],
  ]);
});

test.each(FILLED_VERSIONS)(
  "killed at any statement of the upgrade, the database of %s is the old or the new one, and the next start finishes it",
  async (version) => {
    const { dataDir, file, before, missing } = directoryOf(version);
    const [oldTags, newTags] = [read(file, tagsOf), migrations.map(({ tag }) => tag)];
    let kills = 0;
    for (let isOver = false; !isOver; ) {
      const child = Bun.spawn([process.execPath, program, dataDir, String(++kills)], {
        cwd,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "inherit",
      });
      isOver = (await new Response(child.stdout).text()) === "over";
      await child.exited;
      expect([kills, child.signalCode]).toEqual([kills, "SIGKILL"]);
      expect(fileProblems(file, "quick_check")).toEqual([]);
      const tags = read(file, tagsOf);
      const isUpgraded = tags.at(-1) === newTags.at(-1);
      expect([kills, tags]).toEqual([kills, isUpgraded ? newTags : oldTags]);
      expectCarried(before, read(file, contentOf), isUpgraded ? missing : []);
    }
    expect(kills).toBeGreaterThan(missing.length);
    await openDatabase(file, 1).close();
    expect(read(file, tagsOf)).toEqual(newTags);
    expectCarried(before, read(file, contentOf), missing);
    const [first] = missing;
    if (first !== undefined)
      expect(read(join(dataDir, `backups/before-${first}.db`), contentOf)).toEqual(before);
  },
  KILL_LIMIT_MS,
);
