/** A really full disk during a call: the call continues, and its data is stored when there is room. */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { billingStores } from "../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../src/features/billing/ledger.ts";
import { calls, events } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { testWhere } from "../support/privileges.ts";
import { smallDisk } from "../support/store/small-disk.ts";

setDefaultTimeout(120_000);

const HOST = "127.0.8.63";
const PLENTY = 10_000 * 1_048_576;
const disk = smallDisk(40);
let world: Appliance | null = null;

beforeAll(async () => {
  if (disk === null) return;
  const dataDir = join(disk.path, "data");
  mkdirSync(dataDir);
  // The watermarks would refuse the call much earlier: here they see free space.
  world = await startAppliance({ dataDir, host: HOST, freeDiskBytes: () => PLENTY });
});
afterAll(async () => {
  await world?.close();
  disk?.unmount();
});

testWhere(disk !== null, "mounting")(
  "the live call continues; after its end on a full disk it is stored, charged, reported and mailed when there is room",
  async () => {
    if (!world || !disk) throw new Error("no disk");
    const { database } = world.app;
    const phone = await world.phone("+37061000081");
    const call = await phone.call(OWN_NUMBER);
    await call.answered;
    const only = async () => (await database.read.select().from(calls))[0];
    await eventually(async () => (await only())?.status === "in_progress", "it is stored");
    await call.waitForSpeech();
    await Bun.sleep(1_500); // some of it is on disk
    disk.fill(0);
    await Bun.sleep(3_000);
    expect(call.state).toBe("active");
    const ready = async () => {
      const response = await fetch(`${world?.app.addresses.http}/readyz`);
      return [response.status, await response.text()];
    };
    const refused = await world.api("PATCH", `/agents/${world.agentId}`, { name: "Desk" });
    expect(JSON.stringify(refused)).toContain("disk is full");
    expect(await ready()).toEqual([503, expect.stringContaining("the disk is full")]);
    await call.hangUp();
    await Bun.sleep(1_000);
    disk.empty();
    await eventually(async () => (await ready())[0] === 200, "it is ready again", 60_000);
    await eventually(async () => (await only())?.endedAt !== null, "its end is stored", 60_000);
    expect(await only()).toMatchObject({
      status: "completed",
      endedReason: "caller_hangup",
      billableSeconds: 15,
    });
    await eventually(() => world?.mails().length === 1, "it is mailed", 60_000);
    await eventually(
      async () => ["emailed_deleted", "none"].includes((await only())?.recordingStatus ?? ""),
      "the recording is deleted",
      60_000,
    );
    const told = (await database.read.select().from(events)).map(({ type }) => type);
    expect(told.filter((type) => type === "call.ended")).toHaveLength(1);
    expect(await verifyLedger(billingStores(database.read))).toEqual([]);
    expect(readdirSync(join(disk.path, "data/recordings"))).toEqual([]);
  },
);
