/**
 * `linevoice support-bundle`: an archive for support: version, effective configuration, doctor,
 * logs, migrations, counts. It contains only harmless data: secrets are never read, and text that
 * looks like a telephone number or an address is masked.
 */
import { Database } from "bun:sqlite";
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { cpus, freemem, loadavg, release, tmpdir, totalmem, uptime } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { createControlClient, NoServer } from "../control/client.ts";
import { systemClock as clock } from "../core/clock.ts";
import { AppError, conflict, describeError } from "../core/errors.ts";
import { showConfig } from "../ops/config/show.ts";
import { asOwnerOf } from "../ops/drop-privileges.ts";
import { masked } from "../ops/mask.ts";
import { migrationStatus } from "../store/migration/migrate.ts";
import { migrations } from "../store/migration/migrations.ts";
import { doctorCommand } from "./doctor.ts";
import { controlSocketOf, invokerConfig, operate } from "./operator.ts";
import { type Command, parse, type Terminal, WrongUsage } from "./usage.ts";
import { version } from "./version.ts";

const LOG_LINES = 2000;

export const supportBundleCommand: Command = {
  usage: ["support-bundle [--to FILE] [--json]"],
  notes: ["Review it before you send it: tar -xzf FILE"],
  async run(args, terminal) {
    const { values } = parse(args, { to: { type: "string" } }, 0);
    if (values.to === "") throw new WrongUsage("--to must be a file.");
    const stamp = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, "");
    const file = resolve(terminal.cwd, values.to ?? `linevoice-support-${stamp}.tar.gz`);
    if (existsSync(file)) throw conflict(`${file} exists already.`);
    const loaded = invokerConfig(values.config, terminal);
    const directory = mkdtempSync(join(tmpdir(), "linevoice-support-"));
    const name = `linevoice-support-${stamp}`;
    try {
      const contents = await asOwnerOf(loaded.dataDir, () =>
        gather(values.config, terminal, loaded),
      );
      for (const [part, text] of Object.entries(contents))
        writeFileSync(join(directory, part), masked(text));
      pack(directory, name, file);
      const parts = Object.keys(contents);
      if (values.json) terminal.out(JSON.stringify({ file, parts }));
      else {
        terminal.out(`${file} (${parts.join(", ")})`);
        terminal.out(`Review it before you send it: tar -tzf ${basename(file)}`);
      }
      return 0;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

type Loaded = ReturnType<typeof invokerConfig>;

async function gather(
  config: string | undefined,
  terminal: Terminal,
  loaded: Loaded,
): Promise<Record<string, string>> {
  const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const attempt = async (what: () => unknown) => {
    try {
      return pretty(await what());
    } catch (error) {
      return pretty({ failed: describeError(error) });
    }
  };
  return {
    "about.json": pretty(about(loaded)),
    "config.json": pretty(
      showConfig(loaded).map(({ key, value, source }) => ({ key, value, source })),
    ),
    "doctor.json": await attempt(() => doctor(config, terminal)),
    "database.json": await attempt(() => databaseFacts(loaded)),
    "trunks.json": await attempt(() => trunks(loaded)),
    "log.jsonl": await logLines(loaded),
  };
}

function about({ dataDir }: Loaded) {
  const { bavail, bsize, blocks } = statfsSync(existsSync(dataDir) ? dataDir : dirname(dataDir));
  return {
    version,
    runtime: `bun ${Bun.version}`,
    system: { platform: process.platform, arch: process.arch, kernel: release() },
    cores: cpus().length,
    load: loadavg(),
    memory_bytes: { total: totalmem(), free: freemem() },
    disk_bytes: { total: blocks * bsize, free: bavail * bsize },
    uptime_sec: Math.round(uptime()),
    made_at: new Date(clock.now()).toISOString(),
  };
}

/** Runs the doctor with --json and returns its output. */
async function doctor(config: string | undefined, terminal: Terminal): Promise<unknown> {
  const lines: string[] = [];
  const args = ["--json", ...(config === undefined ? [] : ["--config", config])];
  await doctorCommand.run(args, { ...terminal, out: (line) => lines.push(line), err: () => {} });
  return JSON.parse(lines.join("\n"));
}

/** Row counts, sizes and migrations, without the content of any row. */
function databaseFacts({ dataDir, config }: Loaded) {
  if (config.storage.database !== "file") return { store: "a libSQL server" };
  const file = join(dataDir, "linevoice.db");
  if (!existsSync(file)) return { store: "no database yet" };
  const database = new Database(file, { readonly: true });
  try {
    const tables = database
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'search_index' ORDER BY name",
      )
      .all();
    const count = (name: string) =>
      database.query<{ n: number }, []>(`SELECT count(*) AS n FROM "${name}"`).get()?.n ?? 0;
    const ends = database
      .query<{ reason: string; n: number }, []>(
        "SELECT coalesce(ended_reason, status) AS reason, count(*) AS n FROM calls GROUP BY 1 ORDER BY 2 DESC",
      )
      .all();
    return {
      store: "file",
      bytes: Bun.file(file).size,
      rows: Object.fromEntries(tables.map(({ name }) => [name, count(name)])),
      calls_by_end: Object.fromEntries(ends.map(({ reason, n }) => [reason, n])),
      migrations: migrationStatus(database, migrations),
    };
  } finally {
    database.close();
  }
}

/** Registration states without the names of the tenants. */
async function trunks(loaded: Loaded) {
  const list = await createControlClient(controlSocketOf(loaded))
    .ask("trunk.list", {})
    .catch((error: unknown) => {
      if (error instanceof NoServer) return null;
      throw error;
    });
  if (list === null) return { server: "not running" };
  return list.map(({ id, transport, port, register, status, last_code, explanation }) => ({
    id,
    transport,
    port,
    register,
    status,
    last_code,
    explanation,
  }));
}

async function logLines(loaded: Loaded): Promise<string> {
  try {
    const question = { call: null, level: "info", limit: LOG_LINES } as const;
    const lines = await operate(loaded, "logs.read", question);
    return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  } catch (error) {
    return `${JSON.stringify({ failed: describeError(error) })}\n`;
  }
}

/**
 * Uses tar(1), which every machine with systemd has. Only the invoking user may read the archive.
 */
function pack(directory: string, name: string, file: string): void {
  const packed = Bun.spawnSync(
    [
      "tar",
      "-cz",
      "--owner=0",
      "--group=0",
      "--mode=u=rwX,go=",
      `--transform=s|^\\.|${name}|`,
      "-C",
      directory,
      ".",
    ],
    { stdout: "pipe", stderr: "pipe" },
  );
  if (packed.exitCode !== 0)
    throw new AppError({
      code: "engine",
      publicMessage: `The archive could not be created: ${packed.stderr.toString().trim()}`,
    });
  writeFileSync(file, packed.stdout, { mode: 0o600, flag: "wx" });
}
