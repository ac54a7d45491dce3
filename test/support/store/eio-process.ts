/**
 * Writes to a database, a recording, an outbox and a backup on a disk that fails and is repaired.
 * Prints each outcome.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock as clock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { walletStore } from "../../../src/features/billing/ledger-store.ts";
import { outboxProvider } from "../../../src/features/mail/providers/outbox.ts";
import { problemOf } from "../../../src/http/problem.ts";
import { CallRecorder } from "../../../src/media/recording/recorder.ts";
import { createBackups } from "../../../src/ops/backup/backups.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { fileProblems } from "../../../src/store/sqlite/integrity.ts";
import { insertTenant } from "./stored-rows.ts";

const dir = process.env.LV_EIO_DIR ?? "";
const flag = process.env.LV_EIO_FLAG ?? "";
const databasePath = join(dir, "linevoice.db");
mkdirSync(join(dir, "outbox"), { recursive: true });
const database = openDatabase(databasePath, clock.now());
const tenantId = await insertTenant(database);
const backups = createBackups({ dataDir: dir, databasePath, clock });
const mail = outboxProvider(join(dir, "outbox"));
const message = {
  key: "k",
  callUuid: null,
  from: "a@b.example",
  to: "c@d.example",
  subject: "s",
  text: "t",
  messageId: "<1@b.example>",
  date: new Date(0),
  attachment: null,
};

const attempt = (task: () => Promise<unknown>) =>
  task().then(
    () => "ok",
    (error: unknown) => `${problemOf(error).status} ${(error as { code?: string }).code}`,
  );

async function record(name: string, breaks: boolean): Promise<string> {
  const recorder = new CallRecorder(join(dir, name), 8000, silentLog);
  const frame = new Int16Array(160).fill(7);
  for (let tick = 0; tick < 400; tick++) {
    if (breaks && tick === 200) writeFileSync(flag, "");
    recorder.write(frame, frame);
    if (tick % 50 === 0) await Bun.sleep(5);
  }
  const info = await recorder.close();
  return info === null ? "nothing" : `${info.durationMs > 0 ? "some" : "none"}`;
}

async function all() {
  const written = await attempt(() =>
    database.tx((queries) => walletStore(queries).add(tenantId, microEur(1))),
  );
  const mailed = await attempt(() => mail.send(message, AbortSignal.any([])));
  const backedUp = await attempt(() => backups.create(null));
  const probed = await attempt(() => database.probeWrites());
  return { written, probed, mailed, backedUp };
}

const well = { ...(await all()), recorded: await record("a.wav", false) };
const recorded = await record("b.wav", true);
const broken = { ...(await all()), recorded };
const readable = Number(await walletStore(database.read).balance(tenantId));
rmSync(flag);
const fixed = { ...(await all()), recorded: await record("c.wav", false) };
const balance = Number(await walletStore(database.read).balance(tenantId));
const write = () =>
  attempt(() => database.tx((queries) => walletStore(queries).add(tenantId, microEur(1))));
writeFileSync(`${flag}.sync`, "");
const unsynced = [await write(), await write()];
rmSync(`${flag}.sync`);
unsynced.push(await write(), await attempt(() => database.probeWrites()));
await database.close();
const partial = readdirSync(join(dir, "outbox")).concat(readdirSync(join(dir, "backups")));
console.log(
  JSON.stringify({
    well,
    broken,
    fixed,
    readable,
    balance,
    unsynced,
    left: partial.filter((name) => name.endsWith(".partial")),
    integrity: fileProblems(databasePath, "integrity_check"),
  }),
);
