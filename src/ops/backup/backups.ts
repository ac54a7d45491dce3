/**
 * The backups of one data directory in `<data>/backups`: creates, lists and prunes them. Deletes only files
 * with a backup's name. The migrator's copies there (`before-….db`) are listed and never deleted.
 *
 * A backup contains only the database, not the recordings or the master key.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { type Clock, isoUtc } from "../../core/clock.ts";
import { PARTIAL, writeSnapshot } from "./snapshot.ts";
import { VERIFY_PREFIX } from "./verify.ts";

export interface BackupSummary {
  /** Absolute path. */
  readonly file: string;
  readonly size_bytes: number;
  readonly created_at: string;
}

/** Writes the snapshot and returns its size in bytes. A server runs it in a worker. */
type SnapshotWriter = (databasePath: string, target: string) => Promise<number>;

export interface Backups {
  /**
   * `target` null: into the backups directory, named after the time. Throws conflict for an
   * existing file.
   */
  create(target: string | null): Promise<BackupSummary>;
  /**
   * Deletes all but the newest `keep` backups, and leftovers of crashes. Never deletes `latest`. Backups with
   * a later name date from a time with a wrong clock, and are deleted first.
   */
  prune(keep: number, latest: string): void;
}

const PRIVATE_DIRECTORY = 0o700;
const OWN = /^linevoice-\d{8}T\d{9}Z\.db$/;
const LEFTOVER_AGE_MS = 86_400_000;

export const backupsDirOf = (dataDir: string) => join(dataDir, "backups");

/** `linevoice-20261121T033000000Z.db`: sorts by time. */
const nameAt = (nowMs: number) =>
  `linevoice-${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, "")}.db`;

/** Newest first. Empty if the directory does not exist. */
export function listBackups(dataDir: string): BackupSummary[] {
  const directory = backupsDirOf(dataDir);
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith(".db"))
    .map((name) => {
      const file = join(directory, name);
      const { size, mtimeMs } = statSync(file);
      return { file, size, mtimeMs };
    })
    .sort((a, b) => b.mtimeMs - a.mtimeMs || b.file.localeCompare(a.file))
    .map(({ file, size, mtimeMs }) => ({
      file,
      size_bytes: size,
      created_at: isoUtc(mtimeMs),
    }));
}

export function createBackups(options: {
  readonly dataDir: string;
  readonly databasePath: string;
  readonly clock: Clock;
  readonly write?: SnapshotWriter;
  /** Throws, with advice, if the database is not a file. */
  readonly requireFile?: () => void;
}): Backups {
  const { dataDir, databasePath, clock } = options;
  const write = options.write ?? (async (source, target) => writeSnapshot(source, target));
  const directory = backupsDirOf(dataDir);

  function dropLeftovers(): void {
    for (const name of readdirSync(directory)) {
      if (!name.startsWith(VERIFY_PREFIX) && !name.endsWith(PARTIAL)) continue;
      const path = join(directory, name);
      if (clock.now() - statSync(path).mtimeMs > LEFTOVER_AGE_MS)
        rmSync(path, { recursive: true, force: true });
    }
  }

  return {
    async create(target) {
      options.requireFile?.();
      mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY });
      const nowMs = clock.now();
      const file = target ?? join(directory, nameAt(nowMs));
      const bytes = await write(databasePath, file);
      return { file, size_bytes: bytes, created_at: isoUtc(nowMs) };
    },

    prune(keep, latest) {
      const own = readdirSync(directory).filter((name) => OWN.test(name));
      const [late, past] = [
        own.filter((name) => name > basename(latest)),
        own.filter((name) => name < basename(latest)),
      ];
      const older = [...late.sort(), ...past.sort()];
      for (const name of older.slice(0, Math.max(0, older.length - (keep - 1))))
        rmSync(join(directory, name), { force: true });
      dropLeftovers();
    },
  };
}
