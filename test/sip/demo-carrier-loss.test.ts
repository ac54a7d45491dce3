/** The demo's phones behind a lossy line: transactions repeat lost messages. About 15 seconds. */
import { expect, test } from "bun:test";
import { startCarrier } from "../../src/demo/carrier/carrier.ts";
import { createPhone, type Phone } from "../support/media/phone.ts";
import { startLossyRelay } from "../support/net/lossy-relay.ts";

const HOST = "127.0.9.4";
const CALLER = "+37060000011";
const CALLED = "+37060000012";
const CALLS = 3;

test("with 30 % loss every registration and every call completes, and both ends agree", async () => {
  const carrier = await startCarrier({ host: HOST, domain: "carrier.test" });
  const relay = await startLossyRelay({
    host: HOST,
    upstream: carrier.address,
    loss: 0.3,
    seed: 5,
  });
  const phoneOf = async (number: string, proxy: { host: string; port: number }): Promise<Phone> => {
    carrier.addSubscriber({ username: number, password: number, numbers: [number] });
    const account = { username: number, password: number };
    return createPhone({ number, domain: "carrier.test", host: HOST, proxy, account });
  };
  const caller = await phoneOf(CALLER, relay);
  const called = await phoneOf(CALLED, carrier.address);
  try {
    await Promise.all([caller.register(), called.register()]);
    expect(carrier.isRegistered(CALLER)).toBe(true);
    const ends: Promise<unknown>[] = [];
    called.onCall((call) => {
      ends.push(call.ended);
      void call.answer().catch(() => {});
    });
    for (let index = 0; index < CALLS; index++) {
      const call = await caller.call(CALLED);
      await call.answered;
      await call.hangUp();
    }
    expect(await Promise.all(ends)).toEqual(
      Array.from({ length: CALLS }, () => ({ by: "them", how: "bye", sipCode: null })),
    );
    expect(relay.counters.lost).toBeGreaterThan(0);
  } finally {
    await Promise.all([caller.close(), called.close()]);
    relay.close();
    carrier.close();
  }
}, 120_000);
