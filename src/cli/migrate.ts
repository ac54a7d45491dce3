/** `linevoice migrate status|up`. */
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { prepareDataDir } from "../app/storage.ts";
import { systemClock } from "../core/clock.ts";
import { copyBeforeUpgrade } from "../ops/backup/before-upgrade.ts";
import { awaitDataDir } from "../ops/data-dir-lock.ts";
import { type MigrationStatus, migrate, migrationStatus } from "../store/migration/migrate.ts";
import { migrations, schemaAfterAll } from "../store/migration/migrations.ts";
import { configFor, requireDatabaseFile } from "./operator.ts";
import { type Command, parse, WrongUsage } from "./usage.ts";

export const migrateCommand: Command = {
  usage: ["migrate status [--json]", "migrate up [--dry-run] [--json]"],
  async run(args, terminal) {
    const { values, words } = parse(args, { "dry-run": { type: "boolean", default: false } }, 1);
    const [action] = words;
    if (action !== "status" && action !== "up")
      throw new WrongUsage("Expected a subcommand: status or up.");
    const { config, dataDir } = configFor(values.config, terminal);
    requireDatabaseFile(
      config,
      "`linevoice migrate` (at the start of a node; only one node migrates)",
    );
    if (action === "status") {
      const list = statusOf(dataDir);
      if (values.json) terminal.out(JSON.stringify(list));
      else
        for (const { tag, applied } of list)
          terminal.out(`${applied ? "done   " : "pending"} ${tag}`);
      return 0;
    }
    const pending = pendingOf(dataDir);
    const { tags, copy } =
      values["dry-run"] || pending.length === 0
        ? { tags: pending, copy: null }
        : await bringUp(dataDir);
    const done = values["dry-run"] ? "would apply" : "applied";
    if (values.json) terminal.out(JSON.stringify({ dry_run: values["dry-run"], tags, copy }));
    else if (tags.length === 0) terminal.out("The database is up to date.");
    else for (const tag of tags) terminal.out(`${done} ${tag}`);
    if (copy && !values.json) terminal.out(`Backup of the previous database: ${copy}`);
    return 0;
  },
};

const fileOf = (dataDir: string) => `${dataDir}/linevoice.db`;

/** Without a database all migrations are pending. Does not create a database. */
function statusOf(dataDir: string): MigrationStatus[] {
  const file = fileOf(dataDir);
  if (!existsSync(file)) return migrations.map(({ tag }) => ({ tag, applied: false }));
  const stored = new Database(file, { readwrite: true, create: false });
  try {
    stored.run("PRAGMA busy_timeout = 5000");
    return migrationStatus(stored, migrations);
  } finally {
    stored.close();
  }
}

const pendingOf = (dataDir: string) =>
  statusOf(dataDir)
    .filter(({ applied }) => !applied)
    .map(({ tag }) => tag);

/** Copies an existing database first, so that the migration can be undone. */
async function bringUp(
  dataDir: string,
): Promise<{ readonly tags: string[]; readonly copy: string | null }> {
  const lock = await awaitDataDir(dataDir, "command");
  try {
    prepareDataDir(dataDir);
    const copy = copyBeforeUpgrade(dataDir, fileOf(dataDir));
    const database = new Database(fileOf(dataDir), { create: true });
    try {
      database.run("PRAGMA journal_mode = WAL");
      return { tags: migrate(database, migrations, systemClock.now(), schemaAfterAll), copy };
    } finally {
      database.close();
    }
  } finally {
    lock.release();
  }
}
