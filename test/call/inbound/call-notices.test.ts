/** Notices to the owner of a trunk and the operator about unassigned calls. The whole appliance. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { browserOf } from "../../support/browser/appliance-browser.ts";
import type { Browser } from "../../support/browser/dashboard-session.ts";
import { eventually } from "../../support/eventually.ts";
import { type SharedCarrier, startSharedCarrier } from "../../support/sip/shared-carrier.ts";

setDefaultTimeout(60_000);

const OURS = "127.0.85.1";
const CARRIER = "127.0.85.2";
const ELSEWHERE = "127.0.85.3";
const NUMBER = "+37061111111";

interface Notice {
  readonly tenant_id: number;
  readonly kind: string;
  readonly subject: string;
}
interface Answer {
  readonly notices: readonly Notice[];
  readonly trunk: { extra_networks: readonly string[]; unknown_sources: readonly string[] };
}

let world: SharedCarrier;
let own = 0;
let other = 0;
let owner: Browser;
let operator: Browser;

beforeAll(async () => {
  world = await startSharedCarrier(OURS, CARRIER);
  own = await world.tenant("Acme", [NUMBER]);
  other = await world.tenant("Beta", ["+4937061111111", "+493012345678"]);
  owner = await browserOf(world.app, { tenantId: own });
  operator = await browserOf(world.app, { tenantId: other, role: "viewer", operator: true });
});
afterAll(() => world.close());

const read = async (browser: Browser, path: string) =>
  (await browser.ask("GET", path)).json as unknown as Answer;
const noticesOf = async (kind: string) =>
  (await read(operator, "/operator/call-notices")).notices.filter((each) => each.kind === kind);

test("a number claimed by two trunks is shown to the operator with both companies", async () => {
  await world.trunk(own, "+37060000001", { register: false });
  await world.trunk(other, "+493012345678");
  expect((await world.invite({ uri: `sip:${NUMBER.slice(1)}@${OURS}` })).code).toBe(480);
  await eventually(async () => (await noticesOf("number_conflict")).length === 2, "both notices");
  const tenants = (await noticesOf("number_conflict")).map(({ tenant_id }) => tenant_id);
  expect(new Set(tenants)).toEqual(new Set([own, other]));
  expect((await owner.ask("GET", "/operator/call-notices")).status).toBe(403);
});

test("a company cannot add another company's number, and the operator gets a notice", async () => {
  await world.app.ask("number.confirm", { tenant: own, number: NUMBER });
  const { secret } = await world.app.ask("key.create", { tenant: other, label: "test" });
  const asked = await fetch(`${world.app.addresses.http}/api/v1/phone-numbers`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ number_e164: NUMBER }),
  });
  expect([asked.status, await noticesOf("number_claimed")]).toMatchObject([
    409,
    [{ tenant_id: other, subject: NUMBER }],
  ]);
});

test("an unknown address that used our Contact is shown, and only the owner may allow it", async () => {
  await world.trunk(own, NUMBER, { username: "acme" });
  const uri = `sip:${world.contactUser("acme")}@${OURS}`;
  const dropped = world.invite({ uri, source: ELSEWHERE });
  const unknown = async () => (await read(owner, "/trunk")).trunk.unknown_sources;
  await eventually(async () => (await unknown()).length > 0, "the address");
  expect(await unknown()).toEqual([ELSEWHERE]);
  expect((await dropped).code).toBeNull();
  expect((await owner.ask("POST", "/trunk/allow", { address: "192.0.2.1" })).status).toBe(404);
  const allowed = await owner.ask("POST", "/trunk/allow", { address: ELSEWHERE });
  expect(allowed.status).toBe(200);
  expect((await read(owner, "/trunk")).trunk).toMatchObject({
    extra_networks: [ELSEWHERE],
    unknown_sources: [],
  });
  await eventually(async () => {
    const [trunk] = await world.app.ask("trunk.list", {});
    return trunk?.status === "registered";
  }, "the trunk stands again");
  const again = `sip:${world.contactUser("acme")}@${OURS}`;
  const { code, callId } = await world.invite({ uri: again, source: ELSEWHERE });
  expect(code).toBe(480);
  expect(await world.tenantOf(callId)).toBe(own);
});
