/**
 * Backups on real files: made while in use, verified, pruned, and restored without loss of the current data.
 */
import { Database as Sqlite } from "bun:sqlite";
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Database } from "../../../src/core/database.ts";
import { describeError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { identityStores } from "../../../src/features/identity/identity-stores.ts";
import { createBackups, listBackups } from "../../../src/ops/backup/backups.ts";
import { startNightlyBackup } from "../../../src/ops/backup/nightly.ts";
import { restoreBackup } from "../../../src/ops/backup/restore.ts";
import { runDatabaseJob } from "../../../src/ops/backup/run-database-job.ts";
import { verifyBackup } from "../../../src/ops/backup/verify.ts";
import { requireWholeDatabase } from "../../../src/ops/backup/whole-database.ts";
import { campaigns, schedules, tenants } from "../../../src/store/schema/index.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { spawnDatabaseWorker } from "../../../src/workers.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(30_000);

const NOW = Date.UTC(2026, 10, 21, 3, 30);
const DAY_MS = 86_400_000;
const opened: Database[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
});

function appliance() {
  const dataDir = tempDir();
  const databasePath = join(dataDir, "linevoice.db");
  const database = openDatabase(databasePath, NOW);
  opened.push(database);
  const clock = fakeClock(NOW);
  const backups = createBackups({ dataDir, databasePath, clock });
  return { dataDir, databasePath, database, clock, backups };
}

async function close(database: Database): Promise<void> {
  opened.splice(opened.indexOf(database), 1);
  await database.close();
}

test("a backup made between writes has the committed rows and is readable by its owner only", async () => {
  const { database, backups, dataDir } = appliance();
  await insertTenant(database, { name: "kept" });
  const { file, size_bytes } = await backups.create(null);
  await insertTenant(database, { name: "later" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(file).size).toBe(size_bytes);
  const report = await verifyBackup(file, dataDir, NOW);
  expect(report).toMatchObject({ ok: true, tenants: 1, problems: [], migrations_pending: [] });
  expect(listBackups(dataDir).map((backup) => backup.file)).toEqual([file]);
});

test("a backup runs in a worker while rows are written", async () => {
  const { database, databasePath, dataDir } = appliance();
  const target = join(dataDir, "copy.db");
  const making = runDatabaseJob<"snapshot">(spawnDatabaseWorker, {
    type: "snapshot",
    database: databasePath,
    target,
  });
  for (let index = 0; index < 50; index++) await insertTenant(database, { name: `t${index}` });
  expect(await making).toBe(statSync(target).size);
  const report = await runDatabaseJob<"verify">(spawnDatabaseWorker, {
    type: "verify",
    file: target,
    scratchDir: dataDir,
    nowMs: NOW,
  });
  expect(report.problems).toEqual([]);
});

test("an existing file is never overwritten and a failed backup leaves nothing behind", async () => {
  const { backups, dataDir } = appliance();
  const taken = join(dataDir, "taken.db");
  writeFileSync(taken, "mine");
  await expect(backups.create(taken)).rejects.toThrow("never overwritten");
  expect(readFileSync(taken, "utf8")).toBe("mine");
  const before = readdirSync(dataDir);
  await expect(backups.create(join(dataDir, "nowhere", "b.db"))).rejects.toThrow();
  expect(readdirSync(dataDir)).toEqual(before);
});

test("verification finds damage, foreign files, newer databases and inconsistent money", async () => {
  const { database, backups, dataDir } = appliance();
  const tenantId = await insertTenant(database);
  const make = async (name: string, change: (sqlite: Sqlite) => void) => {
    const { file } = await backups.create(join(dataDir, name));
    const sqlite = new Sqlite(file);
    change(sqlite);
    sqlite.close();
    return (await verifyBackup(file, dataDir, NOW)).problems.join(" ");
  };
  expect(
    await make("newer.db", (sqlite) =>
      sqlite.run("INSERT INTO migrations VALUES ('9999_future', 'x', 0)"),
    ),
  ).toContain("newer linevoice");
  expect(
    await make("orphan.db", (sqlite) => {
      sqlite.run("PRAGMA foreign_keys = OFF");
      sqlite.run("INSERT INTO wallets (tenant_id, balance) VALUES (77, 5)");
    }),
  ).toContain("refer to missing rows");
  expect(
    await make("money.db", (sqlite) =>
      sqlite.run("INSERT OR REPLACE INTO wallets (tenant_id, balance) VALUES (?, 5)", [tenantId]),
    ),
  ).toContain("micro-euro");
  const other = join(dataDir, "other.db");
  const sqlite = new Sqlite(other, { create: true });
  sqlite.run("CREATE TABLE a (b)");
  sqlite.close();
  expect((await verifyBackup(other, dataDir, NOW)).problems).toEqual([
    "It is not a Linevoice database.",
  ]);
  writeFileSync(other, "no database at all, not even close to one");
  expect((await verifyBackup(other, dataDir, NOW)).ok).toBe(false);
  const { file } = await backups.create(null);
  truncateSync(file, Math.floor(statSync(file).size / 2));
  expect((await verifyBackup(file, dataDir, NOW)).ok).toBe(false);
  expect(readdirSync(dataDir).filter((name) => name.startsWith(".verify"))).toEqual([]);
});

test("every night makes one, verifies it and keeps the newest; other files stay", async () => {
  const { backups, clock, dataDir } = appliance();
  const verify = (file: string) => verifyBackup(file, dataDir, clock.now());
  const nightly = startNightlyBackup({ backups, verify, at: null, keep: 3, log: silentLog });
  await nightly.run();
  const directory = join(dataDir, "backups");
  writeFileSync(join(directory, "before-0002_x.db"), "the migrator's");
  writeFileSync(join(directory, "linevoice-mine.db"), "the operator's");
  for (let night = 0; night < 5; night++) {
    clock.stepWallClock(DAY_MS);
    await nightly.run();
  }
  expect(readdirSync(directory).sort()).toEqual([
    "before-0002_x.db",
    "linevoice-20261124T033000000Z.db",
    "linevoice-20261125T033000000Z.db",
    "linevoice-20261126T033000000Z.db",
    "linevoice-mine.db",
  ]);
  expect(nightly.problem()).toBeNull();
  await nightly.stop();
});

test("a clock that jumped deletes none; the misdated ones are deleted first when it is right again", async () => {
  const { backups, clock, dataDir } = appliance();
  let mayDelete = true;
  const nightly = startNightlyBackup({
    backups,
    at: null,
    keep: 2,
    log: silentLog,
    trust: { mayDelete: () => mayDelete },
    verify: (file) => verifyBackup(file, dataDir, clock.now()),
  });
  const night = async (jumpMs = 0) => {
    clock.stepWallClock(DAY_MS + jumpMs);
    await nightly.run();
    const names = readdirSync(join(dataDir, "backups")).map((name) => name.slice(10, 18));
    return names.sort();
  };
  expect(await night()).toEqual(["20261122"]);
  expect(await night()).toEqual(["20261122", "20261123"]);
  mayDelete = false;
  const far = 3650 * DAY_MS;
  expect(await night(far)).toEqual(["20261122", "20261123", "20361121"]);
  expect(await night()).toEqual(["20261122", "20261123", "20361121", "20361122"]);
  mayDelete = true;
  expect(await night(-far)).toEqual(["20261123", "20261126"]);
  await nightly.stop();
});

test("the nightly backup is made at its time, once a night, by the appliance's clock", async () => {
  const { backups, clock, dataDir } = appliance();
  const noon = new Date(clock.now()).setHours(12, 0, 0, 0);
  clock.stepWallClock(noon - clock.now());
  const at: string[] = [];
  const nightly = startNightlyBackup({
    backups,
    at: "30 3 * * *",
    keep: 7,
    log: silentLog,
    clock,
    verify(file) {
      at.push(new Date(clock.now()).toTimeString().slice(0, 5));
      return verifyBackup(file, dataDir, clock.now());
    },
  });
  for (let night = 0; night < 3; night++) {
    await clock.advance(DAY_MS);
    await nightly.idle();
  }
  expect(at).toEqual(["03:30", "03:30", "03:30"]);
  expect(nightly.problem()).toBeNull();
  await nightly.stop();
  expect(clock.pendingTimers).toBe(0);
});

test("a failed nightly backup is reported, deletes no older one, and the next one works", async () => {
  const { backups, clock, dataDir } = appliance();
  let sound = true;
  const nightly = startNightlyBackup({
    backups,
    verify: async (file) => {
      const report = await verifyBackup(file, dataDir, clock.now());
      return sound ? report : { ...report, ok: false, problems: ["A page is torn."] };
    },
    at: null,
    keep: 1,
    log: silentLog,
  });
  await nightly.run();
  sound = false;
  clock.stepWallClock(DAY_MS);
  await nightly.run();
  expect(nightly.problem()).toContain("A page is torn.");
  expect(listBackups(dataDir).length).toBe(2);
  sound = true;
  clock.stepWallClock(DAY_MS);
  await nightly.run();
  expect(nightly.problem()).toBeNull();
  expect(listBackups(dataDir).length).toBe(1);
});

test("a restore brings the old rows back and keeps the newer database next to it", async () => {
  const { database, backups, dataDir, databasePath, clock } = appliance();
  await insertTenant(database, { name: "old" });
  const { file } = await backups.create(null);
  await insertTenant(database, { name: "new" });
  await close(database);
  const restored = await restoreBackup({ file, dataDir, databasePath, clock });
  expect(restored).toMatchObject({ tenants: 1 });
  expect(statSync(databasePath).mode & 0o777).toBe(0o600);
  const names = async (path: string) => {
    const opened = openDatabase(path, NOW);
    const rows = await opened.read.select({ name: tenants.name }).from(tenants);
    await opened.close();
    return rows.map((row) => row.name);
  };
  expect(await names(databasePath)).toEqual(["old"]);
  expect(await names(join(restored.previousCopy ?? "", "linevoice.db"))).toEqual(["old", "new"]);
});

test("sessions and codes ended since the backup stay ended: everybody signs in again", async () => {
  const { database, backups, dataDir, databasePath, clock } = appliance();
  await database.tx(async (queries) => {
    const { users, sessions, links } = identityStores(queries);
    const who = { email: "rasa@example.com", name: "Rasa", locale: "en", operator: true } as const;
    const userId = await users.insert({ ...who, passwordHash: null, createdAt: NOW });
    const seen = { ip: "127.0.0.1", userAgent: "", createdAt: NOW, lastSeenAt: NOW };
    const session = { userId, stage: "full", method: "link", tenantId: null } as const;
    await sessions.insert({ ...session, ...seen, tokenHash: "a", expiresAt: NOW + DAY_MS });
    const about = { userId, tenantId: null, email: null, role: null } as const;
    const link = { kind: "sign_in", tokenHash: "b", createdAt: NOW } as const;
    await links.insert({ ...link, ...about, expiresAt: NOW + DAY_MS });
  });
  const { file } = await backups.create(null);
  await close(database);
  await restoreBackup({ file, dataDir, databasePath, clock });
  const restored = openDatabase(databasePath, NOW);
  opened.push(restored);
  const { users, sessions, links } = identityStores(restored.read);
  expect(await users.byEmail("rasa@example.com")).not.toBeNull();
  expect([await sessions.byToken("a"), await links.byToken("b")]).toEqual([null, null]);
});

test("rows that are only in the write-ahead log of a killed server are kept too", async () => {
  const { database, backups, dataDir, databasePath, clock } = appliance();
  const { file } = await backups.create(null);
  await insertTenant(database, { name: "in the log" });
  expect(statSync(`${databasePath}-wal`).size).toBeGreaterThan(0);
  const { previousCopy } = await restoreBackup({ file, dataDir, databasePath, clock });
  const old = new Sqlite(join(previousCopy ?? "", "linevoice.db"));
  expect(old.query("SELECT name FROM tenants").all()).toEqual([{ name: "in the log" }]);
  old.close();
});

test("an invalid backup changes nothing", async () => {
  const { database, dataDir, databasePath, clock } = appliance();
  await insertTenant(database);
  await close(database);
  const bad = join(dataDir, "bad.db");
  writeFileSync(bad, "x".repeat(5000));
  const before = readFileSync(databasePath);
  await expect(restoreBackup({ file: bad, dataDir, databasePath, clock })).rejects.toThrow(
    "was not restored",
  );
  expect(readFileSync(databasePath)).toEqual(before);
  expect(existsSync(`${databasePath}.incoming`)).toBe(false);
});

test("a damaged database is replaced by the backup and kept", async () => {
  const { database, backups, dataDir, databasePath, clock } = appliance();
  await insertTenant(database, { name: "saved" });
  const { file } = await backups.create(null);
  await close(database);
  writeFileSync(databasePath, "y".repeat(9000));
  const { previousCopy } = await restoreBackup({ file, dataDir, databasePath, clock });
  expect(readFileSync(join(previousCopy ?? "", "linevoice.db"), "utf8").startsWith("yyy")).toBe(
    true,
  );
  const restored = openDatabase(databasePath, NOW);
  opened.push(restored);
  expect((await restored.read.select().from(tenants)).map(({ name }) => name)).toEqual(["saved"]);
});

test("calls due between backup and restore are not dialled a second time", async () => {
  const { database, backups, dataDir, databasePath, clock } = appliance();
  const tenantId = await insertTenant(database);
  const entry = (callUuid: string, scheduleAt: number) => ({
    tenantId,
    callUuid,
    toNumber: "+37061234567",
    fromNumber: "+37052000000",
    scheduleAt,
    status: "pending" as const,
    immediate: false,
    createdAt: NOW,
  });
  await database.tx(async (queries) => {
    await queries
      .insert(schedules)
      .values([entry("due", NOW + 60_000), entry("ahead", NOW + DAY_MS)]);
  });
  const { file } = await backups.create(null);
  await close(database);
  clock.stepWallClock(120_000);
  await restoreBackup({ file, dataDir, databasePath, clock });
  const restored = openDatabase(databasePath, NOW);
  opened.push(restored);
  const rows = await restored.read.select().from(schedules);
  const leaseOf = (uuid: string) => rows.find((row) => row.callUuid === uuid)?.leaseUntil ?? null;
  expect(leaseOf("due")).toBeGreaterThan(NOW + 60_000 + 15 * 60_000);
  expect(leaseOf("ahead")).toBeNull();
});

test("a campaign that was running waits for a person: its calls since the backup are unknown", async () => {
  const { database, backups, dataDir, databasePath, clock } = appliance();
  const tenantId = await insertTenant(database);
  const made = (status: "running" | "finished") => ({
    tenantId,
    name: status,
    status,
    callingFrom: 0,
    callingTo: 1,
    concurrencyMax: 1,
    attemptsMax: 1,
    retryAfterMin: 5,
    createdAt: NOW,
    updatedAt: NOW,
  });
  await database.tx(async (queries) => {
    await queries.insert(campaigns).values([made("running"), made("finished")]);
  });
  const { file } = await backups.create(null);
  await close(database);
  const { campaignsPaused } = await restoreBackup({ file, dataDir, databasePath, clock });
  expect(campaignsPaused).toBe(1);
  const restored = openDatabase(databasePath, NOW);
  opened.push(restored);
  const rows = await restored.read.select().from(campaigns);
  expect(rows.map(({ name, status }) => [name, status])).toEqual([
    ["running", "paused"],
    ["finished", "finished"],
  ]);
});

test("a damaged database is not used; the message says how to recover", async () => {
  const { database, backups, dataDir, databasePath } = appliance();
  for (let n = 0; n < 200; n++) await insertTenant(database, { name: `tenant ${n}`.repeat(20) });
  await close(database);
  requireWholeDatabase(dataDir, databasePath);
  requireWholeDatabase(dataDir, join(dataDir, "not-yet.db"));
  const bytes = readFileSync(databasePath);
  const damaged = (change: (bytes: Buffer) => Buffer) => {
    writeFileSync(databasePath, change(Buffer.from(bytes)));
    rmSync(`${databasePath}-wal`, { force: true });
    rmSync(`${databasePath}-shm`, { force: true });
    try {
      requireWholeDatabase(dataDir, databasePath);
      return "whole";
    } catch (error) {
      return describeError(error);
    }
  };
  expect(damaged((whole) => whole.fill(0x5a, 0, 4096))).toContain("linevoice restore F");
  writeFileSync(databasePath, bytes);
  const { file } = await backups.create(null);
  expect(damaged((whole) => whole.fill(0x5a, 4096))).toContain(`linevoice restore ${file}`);
  expect(damaged((whole) => whole.subarray(0, whole.length / 2))).toContain("is damaged");
});
