/**
 * A full, read-only or broken disk, at each write: errors say why, acknowledged data stays, nothing is half
 * stored, and work continues when the disk is repaired. Real file systems of a few megabytes; EIO by a library
 * preloaded before libc.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock as clock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { walletStore } from "../../../src/features/billing/ledger-store.ts";
import { outboxProvider } from "../../../src/features/mail/providers/outbox.ts";
import { problemOf } from "../../../src/http/problem.ts";
import { createEncoder } from "../../../src/media/recording/encoder.ts";
import { CallRecorder } from "../../../src/media/recording/recorder.ts";
import { openWav, wavHeader } from "../../../src/media/recording/wav.ts";
import { backupsDirOf, createBackups } from "../../../src/ops/backup/backups.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { fileProblems } from "../../../src/store/sqlite/integrity.ts";
import { spawnEncoderWorker } from "../../../src/workers.ts";
import { testWhere } from "../../support/privileges.ts";
import { smallDisk } from "../../support/store/small-disk.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

const disk = smallDisk(12);
const onDisk = testWhere(disk !== null, "mounting");
const path = disk?.path ?? "";
afterAll(() => disk?.unmount());

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

const codeOf = (error: unknown) => String((error as { code?: unknown } | null)?.code);

const message = {
  key: "k",
  callUuid: null,
  from: "a@b.example",
  to: "c@d.example",
  subject: "s",
  messageId: "<1@b.example>",
  date: new Date(0),
  attachment: null,
  text: "x".repeat(200_000),
};

onDisk(
  "database, full disk: refused as 503, what was acknowledged stays, goes on with the room",
  async () => {
    const file = join(path, "full.db");
    const database = openDatabase(file, clock.now());
    const tenantId = await insertTenant(database);
    disk?.fill(0);
    let acknowledged = 0;
    let refusal: unknown = null;
    for (let n = 0; n < 500 && refusal === null; n++) {
      const add = database.tx((queries) => walletStore(queries).add(tenantId, microEur(1)));
      refusal = await rejection(add);
      if (refusal === null) acknowledged++;
    }
    expect(codeOf(refusal)).toMatch(/^SQLITE_(FULL|IOERR)/);
    expect(problemOf(refusal)).toMatchObject({ status: 503, error: "unavailable" });
    expect(Number(await walletStore(database.read).balance(tenantId))).toBe(acknowledged);
    await database.ping();
    disk?.empty();
    await database.tx((queries) => walletStore(queries).add(tenantId, microEur(1)));
    expect(Number(await walletStore(database.read).balance(tenantId))).toBe(acknowledged + 1);
    await database.close();
    expect(fileProblems(file, "integrity_check")).toEqual([]);
  },
);

onDisk("recording, full disk: it ends alone, what was written is a valid file", async () => {
  const wav = join(path, "call.wav");
  const recorder = new CallRecorder(wav, 8000, silentLog);
  const frame = new Int16Array(160).fill(1000);
  for (let tick = 0; tick < 200; tick++) recorder.write(frame, frame);
  await Bun.sleep(200);
  disk?.fill(0);
  for (let tick = 0; tick < 400; tick++) recorder.write(frame, frame);
  const info = await recorder.close();
  disk?.empty();
  expect(info?.durationMs).toBeGreaterThan(1_000);
  expect(info?.durationMs).toBeLessThan(12_000);
  const reader = await openWav(wav);
  expect(reader.info.durationMs).toBe(info?.durationMs ?? 0);
  await reader.close();
});

onDisk("MP3, full disk: rejected as such, no half file, the recording is still there", async () => {
  const wav = join(path, "long.wav");
  const pcm = Buffer.alloc(2_000_000);
  writeFileSync(
    wav,
    Buffer.concat([wavHeader({ sampleRateHz: 8000, channels: 2 }, pcm.length), pcm]),
  );
  const encoder = createEncoder(spawnEncoderWorker);
  const tags = { title: "t", callId: "c", recordedAt: new Date(0) };
  disk?.fill(0);
  const error = await rejection(encoder.encode(wav, join(path, "long.mp3"), tags));
  disk?.empty();
  expect(String(error)).toContain("ENOSPC");
  expect(readdirSync(path).filter((name) => name.includes(".mp3"))).toEqual([]);
  expect(existsSync(wav)).toBe(true);
  await encoder.encode(wav, join(path, "long.mp3"), tags);
  await encoder.close();
});

onDisk("mail, full disk: rejected, no mail is half there, the next try writes it", async () => {
  const outbox = join(path, "outbox");
  mkdirSync(outbox);
  const provider = outboxProvider(outbox);
  disk?.fill(16_384);
  expect(await rejection(provider.send(message, AbortSignal.any([])))).toMatchObject({
    code: "ENOSPC",
  });
  expect(readdirSync(outbox).filter((name) => name.endsWith(".eml"))).toEqual([]);
  disk?.empty();
  await provider.send(message, AbortSignal.any([]));
  expect(readdirSync(outbox).filter((name) => name.endsWith(".eml"))).toHaveLength(1);
});

onDisk("backup, full disk: fails, leaves nothing half, keeps the older one", async () => {
  const dataDir = join(path, "data");
  mkdirSync(dataDir);
  const databasePath = join(dataDir, "linevoice.db");
  await openDatabase(databasePath, clock.now()).close();
  const backups = createBackups({ dataDir, databasePath, clock });
  const { file } = await backups.create(null);
  disk?.fill(32_768);
  expect(await rejection(backups.create(null))).not.toBeNull();
  disk?.empty();
  expect(
    readdirSync(backupsDirOf(dataDir)).map((name) => join(backupsDirOf(dataDir), name)),
  ).toEqual([file]);
  await backups.create(null);
});

onDisk("a disk that has become read-only: every write says so, reading goes on", async () => {
  const data = join(path, "readonly");
  mkdirSync(join(data, "outbox"), { recursive: true });
  const file = join(data, "linevoice.db");
  await openDatabase(file, clock.now()).close();
  disk?.readOnly(true);
  try {
    const refusal = await rejection((async () => openDatabase(file, clock.now()))());
    expect(codeOf(refusal)).toMatch(/^SQLITE_(READONLY|CANTOPEN|IOERR)/);
    expect(problemOf(refusal).status).toBe(503);
    const recorder = new CallRecorder(join(data, "call.wav"), 8000, silentLog);
    for (let tick = 0; tick < 200; tick++) recorder.write(new Int16Array(160), new Int16Array(160));
    expect(await recorder.close()).toBeNull();
    const mail = outboxProvider(join(data, "outbox")).send(message, AbortSignal.any([]));
    expect(await rejection(mail)).toMatchObject({ code: "EROFS" });
    const backup = createBackups({ dataDir: data, databasePath: file, clock }).create(null);
    expect(await rejection(backup)).not.toBeNull();
  } finally {
    disk?.readOnly(false);
  }
  const database = openDatabase(file, clock.now());
  await insertTenant(database);
  await database.close();
  expect(fileProblems(file, "integrity_check")).toEqual([]);
});

const compiler = ["cc", "gcc", "clang"].find(
  (name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0,
);

test.skipIf(compiler === undefined)(
  "EIO at every write: each is refused, acknowledged data stays, and work continues when the disk is repaired",
  async () => {
    const directory = tempDir();
    const library = join(directory, "eio.so");
    const source = fileURLToPath(new URL("../../support/store/eio.c", import.meta.url));
    const built = spawnSync(compiler ?? "", ["-shared", "-fPIC", "-o", library, source, "-ldl"]);
    expect(built.stderr.toString()).toBe("");
    const data = join(directory, "data");
    mkdirSync(data);
    const program = fileURLToPath(new URL("../../support/store/eio-process.ts", import.meta.url));
    const child = Bun.spawn([process.execPath, program], {
      env: {
        ...process.env,
        LD_PRELOAD: library,
        LV_EIO_DIR: data,
        LV_EIO_FLAG: join(directory, "broken"),
      },
      stdout: "pipe",
      stderr: "inherit",
    });
    const seen = JSON.parse(await new Response(child.stdout).text());
    expect(await child.exited).toBe(0);
    const good = { written: "ok", probed: "ok", mailed: "ok", backedUp: "ok", recorded: "some" };
    expect(seen.well).toEqual(good);
    expect(seen.fixed).toEqual(good);
    expect(seen.broken.written).toMatch(/^503 SQLITE_IOERR/);
    expect(seen.broken.probed).toMatch(/^503 SQLITE_IOERR/);
    expect(seen.broken.mailed).toContain("EIO");
    expect(seen.broken.backedUp).not.toBe("ok");
    expect(seen).toMatchObject({ readable: 1, balance: 2, integrity: [] });
    // A disk that accepts writes but fails to sync them.
    const refused = expect.stringMatching(/^503 SQLITE_IOERR/);
    expect(seen.unsynced).toEqual([refused, refused, "ok", "ok"]);
  },
);

test("a write-ahead log torn at any position returns whole transactions, with at most the newest missing", async () => {
  const directory = tempDir();
  const file = join(directory, "live.db");
  const database = openDatabase(file, clock.now());
  const tenantId = await insertTenant(database);
  for (let n = 0; n < 40; n++)
    await database.tx(async (queries) => {
      await walletStore(queries).add(tenantId, microEur(1));
      await walletStore(queries).add(tenantId, microEur(1));
    });
  const bytes = statSync(`${file}-wal`).size;
  let before = -1;
  for (let cut = 0; cut <= 24; cut++) {
    const torn = join(directory, `torn-${cut}.db`);
    copyFileSync(file, torn);
    copyFileSync(`${file}-wal`, `${torn}-wal`);
    truncateSync(`${torn}-wal`, Math.round((bytes * cut) / 24) - (cut % 3));
    if (cut < 3) continue; // before the migrations there is no wallet to read
    expect(fileProblems(torn, "integrity_check")).toEqual([]);
    const opened = openDatabase(torn, clock.now());
    const balance = Number(await walletStore(opened.read).balance(tenantId));
    expect(balance % 2).toBe(0);
    expect(balance).toBeGreaterThanOrEqual(before);
    before = balance;
    await opened.close();
  }
  expect(before).toBeGreaterThanOrEqual(78);
  await database.close();
});
