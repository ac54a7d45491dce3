/** INVITEs that a trunk accepts: by transport, calls per second and source. */
import { afterEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect as connectTls } from "node:tls";
import type { IncomingLeg, LegEnd, SipStack, TrunkSettings } from "../../src/call/sip-port.ts";
import type { SipRequest } from "../../src/sip/message/index.ts";
import type { SipDeps, SipSettings } from "../../src/sip/stack.ts";
import { eventually } from "../support/eventually.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type TestCa, testCa } from "../support/net/test-ca.ts";
import { OFFER, rawCall } from "../support/sip/raw-call.ts";
import { agreeable, type SipPeer, startSipPeer } from "../support/sip/sip-peer.ts";
import { endOf, settled, startStack, trunkSettings } from "../support/sip/sip-stack.ts";
import { tempDir } from "../support/temp-dir.ts";

const OURS = "127.0.67.1";
const CARRIER = "127.0.67.2";
const OTHER = "127.0.67.3";
const NUMBER = "+37061001001";

let stack: SipStack | undefined;
let legs: IncomingLeg[] = [];
const peers: SipPeer[] = [];
afterEach(async () => {
  await stack?.close();
  stack = undefined;
  legs = [];
  for (const peer of peers.splice(0)) peer.close();
});

async function peerAt(host: string): Promise<SipPeer> {
  const peer = await startSipPeer({ host, onRequest: agreeable });
  peers.push(peer);
  return peer;
}

async function stackWith(more: Partial<SipSettings> = {}, deps: Partial<SipDeps> = {}) {
  const started = await startStack(OURS, undefined, more, deps);
  started.onIncoming((leg) => legs.push(leg));
  stack = started;
  return started;
}

const peering = (settings: Partial<TrunkSettings> = {}) =>
  trunkSettings({ server: CARRIER, register: false, ...settings });

describe("a trunk with TLS", () => {
  async function connected(sip: SipStack, ca: TestCa) {
    const port = sip.localTlsAddress?.port ?? 0;
    // A variable: the types of `connect` lack `localAddress`.
    const options = { host: OURS, port, localAddress: CARRIER, ca: ca.caPem };
    const socket = connectTls(options);
    await once(socket, "secureConnect");
    return { socket, names: socket.getPeerCertificate().subjectaltname };
  }

  const invite = (callId: string) =>
    [
      `INVITE sip:${NUMBER}@${OURS} SIP/2.0`,
      `Via: SIP/2.0/TLS ${CARRIER};branch=z9hG4bK${callId}`,
      ...["From: <sip:a@x>;tag=1", `To: <sip:${NUMBER}@x>`, `Call-ID: ${callId}`],
      ...["CSeq: 1 INVITE", `Contact: <sip:a@${CARRIER}>`],
      ...["Max-Forwards: 70", "Content-Length: 0", "", ""],
    ].join("\r\n");

  test("accepts no INVITE over UDP or TCP from its carrier's address, but accepts it over TLS", async () => {
    const ca = testCa(tempDir());
    const sip = await stackWith({
      tls: { bind: { host: OURS, port: 0 }, ...ca.issue([`IP:${OURS}`]) },
    });
    sip.addTrunk(peering({ transport: "tls", port: 5061 }));
    const peer = await peerAt(CARRIER);
    await Bun.sleep(20);
    const plain = rawCall(peer, sip.localAddress);
    const branch = plain.invite();
    // The accepted one comes later than the dropped ones.
    const { socket } = await connected(sip, ca);
    socket.write(invite("tls"));
    await eventually(() => legs.length > 0, "the call over TLS");
    socket.destroy();
    expect(legs.map(({ sipCallId }) => sipCallId)).toEqual(["tls"]);
    expect(plain.codes(branch)).toEqual([]);
  });

  test("uses a renewed certificate on its next connection; calls of the open one continue", async () => {
    const ca = testCa(tempDir());
    const bind = { host: OURS, port: 0 };
    const sip = await stackWith({ tls: { bind, ...ca.issue([`IP:${OURS}`, "DNS:first.test"]) } });
    sip.addTrunk(peering({ transport: "tls", port: 5061 }));
    await Bun.sleep(20);
    const before = await connected(sip, ca);
    before.socket.write(invite("before"));
    await eventually(() => legs.length > 0, "the call before");
    sip.renewCertificate(ca.issue([`IP:${OURS}`, "DNS:second.test"]));
    const after = await connected(sip, ca);
    expect(before.names).toContain("first.test");
    expect(after.names).toContain("second.test");
    let answers = "";
    before.socket.on("data", (bytes) => {
      answers += bytes;
    });
    legs[0]?.reject(486);
    await eventually(() => answers.includes("SIP/2.0 486"), "the answer on the open connection");
    after.socket.write(invite("after"));
    await eventually(() => legs.length > 1, "the call after");
    for (const { socket } of [before, after]) socket.destroy();
  });
});

describe("new calls per second", () => {
  test("up to twice the cap at once, then at the rate of the cap; the rest get 503 and no leg", async () => {
    const clock = fakeClock();
    const sip = await stackWith({ newCallsPerSecond: 3 }, { clock });
    sip.addTrunk(peering());
    const peer = await peerAt(CARRIER);
    await eventually(async () => {
      await clock.advance(1);
      return true;
    }, "the trunk's address");
    const invite = async (count: number) => {
      const calls = Array.from({ length: count }, () => rawCall(peer, sip.localAddress));
      const branches = calls.map((call) => call.invite());
      await eventually(
        () => calls.every((call, at) => call.codes(branches[at] ?? "").length > 0),
        "an answer for each",
      );
      return calls.filter((call, at) => call.codes(branches[at] ?? "").includes(503)).length;
    };
    expect(await invite(6)).toBe(0);
    expect(await invite(1)).toBe(1);
    await clock.advance(1000);
    expect(await invite(3)).toBe(0);
    expect(await invite(2)).toBe(2);
    expect(legs).toHaveLength(9);
    stack = undefined;
    let isClosed = false;
    void sip.close().then(() => {
      isClosed = true;
    });
    await eventually(async () => {
      await clock.advance(100);
      return isClosed;
    }, "the end of the stack");
  });
});

describe("a carrier's other addresses", () => {
  const contactUser = (request: SipRequest | undefined) =>
    /<sip:([0-9a-f]+)@/.exec(request?.headers.get("contact") ?? "")?.[1] ?? "";

  async function registered(settings: Partial<TrunkSettings> = {}) {
    const seen: string[] = [];
    const onUnknownSource = (_: TrunkSettings, host: string) => void seen.push(host);
    const sip = await stackWith({}, { onUnknownSource });
    const carrier = await peerAt(CARRIER);
    const trunk = sip.addTrunk(trunkSettings({ server: CARRIER, port: carrier.port, ...settings }));
    expect((await settled(trunk)).name).toBe("registered");
    return { sip, seen, uri: `sip:${contactUser(carrier.requests[0]?.request)}@${OURS}` };
  }

  test("that use our Contact user are reported once, and not answered", async () => {
    const { sip, seen, uri } = await registered();
    const other = await peerAt(OTHER);
    for (let time = 0; time < 3; time++) {
      const call = rawCall(other, sip.localAddress);
      call.send({ method: "INVITE", uri, body: OFFER(OTHER), toTag: null });
      call.invite();
    }
    await eventually(() => seen.length > 0, "the warning");
    await Bun.sleep(50);
    expect(seen).toEqual([OTHER]);
    expect(legs).toEqual([]);
    expect(other.responses).toEqual([]);
  });

  test("after a call to our Contact user, numbers are reached one call at a time until one was acknowledged", async () => {
    const { sip, uri } = await registered();
    const [carrier] = peers;
    if (!carrier) throw new Error("no carrier");
    const known = rawCall(carrier, sip.localAddress);
    known.send({ method: "INVITE", uri, body: OFFER(CARRIER), toTag: null });
    await eventually(() => legs.length === 1, "the call to our Contact user");
    const first = rawCall(carrier, sip.localAddress);
    const second = rawCall(carrier, sip.localAddress);
    const branch = first.invite();
    await eventually(() => legs.length === 2, "the call to a number");
    const answered = legs[1]?.answer({ host: OURS, port: 40_000 });
    await first.answer(branch);
    expect((await second.answer(second.invite())).statusCode).toBe(403);
    first.ack(1);
    await answered;
    await eventually(() => {
      if (legs.length === 2) rawCall(carrier, sip.localAddress).invite();
      return legs.length > 2;
    }, "another call to a number");
  });

  test("in the trunk's extra networks are the carrier's", async () => {
    const { sip, seen } = await registered({ extraNetworks: ["127.0.67.3/32", "2001:db8::/32"] });
    const other = await peerAt(OTHER);
    rawCall(other, sip.localAddress).invite();
    await eventually(() => legs.length === 1, "the call");
    expect(seen).toEqual([]);
  });
});

describe("a caller who hangs up at once", () => {
  test.each([0, 2, 10])(
    "%d ms after the INVITE: cancelled, even if the call is accessed late",
    async (ms) => {
      const sip = await stackWith();
      sip.addTrunk(peering());
      const peer = await peerAt(CARRIER);
      await Bun.sleep(20);
      const call = rawCall(peer, sip.localAddress);
      const branch = call.invite();
      if (ms > 0) await Bun.sleep(ms);
      call.send({ method: "CANCEL", branch, cseq: 1, toTag: null });
      expect((await call.answer(branch)).statusCode).toBe(487);
      await Bun.sleep(20);
      const [leg] = legs;
      if (!leg) throw new Error("no leg");
      const late: LegEnd = await endOf(leg);
      expect(late).toMatchObject({ by: "caller", kind: "cancelled" });
      await expect(leg.answer({ host: OURS, port: 40_000 })).rejects.toMatchObject({ end: late });
    },
  );

  test("also while the trunk of the call is being looked up", async () => {
    let decide = (): void => {};
    const decided = new Promise<void>((resolve) => {
      decide = resolve;
    });
    const claims = async () => {
      await decided;
      return [2];
    };
    const sip = await stackWith({}, { claims });
    for (const trunkId of [1, 2]) sip.addTrunk(peering({ trunkId, tenantId: trunkId }));
    const peer = await peerAt(CARRIER);
    await Bun.sleep(20);
    const call = rawCall(peer, sip.localAddress);
    const branch = call.invite();
    call.send({ method: "CANCEL", branch, cseq: 1, toTag: null });
    await Bun.sleep(20);
    expect(legs).toEqual([]);
    decide();
    expect((await call.answer(branch)).statusCode).toBe(487);
    expect(legs.map(({ trunkId }) => trunkId)).toEqual([2]);
    expect(await endOf(legs[0] as IncomingLeg)).toMatchObject({ kind: "cancelled" });
  });

  test("a BYE before the answer cancels the call too", async () => {
    const sip = await stackWith();
    sip.addTrunk(peering());
    const peer = await peerAt(CARRIER);
    await Bun.sleep(20);
    const call = rawCall(peer, sip.localAddress);
    const branch = call.invite();
    await eventually(() => legs.length === 1, "the leg");
    legs[0]?.ring();
    await call.answer(branch, "INVITE", 180);
    const bye = call.send({ method: "BYE", cseq: 2 });
    expect((await call.answer(bye, "BYE")).statusCode).toBe(200);
    expect((await call.answer(branch)).statusCode).toBe(487);
    expect(await endOf(legs[0] as IncomingLeg)).toMatchObject({ by: "caller", kind: "cancelled" });
  });
});
