/** Session timers (RFC 4028) with sipp, both ways. Takes 13 s: a session really expires. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { LegEnd, SipStack } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import { requirePeer } from "../support/peers.ts";
import { endOf, startStack, trunkSettings } from "../support/sip/sip-stack.ts";
import { startSipp } from "../support/sip/sipp.ts";

const OURS = "127.0.6.181";
const MEDIA = { host: OURS, port: 40_000 };
const NUMBER = "+37061001001";

describe.skipIf(!requirePeer("sipp"))("session timers with sipp", () => {
  let stack: SipStack;
  beforeAll(async () => {
    stack = await startStack(OURS, undefined, { sessionExpiresSeconds: 5, sessionMinSeconds: 4 });
  });
  afterAll(() => stack?.close());

  const trunkTo = (trunkId: number, server: string) =>
    stack.addTrunk(trunkSettings({ trunkId, server, register: false }));

  test("as the caller: after a 422 we call again, we refresh on our turn, and the call expires without the peer's refresh", async () => {
    const trunk = trunkTo(1, "127.0.6.182");
    const sipp = startSipp({ scenario: "uas_timer.xml", host: "127.0.6.182" });
    await Bun.sleep(300);
    const to = e164("+37062222222");
    const leg = trunk.place({ to, from: e164(NUMBER), media: MEDIA, ringTimeoutMs: 20_000 });
    const end = await endOf(leg);
    expect(await sipp.finished).toEqual({ exitCode: 0, errors: "" });
    expect(end).toMatchObject({ by: "us", kind: "session_expired", fault: "carrier" });
  }, 30_000);

  test("as the caller: refreshed by UPDATE if the peer allows it, by re-INVITE when it is refused", async () => {
    const trunk = trunkTo(3, "127.0.6.184");
    const sipp = startSipp({ scenario: "uas_timer_update.xml", host: "127.0.6.184" });
    await Bun.sleep(300);
    const to = e164("+37062222222");
    const leg = trunk.place({ to, from: e164(NUMBER), media: MEDIA, ringTimeoutMs: 20_000 });
    const end = await endOf(leg);
    expect(await sipp.finished).toEqual({ exitCode: 0, errors: "" });
    expect(end).toMatchObject({ by: "callee", kind: "bye" });
  }, 30_000);

  test("as the callee: a short interval is refused, UPDATE and re-INVITE refresh, either side may", async () => {
    trunkTo(2, "127.0.6.183");
    const ends: LegEnd[] = [];
    stack.onIncoming((leg) => {
      leg.on("ended", (end) => ends.push(end));
      leg.ring();
      void leg.answer(MEDIA);
    });
    await Bun.sleep(20);
    const target = `${OURS}:${stack.localAddress.port}`;
    const host = "127.0.6.183";
    const sipp = startSipp({ scenario: "uac_timer.xml", host, target, service: NUMBER });
    expect(await sipp.finished).toEqual({ exitCode: 0, errors: "" });
    expect(ends).toMatchObject([{ by: "caller", kind: "bye" }]);
  }, 30_000);
});
