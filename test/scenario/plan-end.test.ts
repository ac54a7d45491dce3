/**
 * The end of a plan, with an empty wallet: overlapping inbound and outbound calls share the last plan seconds.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { planUsage } from "../../src/store/schema/index.ts";
import {
  type Appliance,
  type CallView,
  OWN_NUMBER,
  startAppliance,
} from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import type { Phone } from "../support/media/phone/phone.ts";
import { tempDir } from "../support/temp-dir.ts";

const CALLER = "+37061000811";
const CALLEE = "+37061000812";
/** The rest of one plan minute. */
const SECONDS_LEFT = 45;

let world: Appliance;
let caller: Phone;
let callee: Phone;

beforeAll(async () => {
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.8.81",
    settings: (settings) => ({
      ...settings,
      plans: settings.plans.map((plan) => ({ ...plan, includedMinutes: 1 })),
    }),
  });
  await world.app.database.tx((queries) =>
    queries.insert(planUsage).values({
      tenantId: world.tenantId,
      month: new Date().toISOString().slice(0, 7),
      secondsUsed: 60 - SECONDS_LEFT,
    }),
  );
  caller = await world.phone(CALLER);
  callee = await world.phone(CALLEE);
  callee.onCall((incoming) => void incoming.answer().catch(() => undefined));
}, 60_000);
afterAll(() => world.close());

const place = () => world.api("POST", "/calls", { to_number: CALLEE });

test("one inbound and two outbound calls overlap while 15 plan seconds remain for each; the wallet pays nothing", async () => {
  const inbound = await caller.call(OWN_NUMBER);
  await inbound.answered;
  const first = await place();
  expect(first.status).toBe(200);
  await world.callWhen(first.body.call_uuid, ({ status }) => status === "in_progress");
  const second = await place();
  expect(second.status).toBe(200);
  await world.callWhen(second.body.call_uuid, ({ status }) => status === "in_progress");

  // Each of the three has its 15 s: nothing remains for a fourth, outbound or inbound.
  const fourth = await place();
  expect(fourth.status).toBe(403);
  expect(fourth.body.error).toBe("insufficient_balance");
  const turnedAway = await caller.call(OWN_NUMBER);
  await expect(turnedAway.answered).rejects.toThrow("480");

  await Promise.all([...caller.calls, ...callee.calls].map((call) => call.hangUp()));
  const ended = async (): Promise<readonly CallView[]> =>
    (await world.api("GET", "/calls")).body.calls.filter(({ ended_at }) => ended_at !== null);
  await eventually(async () => (await ended()).length === 4, "all have ended", 20_000);
  const answered = (await ended()).filter(({ answered_at }) => answered_at !== null);
  const details = await Promise.all(answered.map((c) => world.callWhen(c.call_uuid, () => true)));
  expect(details.map(({ cost_eur }) => cost_eur)).toEqual([0, 0, 0]);
  const included = details.reduce((sum, { billing }) => sum + billing.included_seconds, 0);
  const billed = details.reduce((sum, { billing }) => sum + billing.billable_seconds, 0);
  expect(included).toBe(Math.min(SECONDS_LEFT, billed));
}, 60_000);
