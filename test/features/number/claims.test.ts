/** Several tenants claim one number: which of them gets it. The whole appliance, INVITEs from raw sockets. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { auditEntries, callNotices, mails, phoneNumbers } from "../../../src/store/schema/index.ts";
import { browserOf } from "../../support/browser/appliance-browser.ts";
import { eventually } from "../../support/eventually.ts";
import { type SharedCarrier, startSharedCarrier } from "../../support/sip/shared-carrier.ts";

setDefaultTimeout(60_000);

const OURS = "127.0.86.1";
const CARRIER = "127.0.86.2";
const NUMBER = "+37067770000";

let world: SharedCarrier;
let owner = 0;
let squatter = 0;

beforeEach(async () => {
  world = await startSharedCarrier(OURS, CARRIER);
  owner = await world.tenant("Acme", []);
  squatter = await world.tenant("Beta", ["+37060000002"]);
});
afterEach(() => world.close());

const ask = (user: string, more = {}) => world.invite({ uri: `sip:${user}@${OURS}`, ...more });
const CALLED = [["P-Called-Party-ID", `<sip:${NUMBER}@${CARRIER}>`]] as const;

async function rest(tenant: number, method: string, path: string, body?: object) {
  const { secret } = await world.app.ask("key.create", { tenant, label: "test" });
  const answer = await fetch(`${world.app.addresses.http}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}
const add = async (tenant: number, number = NUMBER) =>
  (await rest(tenant, "POST", "/phone-numbers", { number_e164: number })).status;

/** The tenants with the number, each with its confirmation and state. */
async function claims() {
  const rows = await world.app.database.read
    .select()
    .from(phoneNumbers)
    .where(eq(phoneNumbers.numberE164, NUMBER));
  return Object.fromEntries(
    rows.map(({ tenantId, confirmedAt, inboundEnabled }) => [
      tenantId,
      `${confirmedAt === null ? "claimed" : "confirmed"} ${inboundEnabled ? "on" : "off"}`,
    ]),
  );
}
const isConfirmed = (tenant: number) =>
  eventually(async () => (await claims())[tenant]?.startsWith("confirmed") === true, "confirmed");
/** Checks that nothing was written, after the answer to a later call. */
const staysClaimed = async (tenant: number) => {
  await Bun.sleep(200);
  expect((await claims())[tenant]).toBe("claimed on");
};
const audited = async (action: string) =>
  (await world.app.database.read.select().from(auditEntries))
    .filter((entry) => entry.action === action)
    .map(({ tenantId, details }) => [tenantId, details?.subject]);
const mailed = async () =>
  (await world.app.database.read.select().from(mails)).map(({ tenantId, subject }) => [
    tenantId,
    subject,
  ]);
const notices = async () =>
  (await world.app.database.read.select().from(callNotices)).map(({ tenantId, kind }) => [
    tenantId,
    kind,
  ]);

test("a claim without a trunk yields to the company whose trunk delivers the call", async () => {
  expect([await add(squatter), await add(owner)]).toEqual([200, 200]);
  expect(await add(owner)).toBe(409);
  expect(await claims()).toEqual({ [squatter]: "claimed on", [owner]: "claimed on" });
  expect(await notices()).toEqual([[owner, "number_claimed"]]);
  await world.trunk(owner, "+37060000001");
  expect(await world.tenantOf((await ask(NUMBER)).callId)).toBe(owner);
  await isConfirmed(owner);
  expect(await claims()).toEqual({ [squatter]: "claimed off", [owner]: "confirmed on" });
  expect(await audited("confirmNumberByCall")).toEqual([[owner, NUMBER]]);
  expect(await audited("endNumberClaim")).toEqual([[squatter, NUMBER]]);
  expect(await mailed()).toEqual([
    [squatter, `${NUMBER} no longer belongs to Beta`],
    [owner, `${NUMBER} is confirmed for Acme`],
  ]);
  expect(await notices()).toEqual([]);
  const third = await world.tenant("Gamma", []);
  expect(await add(third)).toBe(409);
  expect(await notices()).toEqual([[third, "number_claimed"]]);
  const shown = await rest(owner, "GET", "/phone-numbers");
  expect(shown.json.phone_numbers).toMatchObject([{ confirmed_at: expect.stringMatching(/^2/) }]);
});

test("a single claim is confirmed by its first call, without mails", async () => {
  await add(owner);
  const before = await rest(owner, "GET", "/phone-numbers");
  expect(before.json.phone_numbers).toMatchObject([{ confirmed_at: null }]);
  await world.trunk(owner, "+37060000001");
  await ask(NUMBER.slice(1));
  await isConfirmed(owner);
  expect([await mailed(), await audited("confirmNumberByCall")]).toEqual([[], [[owner, NUMBER]]]);
});

test("another company on the same server can neither confirm the number nor take its calls", async () => {
  await add(squatter);
  await world.trunk(owner, "+37060000001", { username: "acme" });
  // Its account name and its caller ID are the number.
  await world.trunk(squatter, NUMBER, { username: NUMBER });
  await ask(NUMBER);
  await staysClaimed(squatter);
  await add(owner);
  const { code, callId } = await ask(NUMBER);
  expect([code, await world.stored(callId)]).toEqual([480, undefined]);
  await staysClaimed(owner);
  await ask(world.contactUser("acme"), { headers: CALLED });
  await isConfirmed(owner);
  expect((await claims())[squatter]).toBe("claimed off");
  for (const user of [NUMBER, NUMBER.slice(1), "867770000"])
    expect(await world.tenantOf((await ask(user)).callId)).toBe(owner);
  // A call to its Contact user changes nothing any more.
  await ask(world.contactUser(NUMBER), { headers: CALLED });
  await ask(NUMBER);
  expect(await claims()).toEqual({ [squatter]: "claimed off", [owner]: "confirmed on" });
});

test("a confirmed number beats another company's claim to another reading of it", async () => {
  await add(owner);
  await world.trunk(owner, "+37060000001", { username: "acme" });
  await ask(NUMBER);
  await isConfirmed(owner);
  await add(squatter, `+49${NUMBER.slice(1)}`);
  await world.trunk(squatter, "+493012345678", { username: NUMBER.slice(1) });
  expect(await world.tenantOf((await ask(NUMBER.slice(1))).callId)).toBe(owner);
});

test.each([
  ["an extension means the trunk's caller id", {}, "reception", []],
  ["the account's name means the trunk's caller id", {}, "beta", []],
  ["a call is diverted from the number", {}, "+37060000002", [["Diversion", `<sip:${NUMBER}@h>`]]],
  ["the carrier has refused the password", { password: "wrong" }, NUMBER, []],
] as const)("%s: the number stays a claim", async (_, changes, user, headers) => {
  await add(squatter);
  await world.trunk(squatter, NUMBER, { username: "beta", ...changes });
  await ask(user, { headers });
  await staysClaimed(squatter);
});

test("the operator's confirmation overrides a call's, and gives the company its entry", async () => {
  await add(squatter);
  await world.trunk(squatter, "+37060000002");
  await ask(NUMBER);
  await isConfirmed(squatter);
  expect(await add(owner)).toBe(409);
  expect(await notices()).toEqual([[owner, "number_claimed"]]);
  const own = await browserOf(world.app, { tenantId: owner });
  const operator = await browserOf(world.app, { tenantId: owner, role: "viewer", operator: true });
  const body = { tenant: owner, number: NUMBER };
  const path = "/operator/numbers/confirm";
  expect((await own.ask("POST", path, body)).status).toBe(403);
  expect((await operator.ask("POST", path, { ...body, tenant: 999 })).status).toBe(404);
  expect((await operator.ask("POST", path, body)).status).toBe(200);
  expect(await claims()).toEqual({ [squatter]: "claimed off", [owner]: "confirmed on" });
  await eventually(async () => (await audited("operatorConfirmNumber")).length > 0, "the entry");
  expect(await audited("endNumberClaim")).toEqual([[squatter, NUMBER]]);
  expect(await notices()).toEqual([]);
  expect((await mailed()).map(([tenant]) => tenant)).toEqual([squatter, owner]);
  await ask(NUMBER);
  expect((await claims())[owner]).toBe("confirmed on");
});

test("the operator confirms an ended claim: its entry is switched on again", async () => {
  await add(owner);
  await add(squatter);
  await world.trunk(squatter, "+37060000002");
  await ask(NUMBER);
  await isConfirmed(squatter);
  expect((await claims())[owner]).toBe("claimed off");
  for (const _ of ["once", "again"])
    await world.app.ask("number.confirm", { tenant: owner, number: NUMBER });
  expect(await claims()).toEqual({ [squatter]: "claimed off", [owner]: "confirmed on" });
  expect(await audited("endNumberClaim")).toEqual([
    [owner, NUMBER],
    [squatter, NUMBER],
  ]);
});
