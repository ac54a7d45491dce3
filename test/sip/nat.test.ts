/** Behind a NAT with a changing mapping, as a registrar sees it, with a fake clock. */
import { afterEach, expect, test } from "bun:test";
import type { SipStack } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import { silentLog } from "../../src/core/log.ts";
import { systemRandom } from "../../src/core/random.ts";
import { parseNameAddr, type SipRequest } from "../../src/sip/message/index.ts";
import { createSipStack } from "../../src/sip/stack.ts";
import { eventually } from "../support/eventually.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { OFFER } from "../support/sip/raw-call.ts";
import { agreeable, type SipPeer, startSipPeer } from "../support/sip/sip-peer.ts";
import { next, trunkSettings } from "../support/sip/sip-stack.ts";

const OURS = "127.0.67.1";
const FAR = "127.0.67.2";

let stack: SipStack | undefined;
let peer: SipPeer;
afterEach(async () => {
  await Promise.race([stack?.close(), Bun.sleep(100)]);
  peer.close();
});

async function registered(clock: FakeClock) {
  peer = await startSipPeer({ host: FAR });
  peer.onRequest = (request, answer) => {
    if (request.method !== "INVITE") return agreeable(request, answer, "UDP");
    const headers = [
      ["Contact", `<sip:far@${FAR}:${peer.port}>`],
      ["Content-Type", "application/sdp"],
    ] as const;
    answer({ statusCode: 200, toTag: "far", headers, body: OFFER(FAR) });
  };
  stack = await createSipStack(
    {
      bind: { host: OURS, port: 0 },
      externalIp: "auto",
      userAgent: "Linevoice-Test",
      allowNetworks: ["127.0.0.0/8"],
      registerExpiresSeconds: 300,
      codecs: ["PCMA"],
      trace: false,
    },
    { clock, random: systemRandom, log: silentLog },
  );
  const trunk = stack.addTrunk(trunkSettings({ server: FAR, port: peer.port }));
  await eventually(async () => {
    await clock.advance(1);
    return trunk.registration.name === "registered";
  }, "the registration");
  return trunk;
}

const contactOf = (request: SipRequest | undefined): string => {
  const uri = parseNameAddr(request?.headers.get("contact") ?? "")?.uri;
  return uri?.scheme === "sip" ? `${uri.host}:${uri.port}` : "";
};
const last = (method: string) =>
  peer.requests.findLast(({ request }) => request.method === method)?.request;

test("a NAT's UDP binding is kept open every 10 s, to the registrar", async () => {
  const clock = fakeClock();
  await registered(clock);
  for (let count = 1; count <= 3; count++) {
    await clock.advance(10_000);
    await eventually(() => peer.keepAlives() >= count, `keep-alive ${count}`);
  }
});

test("a changed mapping is registered at once, and live calls are informed", async () => {
  const clock = fakeClock();
  const trunk = await registered(clock);
  const placed = trunk.place({
    to: e164("+37062222222"),
    from: e164("+37061001001"),
    media: { host: OURS, port: 40_000 },
    ringTimeoutMs: 600_000,
  });
  const answered = next(placed, "answered");
  await eventually(async () => {
    await clock.advance(1);
    return peer.methods().includes("ACK");
  }, "the call");
  await answered;
  expect(last("INVITE")?.body).toContain(`c=IN IP4 ${OURS}`);
  peer.seenAs = { host: "198.51.100.7", port: 61_000 };
  await eventually(async () => {
    await clock.advance(10_000);
    return contactOf(last("REGISTER")) === "198.51.100.7:61000";
  }, "the new Contact");
  await eventually(async () => {
    await clock.advance(10);
    return last("INVITE")?.body.includes("c=IN IP4 198.51.100.7") ?? false;
  }, "the re-INVITE");
  expect(contactOf(last("INVITE"))).toBe("198.51.100.7:61000");
});
