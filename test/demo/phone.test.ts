/** The demo's phones, against each other and against the tests' own phone, through the demo's carrier. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { systemRandom } from "../../src/core/random.ts";
import { type Carrier, startCarrier } from "../../src/demo/carrier/carrier.ts";
import { createPhone, type Phone } from "../../src/demo/phone/phone.ts";
import type { IncomingCall } from "../../src/demo/phone/phone-call.ts";
import { eventually } from "../support/eventually.ts";
import { createPhone as createPeer, tone, toneShare } from "../support/media/phone.ts";

const HOST = "127.0.9.6";
const ALICE = "+37060000021";
const BOB = "+37060000022";
const LISTEN = { quietMs: 300, timeoutMs: 5_000 };

let carrier: Carrier;
const closing: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  carrier = await startCarrier({ host: HOST, domain: "carrier.test" });
});

afterEach(async () => {
  await Promise.all(closing.splice(0).map((phone) => phone.close()));
  carrier.close();
});

function subscribe(number: string): { number: string; password: string } {
  const password = `secret of ${number}`;
  carrier.addSubscriber({ username: number, password, numbers: [number] });
  return { number, password };
}

async function phoneOf(number: string, password?: string): Promise<Phone> {
  const phone = await createPhone({
    ...subscribe(number),
    ...(password !== undefined && { password }),
    host: HOST,
    carrier: carrier.address,
    clock: systemClock,
    random: systemRandom,
    speech: async (text) => tone(Number(text), 1_500),
  });
  closing.push(phone);
  return phone;
}

/** Another implementation of dialogs, SDP and RTP. */
async function peerOf(number: string) {
  const account = { username: number, password: subscribe(number).password };
  const peer = await createPeer({
    number,
    account,
    domain: "carrier.test",
    host: HOST,
    proxy: carrier.address,
  });
  closing.push(peer);
  await peer.register();
  return peer;
}

function nextCall(phone: Phone): Promise<IncomingCall> {
  return new Promise((resolve) => phone.onCall(resolve));
}

test("a phone is registered while it is open, and never with a wrong password", async () => {
  const alice = await phoneOf(ALICE);
  expect(carrier.isRegistered(ALICE)).toBe(true);
  await alice.close();
  expect(carrier.isRegistered(ALICE)).toBe(false);
  await expect(phoneOf(ALICE, "guess")).rejects.toThrow("refused the user name or password");
});

test("two phones ring, answer, hear each other and each other's keys; a hang-up ends both", async () => {
  const [alice, bob] = [await phoneOf(ALICE), await phoneOf(BOB)];
  const reached = nextCall(bob);
  const call = await alice.call(BOB);
  const atBob = await reached;
  atBob.ring();
  await Promise.all([atBob.answer(), call.answered]);
  expect(atBob.callerNumber).toBe(ALICE);

  const heard = [atBob.waitForReply(LISTEN), call.waitForReply(LISTEN)];
  await Promise.all([call.say("600"), atBob.say("1000"), ...heard]);
  expect(toneShare(call.received(), 1000)).toBeGreaterThan(0.9);
  expect(toneShare(atBob.received(), 600)).toBeGreaterThan(0.9);

  await Promise.all([call.press("17#"), atBob.press("*4")]);
  expect([atBob.digitsReceived, call.digitsReceived]).toEqual(["17#", "*4"]);

  expect(await call.hangUp()).toMatchObject({ by: "us", kind: "bye" });
  expect(await atBob.ended).toMatchObject({ by: "caller", kind: "bye" });
});

test("a phone calls another make, hears it, presses keys, follows its hold, and is hung up on", async () => {
  const [alice, peer] = [await phoneOf(ALICE), await peerOf(BOB)];
  peer.onCall((incoming) => incoming.answer());
  const call = await alice.call(BOB);
  await call.answered;
  const [atPeer] = peer.calls;
  if (!atPeer) throw new Error("the peer was not called");
  await Promise.all([call.say("600"), atPeer.play(tone(1000, 1_500))]);
  await call.press("42");
  await atPeer.waitForSilence({ quietMs: 300 });
  expect(toneShare(call.received(), 1000)).toBeGreaterThan(0.9);
  expect(toneShare(atPeer.received(), 600)).toBeGreaterThan(0.9);
  expect(atPeer.digitsReceived).toBe("42");
  await atPeer.hold();
  await atPeer.resume();
  await atPeer.press("7");
  await atPeer.hangUp();
  expect(await call.ended).toMatchObject({ by: "callee", kind: "bye" });
  expect(call.digitsReceived).toBe("7");
});

test("a phone puts another make on hold by re-INVITE: neither is heard until it resumes", async () => {
  const [alice, peer] = [await phoneOf(ALICE), await peerOf(BOB)];
  peer.onCall((incoming) => incoming.answer());
  const call = await alice.call(BOB);
  await call.answered;
  const [atPeer] = peer.calls;
  if (!atPeer) throw new Error("the peer was not called");
  call.hold();
  await eventually(() => atPeer.isHeld, "the peer is on hold");
  const spoken = atPeer.play(tone(700, 1_500));
  await Bun.sleep(200);
  expect(call.quietMs).toBe(Number.POSITIVE_INFINITY);
  call.resume();
  await eventually(() => !atPeer.isHeld, "the peer is off hold");
  await Promise.all([call.say("600"), spoken, call.waitForReply(LISTEN)]);
  await atPeer.waitForSilence({ quietMs: 300 });
  expect(toneShare(call.received(), 700)).toBeGreaterThan(0.9);
  expect(toneShare(atPeer.received(), 600)).toBeGreaterThan(0.9);
  await call.hangUp();
});

test("a phone refuses and gives up calls, and another make learns of it", async () => {
  const [alice, peer] = [await phoneOf(ALICE), await peerOf(BOB)];
  alice.onCall((incoming) => incoming.reject(486));
  const refused = await peer.call(ALICE);
  expect(await refused.ended).toEqual({ by: "them", how: "refused", sipCode: 486 });

  const ringing = Promise.withResolvers<{ ended: Promise<unknown> }>();
  peer.onCall((incoming) => {
    incoming.ring();
    ringing.resolve(incoming);
  });
  const call = await alice.call(BOB);
  const atPeer = await ringing.promise;
  expect(await call.hangUp()).toMatchObject({ by: "us", kind: "cancelled" });
  await expect(call.answered).rejects.toThrow("cancelled");
  expect(await atPeer.ended).toEqual({ by: "them", how: "cancelled", sipCode: 487 });
});
