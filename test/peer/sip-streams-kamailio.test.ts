/** Trunks over TCP and TLS at kamailio: registrations, calls in both directions, certificates, restarts. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { IncomingLeg, SipStack, Trunk, TrunkSettings } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import type { SipDns } from "../../src/sip/routing/dns.ts";
import { eventually } from "../support/eventually.ts";
import { type TestCa, testCa } from "../support/net/test-ca.ts";
import { requirePeer } from "../support/peers.ts";
import { type Kamailio, startKamailio } from "../support/sip/kamailio.ts";
import {
  endOf,
  next,
  settled,
  startStack,
  traceLog,
  trunkSettings,
} from "../support/sip/sip-stack.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOST = "127.0.6.21";
const OURS = "127.0.6.22";
const FROM = e164("+37061001001");
const NAME = "provider.test";

/** Records of `_sip._tcp` and `_sips._tcp`: a dead server before the living one. */
const servers = (port: number) => [
  { priority: 10, weight: 1, port: 5099, name: NAME },
  { priority: 20, weight: 1, port, name: NAME },
];
const dns: SipDns = {
  naptr: async () => [],
  srv: async (name) => {
    if (name === `_sip._tcp.${NAME}`) return servers(5060);
    return name === `_sips._tcp.${NAME}` ? servers(5061) : [];
  },
  addresses: async (host) => ({
    addresses: host === NAME || host === "other.test" ? [HOST] : [],
    ttlSeconds: null,
  }),
};

describe.skipIf(!requirePeer("kamailio"))("with kamailio over streams", () => {
  let ca: TestCa;
  let kamailio: Kamailio;
  let stack: SipStack;
  let trace = traceLog();
  let lastTrunkId = 0;

  const start = () => startKamailio(HOST, { tcp: true, tls: ca.issue([`DNS:${NAME}`]) });
  const open = async (tlsCa: string | null) => {
    trace = traceLog();
    stack = await startStack(OURS, trace.log, { tlsCa }, { dns });
  };
  const add = (overrides: Partial<TrunkSettings>): Trunk =>
    stack.addTrunk(trunkSettings({ trunkId: ++lastTrunkId, ...overrides }));
  const secure = { transport: "tls", port: 5061 } as const;

  beforeAll(async () => {
    ca = testCa(tempDir());
    kamailio = await start();
  });
  afterEach(() => stack?.close());
  afterAll(() => kamailio?.stop());

  for (const transport of ["tcp", "tls"] as const) {
    test(`by SRV over ${transport}: past a dead server, with the domain's certificate`, async () => {
      await open(ca.caPem);
      const trunk = add({ transport, server: NAME, port: 0 });
      expect((await settled(trunk)).name).toBe("registered");
      const probe = await trunk.probe();
      expect(probe.servers.map(({ port, failed }) => [port, failed])).toEqual([
        [transport === "tcp" ? 5060 : 5061, false],
        [5099, true],
      ]);
      expect(probe.remote?.port).toBe(transport === "tcp" ? 5060 : 5061);
    });
  }

  for (const where of [{ transport: "tcp", port: 5060 } as const, secure]) {
    const { transport } = where;
    test(`a trunk registers over ${transport}, places a call, receives it, and hangs up`, async () => {
      await open(ca.caPem);
      const caller = add({ ...where, username: "1001", password: "pw1001" });
      const callee = add({ ...where, username: "1002", password: "pw1002" });
      expect((await settled(caller)).name).toBe("registered");
      expect((await settled(callee)).name).toBe("registered");
      const incoming = new Promise<IncomingLeg>((resolve) => stack.onIncoming(resolve));
      const outgoing = caller.place({
        to: e164("+37061001002"),
        from: FROM,
        media: { host: OURS, port: 40_000 },
        ringTimeoutMs: 20_000,
      });
      const answered = next(outgoing, "answered");
      const leg = await incoming;
      expect(leg.trunkId).toBe(callee.settings.trunkId);
      const acked = next(leg, "answered");
      leg.ring();
      await leg.answer({ host: OURS, port: 40_002 });
      expect((await answered).plan.remote).toEqual({ host: OURS, port: 40_002 });
      await acked;
      const ends = [endOf(outgoing), endOf(leg)];
      leg.hangUp();
      const [ours, theirs] = await Promise.all(ends);
      expect(ours).toMatchObject({ by: "callee", kind: "bye" });
      expect(theirs).toMatchObject({ by: "us", kind: "bye" });
      const sent = trace.messages.filter((message) => message.startsWith("out "));
      const wire = `SIP/2.0/${transport.toUpperCase()} `;
      const requests = sent.filter((message) => !message.startsWith("out SIP/2.0"));
      expect(requests.length).toBeGreaterThan(5);
      for (const request of requests) expect(request).toContain(`Via: ${wire}`);
      expect(new Set(sent).size).toBe(sent.length);
    });
  }

  test("a certificate of an unknown authority is refused with an explanation, and nothing is sent", async () => {
    await open(null);
    const status = await settled(add(secure));
    expect(status).toMatchObject({ name: "failed", lastCode: null });
    if (status.name !== "failed") throw new Error("unreachable");
    expect(status.explanation).toContain("unknown authority");
    expect(trace.messages).toEqual([]);
  });

  test("a certificate with another name is refused with an explanation, and nothing is sent", async () => {
    await open(ca.caPem);
    const status = await settled(add({ ...secure, server: "other.test" }));
    if (status.name !== "failed") throw new Error(`the trunk is ${status.name}`);
    expect(status.explanation).toContain("for another name");
    expect(trace.messages).toEqual([]);
  });

  test("a restarted registrar gets its trunks back, over a new connection", async () => {
    await open(ca.caPem);
    const trunks = [add(secure), add({ username: "1002", password: "pw1002", transport: "tcp" })];
    for (const trunk of trunks) expect((await settled(trunk)).name).toBe("registered");
    const before = trace.messages.length;
    await kamailio.stop();
    await eventually(
      () => trunks.every(({ registration }) => registration.name === "failed"),
      "the lost connections are noticed",
    );
    kamailio = await start();
    await eventually(
      () => trunks.every(({ registration }) => registration.name === "registered"),
      "the trunks are back",
      60_000,
    );
    const registers = trace.messages
      .slice(before)
      .filter((text) => text.startsWith("out REGISTER"));
    expect(registers.length).toBeLessThan(12);
  }, 90_000);
});
