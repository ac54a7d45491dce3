/** Schedules due at once over a trunk with few channels: the carrier never sees more, and all are dialled. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { calls, schedules, trunks } from "../../src/store/schema/index.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import type { Phone } from "../support/media/phone/phone.ts";
import { tempDir } from "../support/temp-dir.ts";

const CHANNELS = 2;
const DUE = 7;
const CALLEE = "+37061000321";
const TALK_MS = 400;
const AHEAD_MS = 70_000;

let world: Appliance;
let callee: Phone;
let ringing = 0;
let most = 0;
let seen = 0;

beforeAll(async () => {
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.8.67" });
  await world.app.database.tx((queries) => queries.update(trunks).set({ channels: CHANNELS }));
  callee = await world.phone(CALLEE);
  callee.onCall((call) => {
    seen++;
    most = Math.max(most, ++ringing);
    void call.ended.finally(() => ringing--);
    void call
      .answer()
      .then(() => Bun.sleep(TALK_MS))
      .then(() => call.hangUp())
      .catch(() => undefined);
  });
}, 60_000);
afterAll(() => world.close());

test("never more calls than channels at once, every entry dialled once, in order", async () => {
  const at = new Date(Date.now() + AHEAD_MS).toISOString();
  for (let n = 0; n < DUE; n++) {
    const { status, body } = await world.api("POST", "/calls", {
      to_number: CALLEE,
      schedule_at: at,
    });
    expect(status).toBe(200);
    expect(body.status).toBe("scheduled");
  }
  // All of them become due at once.
  await world.app.database.tx((queries) =>
    queries
      .update(schedules)
      .set({ scheduleAt: Date.now() })
      .where(eq(schedules.status, "pending")),
  );
  const stored = () => world.app.database.read.select().from(calls);
  await eventually(
    async () => (await stored()).filter(({ status }) => status === "completed").length === DUE,
    "all are completed",
    60_000,
  );
  expect(seen).toBe(DUE);
  expect(most).toBe(CHANNELS);
  expect((await stored()).map(({ status }) => status)).toEqual(Array(DUE).fill("completed"));
}, 90_000);
