/** Calls and registrations through kamailio, an independent registrar and proxy. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { IncomingLeg, SipStack } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
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

const HOST = "127.0.6.1";
const OURS = "127.0.6.2";
const MEDIA = { host: OURS, port: 40_000 };
const FROM = e164("+37061001001");

describe.skipIf(!requirePeer("kamailio"))("with kamailio", () => {
  let kamailio: Kamailio;
  let stack: SipStack;
  const trace = traceLog();
  let onIncoming: (leg: IncomingLeg) => void = (leg) => leg.reject(480);

  beforeAll(async () => {
    kamailio = await startKamailio(HOST);
    stack = await startStack(OURS, trace.log);
    stack.onIncoming((leg) => onIncoming(leg));
    const users = ["1001", "1002", "chal"].map((username, index) =>
      settled(
        stack.addTrunk(
          trunkSettings({
            trunkId: index + 1,
            username,
            password: `pw${username}`,
            outboundProxy: `${HOST}:5060`,
          }),
        ),
      ),
    );
    for (const status of await Promise.all(users)) expect(status.name).toBe("registered");
  });
  afterAll(async () => {
    await stack?.close();
    await kamailio?.stop();
  });

  const place = (to: string, ringTimeoutMs = 20_000) => {
    const trunk = stack.trunk(1);
    if (!trunk) throw new Error("no trunk");
    return trunk.place({ to: e164(to), from: FROM, media: MEDIA, ringTimeoutMs });
  };

  test("a wrong password is reported in words and retried much later", async () => {
    const trunk = stack.addTrunk(
      trunkSettings({ trunkId: 9, password: "wrong", outboundProxy: `${HOST}:5060` }),
    );
    const status = await settled(trunk);
    expect(status).toMatchObject({ name: "failed", lastCode: 401 });
    if (status.name !== "failed") throw new Error("unreachable");
    expect(status.explanation).toContain("password");
    expect(status.nextAttemptAtMs).toBeGreaterThan(Date.now() + 300_000);
    await stack.removeTrunk(9);
    expect(trunk.registration.name).toBe("unregistered");
  });

  test("a call goes out through the proxy, comes in at the other trunk, and ends by BYE", async () => {
    const incoming = new Promise<IncomingLeg>((resolve) => {
      onIncoming = resolve;
    });
    const outgoing = place("+37061001002");
    const ringing = next(outgoing, "ringing");
    const answered = next(outgoing, "answered");
    const leg = await incoming;
    expect(leg.trunkId).toBe(2);
    expect(leg.callerNumber).toBe(FROM);
    expect(leg.calledNumbers).toContain("+37061001002");
    const acked = next(leg, "answered");
    leg.ring();
    expect((await ringing).sipCode).toBe(180);
    const { plan } = await leg.answer({ host: OURS, port: 40_002 });
    expect(plan.remote).toEqual(MEDIA);
    expect((await answered).plan.remote).toEqual({ host: OURS, port: 40_002 });
    expect((await answered).plan.codec.name).toBe("PCMA");
    await acked;
    const ends = [endOf(outgoing), endOf(leg)];
    outgoing.hangUp();
    const [ours, theirs] = await Promise.all(ends);
    expect(ours).toMatchObject({ by: "us", kind: "bye", sipCode: null });
    expect(theirs).toMatchObject({ by: "caller", kind: "bye" });
  });

  test("the called side may hang up, and the caller sees it", async () => {
    onIncoming = (leg) => {
      leg.on("answered", () => leg.hangUp());
      void leg.answer({ host: OURS, port: 40_002 });
    };
    const end = await endOf(place("+37061001002"));
    expect(end).toMatchObject({ by: "callee", kind: "bye", fault: null });
  });

  test("a challenged BYE inside the dialog is sent again with credentials", async () => {
    const incoming = new Promise<IncomingLeg>((resolve) => {
      onIncoming = (leg) => {
        void leg.answer({ host: OURS, port: 40_002 });
        resolve(leg);
      };
    });
    const outgoing = place("+370620000");
    const leg = await incoming;
    await Promise.all([next(outgoing, "answered"), next(leg, "answered")]);
    const end = endOf(leg);
    trace.messages.length = 0;
    outgoing.hangUp();
    expect(await end).toMatchObject({ by: "caller", kind: "bye" });
    const cseqs = trace.messages
      .filter((message) => message.startsWith("out BYE"))
      .map((message) => Number(/CSeq: (\d+) BYE/.exec(message)?.[1]));
    expect(trace.messages.some((message) => /^in SIP\/2.0 407/.test(message))).toBe(true);
    expect(new Set(cseqs).size).toBe(2);
  });

  test("our CANCEL ends the ringing at the far end", async () => {
    const incoming = new Promise<IncomingLeg>((resolve) => {
      onIncoming = (leg) => {
        leg.ring();
        resolve(leg);
      };
    });
    const outgoing = place("+37061001002");
    const leg = await incoming;
    await next(outgoing, "ringing");
    const ends = Promise.all([endOf(outgoing), endOf(leg)]);
    outgoing.hangUp();
    const [ours, theirs] = await ends;
    expect(ours).toMatchObject({ by: "us", kind: "cancelled", sipCode: 487 });
    expect(theirs).toMatchObject({ by: "caller", kind: "cancelled" });
  });

  test("nobody answers: the ring timeout cancels the call", async () => {
    onIncoming = (leg) => leg.ring();
    const end = await endOf(place("+37061001002", 800));
    expect(end).toMatchObject({ by: "us", kind: "no_answer", sipCode: 487 });
  });

  test.each([
    [486, "busy"],
    [603, "declined"],
    [404, "invalid_number"],
    [484, "invalid_number"],
    [480, "unavailable"],
    [503, "unavailable"],
    [403, "forbidden"],
    [408, "no_answer"],
    [488, "no_common_codec"],
    [302, "rejected"],
  ] as const)("the answer %d ends the call as %s", async (code, kind) => {
    const end = await endOf(place(`+370600${code}`));
    expect(end).toMatchObject({ by: "callee", kind, sipCode: code });
    expect(end.explanation).toMatch(/\.$/);
  });

  test("an unknown number is invalid", async () => {
    const end = await endOf(place("+37061001009"));
    expect(end).toMatchObject({ kind: "invalid_number", sipCode: 404 });
  });

  test("a rejected inbound call gives the caller the reason", async () => {
    onIncoming = (leg) => leg.reject(486);
    const end = await endOf(place("+37061001002"));
    expect(end).toMatchObject({ by: "callee", kind: "busy", sipCode: 486 });
  });
});
