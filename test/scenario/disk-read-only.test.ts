/**
 * The file system becomes read-only under a live server, as ext4 does after an error (a plain remount is refused
 * while files are written): the test's own ext4 image, with a triggered error.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import { cpSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { startApp } from "../../src/app/app.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { systemRandom } from "../../src/core/random.ts";
import { billingStores } from "../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../src/features/billing/ledger.ts";
import { calls, holds } from "../../src/store/schema/index.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { fileProblems } from "../../src/store/sqlite/integrity.ts";
import {
  type Appliance,
  applianceSettings,
  OWN_NUMBER,
  startAppliance,
} from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { testWhere } from "../support/privileges.ts";
import { failingDisk } from "../support/store/failing-disk.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(180_000);

const HOST = "127.0.8.64";
const PLENTY = 10_000 * 1_048_576;
const disk = failingDisk(64);
const dataDir = join(disk?.path ?? "", "data");
let world: Appliance | null = null;

beforeAll(async () => {
  if (disk === null) return;
  mkdirSync(dataDir);
  world = await startAppliance({ dataDir, host: HOST, freeDiskBytes: () => PLENTY });
});
afterAll(async () => {
  await world?.close();
  disk?.unmount();
});

testWhere(disk !== null, "mounting a file system of its own")(
  "the live call continues, writes are refused clearly, stored data is complete and settled at the next start",
  async () => {
    if (!world || !disk) throw new Error("no disk");
    const phone = await world.phone("+37061000082");
    const call = await phone.call(OWN_NUMBER);
    await call.answered;
    const { database } = world.app;
    const only = async () => (await database.read.select().from(calls))[0];
    await eventually(async () => (await only())?.status === "in_progress", "it is stored");
    await call.waitForSpeech();

    disk.fail();
    const asked = await world.api("POST", "/calls", {
      to_number: "+37061000083",
      agent_id: world.agentId,
    });
    expect(asked.status).toBe(503);
    expect(asked.body).toMatchObject({ ok: false });
    const listed = await world.api("GET", "/calls");
    expect([listed.status, listed.body.calls.length]).toEqual([200, 1]);
    await Bun.sleep(3_000);
    expect(call.state).toBe("active");
    await call.hangUp();
    await world.close();
    world = null;

    // Onto a working disk, as an operator would.
    const rescued = join(tempDir(), "data");
    cpSync(dataDir, rescued, { recursive: true, filter: (from) => !lstatSync(from).isSocket() });
    const file = join(rescued, "linevoice.db");
    expect(fileProblems(file, "integrity_check")).toEqual([]);
    const deps = { clock: systemClock, random: systemRandom, log: silentLog };
    const next = await startApp(applianceSettings(rescued, HOST), deps);
    await next.stop();
    const stored = openDatabase(file, Date.now());
    try {
      const rows = await stored.read.select().from(calls);
      expect(rows.map(({ endedReason }) => endedReason)).toEqual(["interrupted"]);
      expect(await stored.read.select().from(holds)).toEqual([]);
      expect(await verifyLedger(billingStores(stored.read))).toEqual([]);
    } finally {
      await stored.close();
    }
  },
);
