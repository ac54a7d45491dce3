/** The demo's carrier and phones against each other, on real sockets. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Carrier, startCarrier } from "../../src/demo/carrier/carrier.ts";
import {
  CallNotAnswered,
  createPhone,
  type Phone,
  tone,
  toneShare,
} from "../support/media/phone.ts";

const HOST = "127.0.9.1";
const ALICE = "+37060000001";
const BOB = "+37060000002";

let carrier: Carrier;
const phones: Phone[] = [];

async function phoneOf(number: string, password = `secret of ${number}`): Promise<Phone> {
  carrier.addSubscriber({
    username: number,
    password: `secret of ${number}`,
    numbers: [number],
  });
  const phone = await createPhone({
    number,
    domain: carrier.domain,
    host: HOST,
    proxy: carrier.address,
    account: { username: number, password },
  });
  phones.push(phone);
  return phone;
}

async function pair(): Promise<{ alice: Phone; bob: Phone }> {
  const [alice, bob] = [await phoneOf(ALICE), await phoneOf(BOB)];
  await Promise.all([alice.register(), bob.register()]);
  return { alice, bob };
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => "answered",
    (error: unknown) => (error instanceof CallNotAnswered ? error.end : error),
  );

beforeEach(async () => {
  carrier = await startCarrier({ host: HOST, domain: "carrier.test" });
});

afterEach(async () => {
  await Promise.all(phones.splice(0).map((phone) => phone.close()));
  carrier.close();
});

describe("registration", () => {
  test("a subscriber with the right password is registered, and removed after un-registering", async () => {
    const alice = await phoneOf(ALICE);
    await alice.register();
    expect(carrier.isRegistered(ALICE)).toBe(true);
    await alice.close();
    expect(carrier.isRegistered(ALICE)).toBe(false);
  });

  test("a wrong password is never registered", async () => {
    const mallory = await phoneOf(ALICE, "guess");
    await expect(mallory.register()).rejects.toThrow("401");
    expect(carrier.isRegistered(ALICE)).toBe(false);
  });
});

describe("a call through the carrier", () => {
  test("carries audio both ways, keys both ways, hold, and the caller's BYE", async () => {
    const { alice, bob } = await pair();
    const incoming = Promise.withResolvers<Awaited<ReturnType<typeof answerNext>>>();
    const answerNext = async (call: Parameters<Parameters<Phone["onCall"]>[0]>[0]) => {
      call.ring();
      await call.answer();
      return call;
    };
    bob.onCall((call) => incoming.resolve(answerNext(call)));
    const call = await alice.call(BOB);
    await call.answered;
    const atBob = await incoming.promise;
    expect(atBob.callerNumber).toBe(ALICE);

    await Promise.all([call.play(tone(600, 1500)), atBob.play(tone(1000, 1500))]);
    await Promise.all([call.waitForSilence(), atBob.waitForSilence()]);
    expect(toneShare(call.received(), 1000)).toBeGreaterThan(0.9);
    expect(toneShare(atBob.received(), 600)).toBeGreaterThan(0.9);

    await Promise.all([call.press("17#"), atBob.press("*4")]);
    await call.press("9", "info");
    expect(atBob.digitsReceived).toBe("17#9");
    expect(call.digitsReceived).toBe("*4");

    await call.hold();
    const sentBefore = atBob.media.statistics.packetsReceived;
    await call.resume();
    await atBob.play(tone(700, 300));
    expect(atBob.media.statistics.packetsReceived).toBeGreaterThan(sentBefore);

    await call.hangUp();
    expect(await atBob.ended).toEqual({ by: "them", how: "bye", sipCode: null });
  });

  test("ends for the caller when the called phone hangs up", async () => {
    const { alice, bob } = await pair();
    bob.onCall(async (call) => {
      await call.answer();
      await call.hangUp();
    });
    const call = await alice.call(BOB);
    expect(await call.ended).toEqual({ by: "them", how: "bye", sipCode: null });
  });

  test("when refused, gives the caller the code", async () => {
    const { alice, bob } = await pair();
    bob.onCall((call) => call.reject(486));
    const call = await alice.call(BOB);
    expect(await refusal(call.answered)).toEqual({ by: "them", how: "refused", sipCode: 486 });
  });

  test("when cancelled while ringing, is cancelled at the called phone", async () => {
    const { alice, bob } = await pair();
    const ringing = Promise.withResolvers<{ ended: Promise<unknown> }>();
    bob.onCall((call) => {
      call.ring();
      ringing.resolve(call);
    });
    const call = await alice.call(BOB);
    await call.rang;
    await call.hangUp();
    expect(await call.ended).toEqual({ by: "us", how: "cancelled", sipCode: 487 });
    const atBob = await ringing.promise;
    expect(await atBob.ended).toEqual({ by: "them", how: "cancelled", sipCode: 487 });
  });

  test("to an unknown number gets 404, to an unregistered subscriber 480", async () => {
    const { alice, bob } = await pair();
    await bob.close();
    const unknown = await alice.call("+37069999999");
    const away = await alice.call(BOB);
    expect(await refusal(unknown.answered)).toMatchObject({ sipCode: 404 });
    expect(await refusal(away.answered)).toMatchObject({ sipCode: 480 });
  });

  test("from a subscriber with a wrong password is not placed", async () => {
    await pair();
    const mallory = await phoneOf("+37060000003", "guess");
    const call = await mallory.call(BOB);
    expect(await refusal(call.answered)).toMatchObject({ sipCode: 407 });
  });
});
