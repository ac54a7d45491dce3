/** `linevoice restore`: replaces the database with a backup and keeps the old database. */
import { join, resolve } from "node:path";
import { prepareDataDir } from "../app/storage.ts";
import { systemClock as clock } from "../core/clock.ts";
import { lostSince } from "../ops/backup/lost-since.ts";
import { restoreBackup } from "../ops/backup/restore.ts";
import { awaitDataDir } from "../ops/data-dir-lock.ts";
import { asOwnerOf } from "../ops/drop-privileges.ts";
import { readAsInvoker, requireRegularFile } from "./invoker-file.ts";
import { invokerConfig, requireDatabaseFile } from "./operator.ts";
import { aboutRevocations, bringUpToJournal } from "./restored-revocations.ts";
import { type Command, parse, required, type Terminal } from "./usage.ts";

const OPTIONS = {
  yes: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
} as const;

export const restoreCommand: Command = {
  usage: ["restore F [--yes] [--json]", "restore F --dry-run [--json]"],
  notes: [
    "--dry-run: only show which data the restore would lose. The server can be running.",
    "Stop the server first. The current database is kept in <data>/before-restore-<time>/.",
    "Revocations, erasures and do-not-call requests after the backup are repeated from <data>/revocations.journal.",
  ],
  async run(args, terminal) {
    const { values, words } = parse(args, OPTIONS, 1);
    const file = resolve(terminal.cwd, required(words[0], "The file"));
    const loaded = invokerConfig(values.config, terminal);
    const { config, dataDir } = loaded;
    requireDatabaseFile(config, "`linevoice restore`");
    requireRegularFile(file);
    if (values["dry-run"]) {
      const lost = await lostBy(file, dataDir);
      terminal.out(values.json ? JSON.stringify({ lost }) : inWords(lost));
      return 0;
    }
    const lock = await asOwnerOf(dataDir, () => awaitDataDir(dataDir, "command"));
    try {
      if (!values.yes && !(await confirmed(file, dataDir, terminal))) return 1;
      const done = await readAsInvoker(dataDir, file, async (readable) => {
        const databasePath = prepareDataDir(dataDir).database;
        return await restoreBackup({ file: readable, dataDir, databasePath, clock });
      });
      const revoked = await asOwnerOf(dataDir, () => bringUpToJournal(loaded));
      const restored = { ...done, file, revocations: revoked };
      if (values.json) terminal.out(JSON.stringify(restored));
      else {
        terminal.out(`Restored: ${restored.tenants} tenants, ${restored.calls} calls.`);
        if (restored.previousCopy)
          terminal.out(`The previous data was kept in ${restored.previousCopy}.`);
        if (restored.campaignsPaused > 0)
          terminal.out(
            `Running campaigns are paused (${restored.campaignsPaused}), because they would repeat the calls made since the backup. Resume them in the dashboard.`,
          );
        for (const line of aboutRevocations(revoked, dataDir)) terminal.out(line);
      }
      return 0;
    } finally {
      lock.release();
    }
  },
};

async function confirmed(file: string, dataDir: string, terminal: Terminal): Promise<boolean> {
  terminal.err(`${file} will replace the database in ${dataDir}.`);
  terminal.err(await lostBy(file, dataDir).then(inWords, () => DAMAGED));
  terminal.err('Type "yes" to continue (or use --yes):');
  for await (const line of console) {
    if (line.trim().toLowerCase() === "yes") return true;
    break;
  }
  terminal.err("Nothing was changed.");
  return false;
}

const DAMAGED =
  "It is not known which data is lost, because the database or the backup cannot be read.";

/**
 * Only the invoking user may be able to read the backup, and only the data's owner the database.
 */
const lostBy = (file: string, dataDir: string) =>
  readAsInvoker(dataDir, file, async (readable) =>
    lostSince(join(dataDir, "linevoice.db"), readable),
  );

const inWords = (lost: readonly string[]) =>
  lost.length === 0
    ? "This loses nothing: the backup has all calls, entries and files of the database."
    : `Data missing from the backup will be lost: ${lost.join(", ")}.`;
