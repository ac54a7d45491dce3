/**
 * A drain for an upgrade: five live calls continue to their own end, new ones are refused, and nothing is lost.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { calls as callRows } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { createPhone, type Phone } from "../support/media/phone/phone.ts";
import { CallNotAnswered } from "../support/media/phone/phone-call.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOST = "127.0.88.2";
const CALLS = 5;
let world: Appliance;

beforeAll(async () => {
  world = await startAppliance({ dataDir: tempDir(), host: HOST });
}, 60_000);
afterAll(() => world.close());

/** The SIP code with which a call to us is refused. */
async function refusalOf(phone: Phone): Promise<number | null> {
  const refused = await phone.call(OWN_NUMBER);
  const refusal = await refused.answered.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(refusal instanceof CallNotAnswered)) throw new Error("it was answered", { cause: refusal });
  return refusal.end.sipCode;
}

test("five calls survive the drain, a sixth is no longer sent to us or gets 503, and the drain ends with the last", async () => {
  const phones = await Promise.all(
    Array.from({ length: CALLS }, (_, index) => world.phone(`+3706100017${index}`)),
  );
  const calls = await Promise.all(phones.map((phone) => phone.call(OWN_NUMBER)));
  await Promise.all(calls.map((call) => call.answered));
  const late = await world.phone("+37061000179");
  let drained = false;
  const draining = world.app.drain().then(() => {
    drained = true;
  });
  const asked = await world.api("POST", "/calls", {
    to_number: "+37061000180",
    agent_id: world.agentId,
  });
  expect([asked.status, asked.body.error]).toEqual([503, "unavailable"]);
  await eventually(() => !world.carrier.isRegistered("clinic"), "the trunk is un-registered");
  expect(await refusalOf(late)).toBe(480);
  // A carrier that has not noticed, or sends calls without a registration.
  const [host, port] = world.app.addresses.sip.split(":");
  const stubborn = await createPhone({
    number: "+37061000181",
    domain: "carrier.test",
    host: HOST,
    proxy: { host: host ?? "", port: Number(port) },
  });
  expect(await refusalOf(stubborn)).toBe(503);
  await stubborn.close();

  await Bun.sleep(3_000);
  expect(calls.map(({ state }) => state)).toEqual(Array.from({ length: CALLS }, () => "active"));
  expect(world.app.liveCalls()).toBe(CALLS);
  for (const call of calls.slice(1)) call.hangUp();
  await eventually(async () => world.app.liveCalls() === 1, "four ends");
  expect(drained).toBe(false);
  calls[0]?.hangUp();
  await draining;
  const rows = await world.app.database.read.select().from(callRows);
  expect(rows.filter(({ endedReason }) => endedReason === "caller_hangup")).toHaveLength(CALLS);
}, 90_000);
