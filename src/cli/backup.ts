/** `linevoice backup create|list|verify`. */
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { systemClock as clock } from "../core/clock.ts";
import { type BackupSummary, backupsDirOf, listBackups } from "../ops/backup/backups.ts";
import { type BackupReport, verifyBackup } from "../ops/backup/verify.ts";
import type { LoadedConfig } from "../ops/config/load.ts";
import { readAsInvoker, requireRegularFile, writeAsInvoker } from "./invoker-file.ts";
import { configFor, invokerConfig, operate } from "./operator.ts";
import { type Command, parse, required, type Terminal, table, WrongUsage } from "./usage.ts";

export const backupCommand: Command = {
  usage: ["backup create [--to F] [--json]", "backup list [--json]", "backup verify F [--json]"],
  notes: [
    "A backup contains the database, but not the recordings and the master key: keep a copy of",
    "<data>/master.key in another place, or stored passwords cannot be read after a restore.",
  ],
  async run(args, terminal) {
    const { values, words } = parse(args, { to: { type: "string" } }, 2);
    const [action, file] = words;
    if (action !== "verify" && file !== undefined)
      throw new WrongUsage(`Unexpected argument "${file}".`);
    if (action !== "create" && values.to !== undefined)
      throw new WrongUsage("--to is valid only for backup create.");
    const { config, json } = values;
    if (action === "create") return await create(config, json, values.to, terminal);
    if (action === "list") return list(config, json, terminal);
    if (action === "verify")
      return await verify(config, json, required(file, "The file"), terminal);
    throw new WrongUsage("Expected a subcommand: create, list or verify.");
  },
};

async function create(
  config: string | undefined,
  json: boolean,
  to: string | undefined,
  terminal: Terminal,
): Promise<number> {
  if (to === "") throw new WrongUsage("--to must be a file.");
  const made =
    to === undefined
      ? await operate(configFor(config, terminal), "backup.create", { to: null })
      : await createAt(invokerConfig(config, terminal), resolve(terminal.cwd, to));
  terminal.out(
    json ? JSON.stringify(made) : `${made.file} (${megabytes(made.size_bytes)}) was created.`,
  );
  return 0;
}

async function createAt(loaded: LoadedConfig, target: string): Promise<BackupSummary> {
  const made = await writeAsInvoker(loaded.dataDir, target, (file) =>
    operate(loaded, "backup.create", { to: file }),
  );
  return { ...made, file: target };
}

function list(config: string | undefined, json: boolean, terminal: Terminal): number {
  const { dataDir } = configFor(config, terminal);
  const backups = listBackups(dataDir);
  if (json) terminal.out(JSON.stringify(backups));
  else if (backups.length === 0) terminal.out("There are no backups yet.");
  else
    for (const line of table([
      ["MADE", "SIZE", "FILE"],
      ...backups.map(({ file, size_bytes, created_at }) => [
        created_at,
        megabytes(size_bytes),
        file,
      ]),
    ]))
      terminal.out(line);
  return 0;
}

async function verify(
  config: string | undefined,
  json: boolean,
  name: string,
  terminal: Terminal,
): Promise<number> {
  const { dataDir } = invokerConfig(config, terminal);
  const file = resolve(terminal.cwd, name);
  requireRegularFile(file);
  const found = await readAsInvoker(dataDir, file, async (readable) => {
    const scratch = backupsDirOf(dataDir);
    mkdirSync(scratch, { recursive: true, mode: 0o700 });
    return await verifyBackup(readable, scratch, clock.now());
  });
  const report = { ...found, file };
  if (json) terminal.out(JSON.stringify(report));
  else for (const line of inWords(report)) (report.ok ? terminal.out : terminal.err)(line);
  return report.ok ? 0 : 1;
}

function inWords(report: BackupReport): string[] {
  if (!report.ok) return [`${report.file} cannot be restored:`, ...report.problems];
  const pending = report.migrations_pending.length;
  const upgrade = pending === 0 ? "" : ` ${pending} migrations will be applied.`;
  return [
    `${report.file} can be restored: ${report.tenants} tenants, ${report.calls} calls, ledger in balance.${upgrade}`,
  ];
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
