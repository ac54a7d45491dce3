/** The next start repairs the remains of a crash (appliance.md 5). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startApp } from "../../src/app/app.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { systemRandom } from "../../src/core/random.ts";
import { billingStores } from "../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../src/features/billing/ledger.ts";
import { calls, events, holds } from "../../src/store/schema/index.ts";
import {
  type Appliance,
  applianceSettings,
  OWN_NUMBER,
  startAppliance,
} from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { spoken } from "../support/speech/spoken.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOST = "127.0.8.5";
const CALLER = "+37061000001";
/** Heartbeats are stored every 5 s. */
const TALK_MS = 6_500;

let world: Appliance;
const crashed = join(tempDir(), "data");
/** The same data, but the disk has lost this node's id. */
const damaged = join(tempDir(), "data");

/** Copies the current files: the state of a machine after a power cut. */
function powerCut(): void {
  for (const copy of [crashed, damaged])
    cpSync(world.dataDir, copy, { recursive: true, filter: (path) => !path.endsWith(".sock") });
  writeFileSync(join(damaged, "node-id"), "\0".repeat(17));
}

beforeAll(async () => {
  world = await startAppliance({ dataDir: tempDir(), host: HOST });
}, 60_000);

afterAll(() => world.close());

test(
  "a live call ends as interrupted, billed to its last heartbeat, and its recording is mailed",
  async () => {
    const phone = await world.phone(CALLER, "m3");
    const call = await phone.call(OWN_NUMBER);
    await call.answered;
    await Bun.sleep(TALK_MS);
    powerCut();
    await call.hangUp();

    const deps = { clock: systemClock, random: systemRandom, log: silentLog };
    const app = await startApp(applianceSettings(crashed, "127.0.8.6"), deps);
    try {
      const stored = (await app.database.read.select().from(calls))[0];
      expect(stored).toMatchObject({
        status: "failed",
        endedReason: "interrupted",
        billableSeconds: 15,
        includedSeconds: 15,
      });
      const outbox = () => readdirSync(join(crashed, "outbox")).filter((f) => f.endsWith(".eml"));
      await eventually(() => outbox().length === 1, "the mail is handed over", 30_000);
      const mail = readFileSync(join(crashed, "outbox", outbox()[0] ?? ""), "utf8");
      expect(mail).toContain("audio/mpeg");
      await eventually(
        async () =>
          (await app.database.read.select().from(calls))[0]?.recordingStatus === "emailed_deleted",
        "the recording is deleted",
      );
      const written = await app.database.read.select().from(events);
      expect(written.filter((event) => event.type === "call.failed")).toHaveLength(1);
      expect(written.filter((event) => event.type === "call.ended")).toHaveLength(0);
      expect(await app.database.read.select().from(holds)).toEqual([]);
      expect(await verifyLedger(billingStores(app.database.read))).toEqual([]);
    } finally {
      await app.stop();
    }
  },
  spoken(90_000),
);

test(
  "a node with a damaged id file ends its calls and mails their recordings",
  async () => {
    const deps = { clock: systemClock, random: systemRandom, log: silentLog };
    const app = await startApp(applianceSettings(damaged, "127.0.8.7"), deps);
    try {
      const [stored] = await app.database.read.select().from(calls);
      expect(stored).toMatchObject({ status: "failed", endedReason: "interrupted" });
      const outbox = () => readdirSync(join(damaged, "outbox")).filter((f) => f.endsWith(".eml"));
      await eventually(() => outbox().length === 1, "the mail is handed over", 30_000);
    } finally {
      await app.stop();
    }
  },
  spoken(60_000),
);
