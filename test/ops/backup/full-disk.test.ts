/**
 * A full disk keeps an intact database from being opened. The error says so, and does not ask for a restore.
 */
import { afterAll, expect } from "bun:test";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock as clock } from "../../../src/core/clock.ts";
import { requireWholeDatabase } from "../../../src/ops/backup/whole-database.ts";
import { configSchema } from "../../../src/ops/config/schema.ts";
import { lockDataDir } from "../../../src/ops/data-dir-lock.ts";
import { examine } from "../../../src/ops/doctor/check.ts";
import { databaseAndLedger, dataDirectory } from "../../../src/ops/doctor/storage-checks.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { testWhere } from "../../support/privileges.ts";
import { smallDisk } from "../../support/store/small-disk.ts";

const FOR_THE_LOCK = 8_192;
const disk = smallDisk(6);
afterAll(() => disk?.unmount());

testWhere(disk !== null, "mounting")(
  "a database on a full or read-only disk is not called damaged",
  async () => {
    if (disk === null) throw new Error("no disk");
    const dataDir = join(disk.path, "data");
    mkdirSync(dataDir, { mode: 0o700 });
    const databasePath = join(dataDir, "linevoice.db");
    await openDatabase(databasePath, 0).close();
    chmodSync(databasePath, 0o600);
    const config = configSchema.parse({});
    const patient = { config, dataDir, databasePath, trunks: null, masterKey: () => null, clock };
    const found = () => examine([dataDirectory, databaseAndLedger], patient, 1);

    disk.fill(FOR_THE_LOCK);
    expect(() => requireWholeDatabase(dataDir, databasePath)).toThrow(/cannot be opened.*df -h/);
    const [, database] = await found();
    expect(database).toMatchObject({ result: "failed", remedy: expect.stringContaining("df -h") });
    disk.fill(0);
    expect(() => lockDataDir(dataDir, "server")).toThrow(/full.*du -xh/);

    disk.empty();
    requireWholeDatabase(dataDir, databasePath);
    lockDataDir(dataDir, "server").release();
    disk.readOnly(true);
    expect((await found())[0]?.finding).toContain("read-only");
    disk.readOnly(false);
  },
);
