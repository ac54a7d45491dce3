/** A request's transport, address family, and local address. */
import { afterEach, describe, expect, test } from "bun:test";
import { connect as connectTls } from "node:tls";
import type { OutgoingLeg, SipStack, Trunk, TrunkSettings } from "../../src/call/sip-port.ts";
import { systemClock } from "../../src/core/clock.ts";
import { e164 } from "../../src/core/e164.ts";
import { silentLog } from "../../src/core/log.ts";
import { systemRandom } from "../../src/core/random.ts";
import { parseNameAddr, type SipRequest } from "../../src/sip/message/index.ts";
import { createSipStack, type SipSettings } from "../../src/sip/stack.ts";
import { eventually } from "../support/eventually.ts";
import { startStunServer } from "../support/net/stun-server.ts";
import { testCa } from "../support/net/test-ca.ts";
import { OFFER, rawCall } from "../support/sip/raw-call.ts";
import { agreeable, type SipPeer, startSipPeer } from "../support/sip/sip-peer.ts";
import { endOf, next, settled, startStack, trunkSettings } from "../support/sip/sip-stack.ts";
import { tempDir } from "../support/temp-dir.ts";

const OURS = "127.0.64.1";
const FAR = "127.0.64.2";

let stack: SipStack | undefined;
const closing: (() => void)[] = [];
afterEach(async () => {
  await stack?.close();
  stack = undefined;
  for (const close of closing.splice(0)) close();
});

async function peerAt(...input: Parameters<typeof startSipPeer>): Promise<SipPeer> {
  const peer = await startSipPeer(...input);
  closing.push(() => peer.close());
  return peer;
}

async function trunkAt(
  host: string,
  settings: Partial<TrunkSettings>,
  more: Partial<SipSettings> = {},
): Promise<Trunk> {
  stack = await startStack(host, undefined, more);
  return stack.addTrunk(trunkSettings(settings));
}

const place = (trunk: Trunk, host: string): OutgoingLeg =>
  trunk.place({
    to: e164("+37062222222"),
    from: e164("+37061001001"),
    media: { host, port: 40_000 },
    ringTimeoutMs: 15_000,
  });

const contactOf = ({ headers }: SipRequest) => parseNameAddr(headers.get("contact") ?? "")?.uri;

describe("IPv6", () => {
  test("a trunk on [::1] registers, places and receives a call, with addresses in brackets", async () => {
    const peer = await peerAt({ host: "::1" });
    const sdp = OFFER("x").replace(/IN IP4 x/g, "IN IP6 ::1");
    peer.onRequest = (request, answer) => {
      if (request.method !== "INVITE") return agreeable(request, answer, "UDP");
      const headers = [
        ["Contact", `<sip:far@[::1]:${peer.port}>`],
        ["Content-Type", "application/sdp"],
      ] as const;
      answer({ statusCode: 200, toTag: "far", headers, body: sdp });
    };
    const trunk = await trunkAt("::1", { server: "::1", port: peer.port });
    expect((await settled(trunk)).name).toBe("registered");
    const registered = peer.requests[0]?.request;
    expect(registered?.via.host).toBe("[::1]");
    expect(registered && contactOf(registered)).toMatchObject({ host: "[::1]" });
    const leg = place(trunk, "::1");
    const { plan } = await next(leg, "answered");
    expect(plan.remote).toEqual({ host: "::1", port: 30_000 });
    const invite = peer.requests.find(({ request }) => request.method === "INVITE")?.request;
    expect(invite?.body).toContain("c=IN IP6 ::1");
    leg.hangUp();
    await eventually(() => peer.methods().includes("BYE"), "the BYE");
    if (!stack) throw new Error("no stack");
    const incoming = new Promise<string>((resolve) =>
      stack?.onIncoming((call) => {
        resolve(call.calledNumbers.join());
        call.reject(486);
      }),
    );
    const call = rawCall(peer, stack.localAddress);
    const branch = call.send({ method: "INVITE", uri: "sip:+37061001001@[::1]", body: sdp });
    expect(await incoming).toBe("+37061001001");
    expect((await call.answer(branch)).statusCode).toBe(486);
  });

  test.each([
    ["IPv6", "::1", OURS],
    ["IPv4", FAR, "::1"],
  ])(
    "a server with only %s addresses and a bind of the other family fails with that reason",
    async (family, server, bind) => {
      const trunk = await trunkAt(bind, { server, port: 5060 });
      const status = await settled(trunk);
      const reason = `${server} has only ${family} addresses, and [sip] bind is not one of them.`;
      expect(status).toMatchObject({ name: "failed", reason: "route" });
      expect("explanation" in status && status.explanation).toContain(reason);
      expect((await trunk.probe({ calls: false })).problem).toContain(reason);
    },
  );

  test("bound to [::], trunks of both families register and are admitted", async () => {
    const four = await peerAt({ host: FAR });
    const six = await peerAt({ host: "::1" });
    const trunk = await trunkAt("::", { server: FAR, port: four.port });
    const other = stack?.addTrunk(trunkSettings({ trunkId: 2, server: "::1", port: six.port }));
    expect((await settled(trunk)).name).toBe("registered");
    expect(other && (await settled(other)).name).toBe("registered");
    const [ofFour, ofSix] = [four, six].map(({ requests }) => requests.at(-1)?.request);
    expect(ofFour && contactOf(ofFour)).toMatchObject({ host: expect.stringMatching(/^127\./) });
    expect(ofSix && contactOf(ofSix)).toMatchObject({ host: "[::1]" });
    for (const peer of [four, six]) {
      const call = rawCall(peer, { host: peer.host, port: stack?.localAddress.port ?? 0 });
      expect(
        (await call.answer(call.send({ method: "OPTIONS", uri: "sip:x@y" }), "OPTIONS")).statusCode,
      ).toBe(200);
    }
  });
});

describe("a request above 1,300 bytes", () => {
  /** So long that every request of the trunk exceeds the limit. */
  const server = `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.test`;
  const long = (peer: SipPeer) => ({
    server,
    username: "u".repeat(200),
    outboundProxy: `${peer.host}:${peer.port}`,
  });

  test("goes over TCP, and its answers return", async () => {
    const peer = await peerAt({ host: FAR, transports: "both" });
    const trunk = await trunkAt(OURS, long(peer));
    expect((await settled(trunk)).name).toBe("registered");
    expect((await endOf(place(trunk, OURS))).kind).toBe("busy");
    await eventually(() => peer.methods().includes("ACK"), "the ACK");
    expect(peer.methods()).toEqual(["REGISTER", "INVITE", "ACK"]);
    expect(peer.requests.map(({ transport }) => transport)).toEqual(["TCP", "TCP", "TCP"]);
    expect(peer.requests.map(({ request }) => request.via.transport)).toEqual([
      "TCP",
      "TCP",
      "TCP",
    ]);
  });

  test("goes over UDP if TCP is refused, and TCP is not tried each time", async () => {
    const peer = await peerAt({ host: FAR });
    const trunk = await trunkAt(OURS, long(peer));
    expect((await settled(trunk)).name).toBe("registered");
    expect((await endOf(place(trunk, OURS))).kind).toBe("busy");
    expect(peer.requests.every(({ request }) => request.via.transport === "UDP")).toBe(true);
  });
});

describe("[sip] tls_bind", () => {
  const settings = (tls: SipSettings["tls"]): SipSettings => ({
    bind: { host: OURS, port: 0 },
    externalIp: "auto",
    userAgent: "Linevoice-Test",
    registerExpiresSeconds: 300,
    codecs: ["PCMA"],
    trace: false,
    tls: tls ?? null,
    allowNetworks: ["127.0.0.0/8"],
  });
  const deps = { clock: systemClock, random: systemRandom, log: silentLog };
  const bind = { host: OURS, port: 0 };

  test("accepts TLS 1.2, but nothing older, from a trunk's address and answers there", async () => {
    const ca = testCa(tempDir());
    const names = [`IP:${OURS}`];
    stack = await createSipStack(settings({ bind, ...ca.issue(names) }), deps);
    stack.addTrunk(trunkSettings({ server: FAR, transport: "tls", port: 5061, register: false }));
    await Bun.sleep(20);
    const port = stack.localTlsAddress?.port ?? 0;
    // A variable: the types of `connect` lack `localAddress`.
    const from = { host: OURS, port, localAddress: FAR, ca: ca.caPem };
    const dial = (maxVersion: "TLSv1.1" | "TLSv1.2") =>
      connectTls({
        ...from,
        maxVersion,
        minVersion: maxVersion === "TLSv1.1" ? "TLSv1" : "TLSv1.2",
      });
    const socket = dial("TLSv1.2");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", () => resolve());
      socket.once("error", reject);
    });
    const options = [
      `OPTIONS sip:${OURS} SIP/2.0`,
      `Via: SIP/2.0/TLS ${FAR};branch=z9hG4bKtls`,
      ...["From: <sip:a@x>;tag=1", "To: <sip:b@x>", "Call-ID: tls", "CSeq: 1 OPTIONS"],
      ...["Max-Forwards: 70", "Content-Length: 0", "", ""],
    ].join("\r\n");
    socket.write(options);
    await eventually(() => text.startsWith("SIP/2.0 200"), "the answer");
    socket.destroy();
    const old = dial("TLSv1.1");
    const outcome = await new Promise<string>((resolve) => {
      old.once("secureConnect", () => resolve("connected"));
      old.once("error", () => resolve("refused"));
      old.once("close", () => resolve("refused"));
    });
    expect(outcome).toBe("refused");
    old.destroy();
  });

  test("with a wrong key the start fails, instead of continuing without TLS", async () => {
    const ca = testCa(tempDir());
    const { cert } = ca.issue([`IP:${OURS}`]);
    const { key } = ca.issue([`IP:${OURS}`]);
    await expect(createSipStack(settings({ bind, cert, key }), deps)).rejects.toThrow();
  });
});

describe("[sip] stun_server", () => {
  test("sets the address in Contact and SDP; a change re-registers and moves live calls", async () => {
    const stun = await startStunServer("127.0.64.3");
    closing.push(() => stun.close());
    stun.mapped = { host: "192.0.2.10", port: 6000 };
    const peer = await peerAt({ host: FAR });
    // A registrar that does not report our public address.
    peer.onRequest = (request, answer) => {
      if (request.method === "ACK") return;
      const headers = [
        [
          "Contact",
          request.method === "REGISTER"
            ? (request.headers.get("contact") ?? "")
            : `<sip:far@${FAR}:${peer.port}>`,
        ],
        ["Content-Type", "application/sdp"],
      ] as const;
      const body = request.method === "INVITE" ? OFFER(FAR) : "";
      answer({ statusCode: 200, toTag: "far", headers, body });
    };
    const trunk = await trunkAt(
      OURS,
      { server: FAR, port: peer.port, register: false },
      {
        stunServer: stun,
      },
    );
    await eventually(() => stun.asked() > 0, "the question");
    await Bun.sleep(50);
    const leg = place(trunk, OURS);
    await next(leg, "answered");
    const invites = () =>
      peer.requests
        .filter(({ request }) => request.method === "INVITE")
        .map(({ request }) => request);
    expect(invites()[0]?.body).toContain("c=IN IP4 192.0.2.10");
    const [first] = invites();
    expect(first && contactOf(first)).toMatchObject({ host: "192.0.2.10", port: 6000 });
    stun.mapped = { host: "192.0.2.20", port: 6001 };
    await eventually(() => invites().length > 1, "the re-INVITE", 40_000);
    expect(invites().at(-1)?.body).toContain("c=IN IP4 192.0.2.20");
    leg.hangUp();
  }, 60_000);
});
