/** Calls with sipp, whose scenarios misbehave on purpose. Takes 35 s: one ACK never comes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { IncomingLeg, LegEnd, SipStack } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import type { MediaPlan } from "../../src/core/media-plan.ts";
import { requirePeer } from "../support/peers.ts";
import { endOf, next, startStack, trunkSettings } from "../support/sip/sip-stack.ts";
import { type SippOptions, startSipp } from "../support/sip/sipp.ts";

const OURS = "127.0.6.3";
const MEDIA = { host: OURS, port: 40_000 };
const NUMBER = "+37061001001";

describe.skipIf(!requirePeer("sipp"))("with sipp", () => {
  let stack: SipStack;
  let onIncoming: (leg: IncomingLeg) => void = (leg) => leg.reject(480);
  let lastAddress = 110;
  let lastTrunk = 0;

  beforeAll(async () => {
    stack = await startStack(OURS);
    stack.onIncoming((leg) => onIncoming(leg));
  });
  afterAll(() => stack?.close());

  /** An IP peering with a sipp at a separate address. */
  function peer() {
    const host = `127.0.6.${++lastAddress}`;
    const trunkId = ++lastTrunk;
    const trunk = stack.addTrunk(trunkSettings({ trunkId, server: host, register: false }));
    return { host, trunk };
  }

  async function callUs(
    scenario: string,
    handler: (leg: IncomingLeg) => void,
    extra: Partial<SippOptions> = {},
  ) {
    const { host } = peer();
    onIncoming = handler;
    await Bun.sleep(20);
    const target = `${OURS}:${stack.localAddress.port}`;
    const running = startSipp({ scenario, host, target, service: NUMBER, ...extra });
    const { exitCode, errors } = await running.finished;
    expect(errors).toBe("");
    expect(exitCode).toBe(0);
  }

  async function weCall(scenario: string, keys: Readonly<Record<string, string>> = {}) {
    const { host, trunk } = peer();
    const sipp = startSipp({ scenario, host, keys });
    await Bun.sleep(300);
    const leg = trunk.place({
      to: e164("+37062222222"),
      from: e164(NUMBER),
      media: MEDIA,
      ringTimeoutMs: 20_000,
    });
    return { leg, sipp };
  }

  test("our call rings, receives early media, is answered by another phone and hung up", async () => {
    const { leg, sipp } = await weCall("uas_answer.xml");
    const ringing: (number | null)[][] = [];
    leg.on("ringing", ({ sipCode, plan }) => ringing.push([sipCode, plan?.remote.port ?? null]));
    const { plan } = await next(leg, "answered");
    expect(ringing).toEqual([
      [180, null],
      [183, 30_000],
    ]);
    // The 200 differs from the 183: the 200 is used.
    expect(plan.remote.port).toBe(30_010);
    expect(plan.codec.name).toBe("PCMU");
    const end = endOf(leg);
    leg.hangUp();
    expect(await end).toMatchObject({ by: "us", kind: "bye" });
    expect((await sipp.finished).exitCode).toBe(0);
  });

  test.each([
    [486, "busy"],
    [603, "declined"],
  ] as const)("a refusal with %d is ACKed and ends as %s", async (code, kind) => {
    const { leg, sipp } = await weCall(`uas_reject_${code}.xml`);
    expect(await endOf(leg)).toMatchObject({ kind, sipCode: code });
    expect((await sipp.finished).exitCode).toBe(0);
  });

  test.each([
    ["200 OK", { transferred: true, accepted: true, sipCode: 200 }],
    ["486 Busy Here", { transferred: false, accepted: true, sipCode: 486 }],
  ] as const)(
    "a transfer whose last NOTIFY is %s resolves with that result",
    async (result, outcome) => {
      const { leg, sipp } = await weCall("uas_refer.xml", { result });
      expect(await leg.refer(NUMBER)).toEqual({
        transferred: false,
        accepted: false,
        sipCode: null,
      });
      await next(leg, "answered");
      expect(await leg.refer(NUMBER)).toEqual(outcome);
      leg.hangUp();
      expect((await sipp.finished).exitCode).toBe(0);
    },
  );

  test.each([
    ["200 OK", { transferred: true, accepted: true, sipCode: 200 }],
    ["481 Call/Transaction Does Not Exist", { transferred: false, accepted: true, sipCode: 481 }],
  ] as const)("two far ends with Replaces are connected directly: %s", async (result, outcome) => {
    const one = await weCall("uas_refer_replaces.xml", { result });
    await next(one.leg, "answered");
    const other = await weCall("uas_target.xml");
    await next(other.leg, "answered");
    expect(await one.leg.referTo(other.leg)).toEqual(outcome);
    one.leg.hangUp();
    other.leg.hangUp();
    expect(await one.sipp.finished).toEqual({ exitCode: 0, errors: "" });
    expect(await other.sipp.finished).toEqual({ exitCode: 0, errors: "" });
  });

  test("a far end without Replaces is not connected directly", async () => {
    const one = await weCall("uas_answer.xml");
    await next(one.leg, "answered");
    const other = await weCall("uas_target.xml");
    await next(other.leg, "answered");
    const nothing = { transferred: false, accepted: false, sipCode: null };
    expect(await one.leg.referTo(other.leg)).toEqual(nothing);
    expect(await other.leg.referTo(one.leg)).toEqual(nothing);
    one.leg.hangUp();
    other.leg.hangUp();
    expect((await one.sipp.finished).exitCode).toBe(0);
    expect((await other.sipp.finished).exitCode).toBe(0);
  });

  test("a phone takes over a live call by Replaces: we hang up the old dialog and talk to the new one", async () => {
    const plans: MediaPlan[] = [];
    const ends: LegEnd[] = [];
    await callUs("uac_replaces.xml", (leg) => {
      leg.on("media", ({ plan }) => plans.push(plan));
      leg.on("ended", (end) => ends.push(end));
      void leg.answer(MEDIA);
    });
    expect(plans.map(({ remote }) => remote.port)).toEqual([30_050]);
    expect(ends).toMatchObject([{ by: "caller", kind: "bye" }]);
  });

  test("a caller sends a digit, holds, resumes and hangs up", async () => {
    const digits: string[] = [];
    const plans: MediaPlan[] = [];
    const ends: LegEnd[] = [];
    await callUs("uac_full.xml", (leg) => {
      expect(leg.calledNumbers).toEqual([NUMBER]);
      expect(leg.callerNumber).toBe("+37061111111");
      leg.on("digit", ({ digit }) => digits.push(digit));
      leg.on("media", ({ plan }) => plans.push(plan));
      leg.on("ended", (end) => ends.push(end));
      leg.ring();
      void leg.answer(MEDIA);
    });
    expect(digits).toEqual(["5"]);
    expect(plans.map((plan) => plan.direction)).toEqual(["recvonly", "inactive", "sendrecv"]);
    expect(ends).toMatchObject([{ by: "caller", kind: "bye" }]);
  });

  test("a late offer is answered in the ACK", async () => {
    const plans: MediaPlan[] = [];
    await callUs("uac_late_offer.xml", (leg) => {
      leg.on("answered", ({ plan }) => plans.push(plan));
      void leg.answer(MEDIA).then(({ plan }) => plans.push(plan));
    });
    expect(plans.map((plan) => plan.codec.name)).toEqual(["PCMU", "PCMU"]);
  });

  test("reliable ringing, UPDATE with and without an offer, OPTIONS in the call", async () => {
    const directions: string[] = [];
    const ends: LegEnd[] = [];
    await callUs("uac_prack_update.xml", (leg) => {
      leg.on("media", ({ plan }) => directions.push(plan.direction));
      leg.on("ended", (end) => ends.push(end));
      leg.ring();
      setTimeout(() => void leg.answer(MEDIA), 300);
    });
    expect(directions).toEqual(["recvonly", "sendrecv"]);
    expect(ends).toMatchObject([{ by: "caller", kind: "bye" }]);
  });

  test("a far end that rings reliably gets each 18x confirmed by PRACK before the next", async () => {
    const { leg, sipp } = await weCall("uas_prack.xml");
    await next(leg, "answered");
    leg.hangUp();
    expect(await sipp.finished).toEqual({ exitCode: 0, errors: "" });
  });

  test("a caller who cancels gets 200 and 487, and the leg ends as cancelled", async () => {
    const ends: LegEnd[] = [];
    await callUs("uac_cancel.xml", (leg) => {
      leg.on("ended", (end) => ends.push(end));
      leg.ring();
    });
    expect(ends).toMatchObject([{ by: "caller", kind: "cancelled", sipCode: 487 }]);
  });

  test("an unknown Require is answered 420, Max-Forwards 0 is answered 483", async () => {
    await callUs("uac_expect_420.xml", () => {});
    await callUs("uac_expect_483.xml", () => {});
  });

  test("a BYE without ACK ends the call, and 32 s later nothing crashes; a caller who never ACKs is hung up", async () => {
    const ends: LegEnd[] = [];
    const answer = (leg: IncomingLeg) => {
      leg.on("ended", (end) => ends.push(end));
      void leg.answer(MEDIA);
    };
    await callUs("uac_no_ack_bye.xml", answer);
    expect(ends).toMatchObject([{ by: "caller", kind: "bye" }]);
    await callUs("uac_no_ack.xml", answer, { timeoutSeconds: 45 });
    await Bun.sleep(500);
    expect(ends[1]).toMatchObject({ by: "us", kind: "ack_missing" });
    expect(ends).toHaveLength(2);
  }, 60_000);

  test("a stack that refuses new calls answers 503", async () => {
    stack.rejectNewCalls();
    await callUs("uac_expect_503.xml", () => {});
  });
});
