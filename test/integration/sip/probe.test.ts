/** OPTIONS through a trunk, against a scripted far end. */
import { afterEach, expect, test } from "bun:test";
import { createServer } from "node:net";
import type { ResponseParts } from "../../../src/sip/message/index.ts";
import type { SipStack, Trunk } from "../../../src/sip/ports.ts";
import { judgeTrunk } from "../../../src/sip/trunk-verdicts.ts";
import { type Registrar, startRegistrar } from "../../support/registrar.ts";
import { settled, startStack, trunkSettings } from "../../support/sip-stack.ts";

const OURS = "127.0.6.171";
const FAR = "127.0.6.172";
const SDP = [
  "v=0",
  `o=- 1 1 IN IP4 ${FAR}`,
  "s=-",
  `c=IN IP4 ${FAR}`,
  "t=0 0",
  "m=audio 0 RTP/AVP 18 8 101",
  "a=rtpmap:101 telephone-event/8000",
  "",
].join("\r\n");

let stack: SipStack | undefined;
let far: Registrar | undefined;
afterEach(async () => {
  await stack?.close();
  far?.close();
});

async function trunkAt(options: ResponseParts | null, externalIp = "auto"): Promise<Trunk> {
  far = await startRegistrar({
    host: FAR,
    password: () => "pw1001",
    intercept: (request) => (request.method === "OPTIONS" && options ? options : undefined),
  });
  stack = await startStack(OURS, undefined, { externalIp });
  const trunk = stack.addTrunk(trunkSettings({ server: FAR, port: far.port }));
  await settled(trunk);
  return trunk;
}

async function judged(trunk: Trunk, externalIp = "auto") {
  const { settings, registration } = trunk;
  const probe = await trunk.probe();
  const checks = judgeTrunk({ settings, registration, probe, codecs: ["PCMA"], externalIp });
  const verdicts = Object.fromEntries(checks.map(({ name, verdict }) => [name, verdict]));
  return { probe, checks, verdicts };
}

test("codecs, digits, transfer and session timers are read from what the far end says", async () => {
  const headers = [
    ["Allow", "INVITE, ACK, BYE, REFER"],
    ["Supported", "timer, 100rel"],
    ["Content-Type", "application/sdp"],
  ] as const;
  const { probe, verdicts } = await judged(await trunkAt({ statusCode: 200, headers, body: SDP }));
  expect(probe.codecs).toEqual(["G729", "PCMA", "telephone-event"]);
  expect(probe.seenAs?.host).toBe(OURS);
  expect(verdicts).toEqual({
    ...{ registration: "ok", options: "ok", nat: "ok" },
    ...{ codecs: "ok", dtmf: "ok", transfer: "ok", session_timer: "ok" },
  });
});

test("what the far end does not say is unknown, not guessed", async () => {
  const { verdicts } = await judged(await trunkAt({ statusCode: 200 }));
  const rest = { codecs: "unknown", dtmf: "unknown", transfer: "unknown" };
  expect(verdicts).toMatchObject({ options: "ok", ...rest, session_timer: "unknown" });
});

test("a server without OPTIONS is alive all the same", async () => {
  const { checks } = await judged(await trunkAt({ statusCode: 405 }));
  expect(checks[1]).toMatchObject({ name: "options", verdict: "ok" });
  expect(checks[1]?.finding).toContain("405");
});

test("a wrong [sip] external_ip is found, with the right one", async () => {
  const trunk = await trunkAt({ statusCode: 200 }, "192.0.2.77");
  const { checks } = await judged(trunk, "192.0.2.77");
  expect(checks[2]).toMatchObject({ name: "nat", verdict: "failed" });
  expect(checks[2]?.mend).toContain(OURS);
});

test("a challenge is answered with the trunk's credentials", async () => {
  const trunk = await trunkAt(null);
  await trunk.probe();
  const asked = far?.requests.filter(({ method }) => method === "OPTIONS") ?? [];
  expect(asked.map(({ headers }) => headers.has("authorization"))).toEqual([false, true]);
});

test("where nothing takes the connection, both checks say so and nothing else is asked", async () => {
  const closed = createServer();
  const port = await new Promise<number>((resolve) =>
    closed.listen(0, FAR, () => {
      const address = closed.address();
      closed.close(() => resolve(typeof address === "object" ? (address?.port ?? 9) : 9));
    }),
  );
  stack = await startStack(OURS);
  const trunk = stack.addTrunk(trunkSettings({ server: FAR, port, transport: "tcp" }));
  await settled(trunk);
  const { checks, verdicts } = await judged(trunk);
  expect(verdicts).toEqual({ registration: "failed", options: "failed", nat: "unknown" });
  expect(checks[1]?.finding).toContain(`refuses connections on port ${port}`);
});
