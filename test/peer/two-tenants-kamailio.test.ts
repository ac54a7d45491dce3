/** Two tenants at one independent carrier: kamailio, registrar and proxy. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { requirePeer } from "../support/peers.ts";
import { type Kamailio, startKamailio } from "../support/sip/kamailio.ts";
import { type SharedCarrier, startSharedCarrier } from "../support/sip/shared-carrier.ts";

setDefaultTimeout(60_000);

const KAMAILIO = "127.0.6.108";
/** Where kamailio delivers customers' numbers (peer-config/kamailio.cfg). */
const OURS = "127.0.6.109";
const CALLER = "127.0.6.107";
const NUMBER = "+37064111111";

describe.skipIf(!requirePeer("kamailio"))("two tenants at one kamailio", () => {
  let kamailio: Kamailio;
  let world: SharedCarrier;
  let own = 0;
  let other = 0;

  beforeAll(async () => {
    kamailio = await startKamailio(KAMAILIO);
    world = await startSharedCarrier(OURS, CALLER, 5060);
    own = await world.tenant("Acme", [NUMBER]);
    other = await world.tenant("Beta", ["+4937064111111", "+493012345678"]);
    const at = { server: "provider.test", port: 5060, outbound_proxy: `${KAMAILIO}:5060` };
    await world.trunk(own, NUMBER, { ...at, username: "1001", password: "pw1001" });
    await world.trunk(other, "+493012345678", { ...at, username: "1002", password: "pw1002" });
    const trunks = await world.app.ask("trunk.list", {});
    expect(trunks.map(({ status }) => status)).toEqual(["registered", "registered"]);
  });
  afterAll(async () => {
    await world?.close();
    await kamailio?.stop();
  });

  const ask = (user: string) =>
    world.invite({
      uri: `sip:${user}@provider.test`,
      proxy: { host: KAMAILIO, port: 5060 },
      headers: [["X-NoAuth", "1"]],
    });

  test("a number goes to the tenant that owns it, and an ambiguous one to nobody", async () => {
    const { code, callId } = await ask(NUMBER);
    expect(code).toBe(480);
    expect(await world.tenantOf(callId)).toBe(own);
    const rows = await world.callRows();
    expect((await ask(NUMBER.slice(1))).code).toBe(480);
    expect(await world.callRows()).toBe(rows);
  });

  test("an account's call goes to its Contact, and is for that trunk's own number", async () => {
    const { callId } = await ask("+37061001002");
    expect(await world.tenantOf(callId)).toBe(other);
    expect((await world.stored(callId))?.toNumber).toBe("+493012345678");
  });
});
