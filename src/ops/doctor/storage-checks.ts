/**
 * Checks of the disk: permissions, the database and its ledger, the clock, free space, file descriptors,
 * backups.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { isoUtc } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { billingStores } from "../../features/billing/billing-stores.ts";
import { verifyLedger } from "../../features/billing/ledger.ts";
import { trunkPasswordBinding } from "../../features/trunk/trunk-store.ts";
import { createVault } from "../../platform/secrets/vault.ts";
import { applianceSecretBinding } from "../../store/encrypted-columns.ts";
import { MigrationRejected, migrationStatus } from "../../store/migration/migrate.ts";
import { migrations } from "../../store/migration/migrations.ts";
import { integrityProblems, isDamage } from "../../store/sqlite/integrity.ts";
import { openReadOnly } from "../../store/sqlite/read-only.ts";
import { listBackups } from "../backup/backups.ts";
import { clockDoubt } from "../clock-sanity.ts";
import { serverPid } from "../data-dir-lock.ts";
import { descriptorsOf, MORE_DESCRIPTORS, tooFewDescriptors } from "../descriptor-watch.ts";
import { CALL_BYTES_MIN, freeBytesOf, hasInodes, RECORDING_BYTES_MIN } from "../disk-watch.ts";
import { foreignFileIn, givingBack } from "../drop-privileges.ts";
import { isSynchronised } from "../time-server.ts";
import { type Check, failed, ok, skipped, warning } from "./check.ts";

const OTHERS = 0o077;
const PRIVATE_FILES = ["linevoice.db", "linevoice.db-wal", "master.key", "control.sock"];
const HOUR_MS = 3_600_000;
/** One day plus some hours, because a nightly backup may be late. */
const BACKUP_AGE_MS_MAX = 30 * HOUR_MS;
/** An earlier time means a wrong clock, because this program did not exist then. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
const CLOCK_SLACK_MS = 60_000;

export const dataDirectory: Check = {
  name: "data directory",
  run({ dataDir }) {
    if (!existsSync(dataDir)) return skipped(`${dataDir} will be created at the first start.`);
    const open = [dataDir, ...PRIVATE_FILES.map((name) => join(dataDir, name))].filter(
      (path) => existsSync(path) && (statSync(path).mode & OTHERS) !== 0,
    );
    if (open.length > 0)
      return failed(`Other users can read ${open.join(", ")}.`, `chmod go= ${open.join(" ")}`);
    try {
      accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EROFS")
        return failed(`${dataDir} is on a read-only disk.`, "See why: dmesg");
      return failed(
        `This user cannot write to ${dataDir}.`,
        `Run this as the server's user, or: chown -R linevoice: ${dataDir}`,
      );
    }
    const foreign = foreignFileIn(dataDir);
    if (foreign !== null)
      return failed(`${foreign} belongs to another user.`, givingBack(dataDir, foreign));
    return ok(`${dataDir} is private and writable.`);
  },
};

export const databaseAndLedger: Check = {
  name: "database",
  async run({ config, dataDir, databasePath }) {
    const { database } = config.storage;
    if (database !== "file")
      return skipped(`It is on ${database}. /readyz shows whether it responds.`);
    if (!existsSync(databasePath)) return skipped("There is no database yet.");
    const newest = listBackups(dataDir)[0]?.file ?? "F";
    const restore = `Stop the server, then: linevoice restore ${newest}`;
    try {
      const stored = openReadOnly(databasePath);
      try {
        const [damage] = integrityProblems(stored.sqlite, "quick_check");
        if (damage !== undefined) return failed(`It is damaged: ${damage}`, restore);
        const status = migrationStatus(stored.sqlite, migrations);
        const pending = status.filter(({ applied }) => !applied).length;
        if (pending > 0)
          return warning(`${pending} migrations are pending.`, "linevoice migrate up");
        const [imbalance] = await verifyLedger(billingStores(stored.queries));
        if (imbalance !== undefined)
          return failed(`The ledger does not add up: ${imbalance}`, restore);
        return ok("The file is intact and up to date, and the ledger adds up.");
      } finally {
        stored.close();
      }
    } catch (error) {
      if (error instanceof MigrationRejected)
        return failed(
          error.message,
          "Compare versions and backups: linevoice version; linevoice backup list",
        );
      const look = `Check whether its disk is full, read-only or failing: df -h ${dataDir}; dmesg`;
      return failed(`It cannot be read: ${describeError(error)}`, isDamage(error) ? restore : look);
    }
  },
};

export const secrets: Check = {
  name: "secrets",
  run({ databasePath, masterKey, dataDir, unusedKeyFile }) {
    const key = masterKey();
    if (!existsSync(databasePath)) return skipped("Nothing is encrypted yet.");
    const remedy =
      "Restore the previous key: [secrets] master_key, its credential, or <data>/master.key. If a key rotation was interrupted: linevoice key rotate-master";
    if (key === null) return failed("There is no master key. The server cannot start.", remedy);
    const vault = createVault(key);
    const opens = (sealed: string, binding: string): boolean => {
      try {
        vault.open(sealed, binding);
        return true;
      } catch {
        return false;
      }
    };
    const stored = openReadOnly(databasePath);
    try {
      // Without these the server does not start; a new appliance has no other encrypted data.
      const own = stored.sqlite
        .query<{ name: string; sealed: string }, []>("SELECT name, sealed FROM appliance_secrets")
        .all();
      if (!own.every(({ name, sealed }) => opens(sealed, applianceSecretBinding(name))))
        return failed("The master key is not the one that encrypted this data.", remedy);
      const passwords = stored.sqlite
        .query<{ id: number; sealed: string }, []>(
          "SELECT id, password_sealed AS sealed FROM trunks ORDER BY id LIMIT 1000",
        )
        .all();
      const bad = passwords.find(({ id, sealed }) => !opens(sealed, trunkPasswordBinding(id)));
      if (bad)
        return failed(
          `The password of trunk ${bad.id} cannot be decrypted with the master key.`,
          "Set it again: linevoice trunk set",
        );
      const found = `The master key decrypts the stored secrets (${passwords.length} trunk passwords).`;
      return unusedKeyFile
        ? ok(
            `${found} It is in ${join(dataDir, "master.key")}. Keep a copy of it. ${unusedKeyFile} is not used.`,
          )
        : ok(found);
    } finally {
      stored.close();
    }
  },
};

export const clockSanity: Check = {
  name: "clock",
  async run({ clock, dataDir, databasePath, trunks }) {
    const remedy = "timedatectl set-ntp true";
    const nowMs = clock.now();
    if (nowMs < EARLIEST_MS) return failed(`The clock shows ${isoUtc(nowMs)}.`, remedy);
    const newestMs = existsSync(databasePath) ? newestCallMs(databasePath) : 0;
    if (newestMs > nowMs + CLOCK_SLACK_MS)
      return failed(
        `The clock shows ${isoUtc(nowMs)}, but a call was stored at ${isoUtc(newestMs)}.`,
        remedy,
      );
    const doubt = clockDoubt(dataDir, nowMs, trunks !== null);
    if (doubt !== null) return warning(doubt, "linevoice clock confirm");
    const synchronised = await isSynchronised(clock);
    if (synchronised === false)
      return warning(`It is ${isoUtc(nowMs)}, and the clock is not synchronised.`, remedy);
    return ok(`It is ${isoUtc(nowMs)}${synchronised ? ", synchronised by NTP" : ""}.`);
  },
};

function newestCallMs(databasePath: string): number {
  const stored = openReadOnly(databasePath);
  try {
    const query = stored.sqlite.query<{ at: number | null }, []>(
      "SELECT max(created_at) AS at FROM (SELECT created_at FROM calls ORDER BY id DESC LIMIT 1)",
    );
    return query.get()?.at ?? 0;
  } catch {
    return 0; // the database check reports the error
  } finally {
    stored.close();
  }
}

export const diskRoom: Check = {
  name: "disk",
  run({ dataDir }) {
    if (!existsSync(dataDir)) return skipped("There is no data directory yet.");
    const free = freeBytesOf(dataDir)();
    const finding = `${Math.floor(free / 1_048_576)} MiB are free.`;
    const remedy = `Free up disk space in ${dataDir}: du -xh ${dataDir} | sort -h | tail`;
    if (!hasInodes(dataDir))
      return failed(
        "No inode is left, so calls cannot be recorded.",
        `Delete files: df -i ${dataDir}`,
      );
    if (free < CALL_BYTES_MIN) return failed(`${finding} New calls are rejected.`, remedy);
    if (free < RECORDING_BYTES_MIN) return failed(`${finding} Calls are not recorded.`, remedy);
    return ok(finding);
  },
};

export const fileDescriptors: Check = {
  name: "descriptors",
  run({ config, dataDir, trunks }) {
    if (!existsSync("/proc/self/limits")) return skipped("This system does not report it.");
    const server = trunks === null ? null : serverPid(dataDir);
    const limit = descriptorsOf(server ?? "self").limit();
    const demand = { concurrentCalls: config.limits.concurrent_calls };
    const few = tooFewDescriptors(limit, demand);
    const whose = server === null ? "to this command" : "to the server";
    return few === null ? ok(`${limit} are allowed ${whose}.`) : warning(few, MORE_DESCRIPTORS);
  },
};

export const backupAge: Check = {
  name: "backup",
  run({ config, dataDir, databasePath, clock }) {
    if (config.storage.database !== "file") return skipped("Back up the database on its server.");
    if (!existsSync(databasePath)) return skipped("There is no data to back up yet.");
    const remedy = "linevoice backup create";
    const newest = listBackups(dataDir)[0];
    if (!newest) return warning("There is no backup yet.", remedy);
    const ageMs = clock.now() - Date.parse(newest.created_at);
    const finding = `The newest backup is ${Math.floor(ageMs / HOUR_MS)} hours old: ${newest.file}`;
    if (config.storage.backup_at === "")
      return warning(
        `${finding}. Automatic backups are off.`,
        'Set [storage] backup_at = "30 3 * * *".',
      );
    return ageMs > BACKUP_AGE_MS_MAX ? failed(finding, remedy) : ok(finding);
  },
};
