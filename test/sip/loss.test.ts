/** Signalling over UDP that loses packets. Takes up to half a minute: the timers are RFC 3261's. */
import { describe, expect, test } from "bun:test";
import type { IncomingLeg, LegEnd, OutgoingLeg, SipStack } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import { startLossyRelay } from "../support/net/lossy-relay.ts";
import { startRegistrar } from "../support/sip/registrar.ts";
import { endOf, next, settled, startStack, trunkSettings } from "../support/sip/sip-stack.ts";

const RELAYS = "127.0.6.20";
const CASES = [
  { loss: 0.1, seed: 1 },
  { loss: 0.1, seed: 2 },
  { loss: 0.3, seed: 3 },
  { loss: 0.3, seed: 4 },
  { loss: 0.3, seed: 5 },
];
const CALLS = 12;
const PATIENCE_MS = 60_000;

describe.concurrent("over a path that loses packets", () => {
  for (const { loss, seed } of CASES) {
    const title = `${loss * 100} % loss, seed ${seed}`;
    test(`every registration completes: ${title}`, () => registerAll(loss, seed), PATIENCE_MS);
    test(`every call is answered and ended: ${title}`, () => callAll(loss, seed), PATIENCE_MS);
    test(`every refusal arrives: ${title}`, () => refuseAll(loss, seed), PATIENCE_MS);
  }
});

async function registerAll(loss: number, seed: number): Promise<void> {
  const registrar = await startRegistrar({
    host: `127.0.6.${30 + seed}`,
    password: (user) => `pw${user}`,
  });
  const relay = await startLossyRelay({
    host: RELAYS,
    upstream: registrar,
    loss,
    delayMs: 5,
    duplication: 0.05,
    seed,
  });
  const stack = await startStack(`127.0.6.${40 + seed}`);
  try {
    const trunks = Array.from({ length: CALLS }, (_, index) =>
      stack.addTrunk(
        trunkSettings({
          trunkId: index,
          username: `u${index}`,
          password: `pwu${index}`,
          outboundProxy: `${relay.host}:${relay.port}`,
        }),
      ),
    );
    const statuses = await Promise.all(trunks.map(settled));
    expect(statuses.map((status) => status.name)).toEqual(trunks.map(() => "registered"));
    expect(relay.counters.lost).toBeGreaterThan(0);
  } finally {
    await stack.close();
    relay.close();
    registrar.close();
  }
}

interface Pair {
  readonly caller: SipStack;
  readonly lost: () => number;
  close(): Promise<void>;
}

/** Two stacks as IP peers; every packet of either passes a lossy relay. */
async function connect(
  loss: number,
  seed: number,
  base: number,
  onIncoming: (leg: IncomingLeg) => void,
): Promise<Pair> {
  const caller = await startStack(`127.0.6.${base + seed}`);
  const callee = await startStack(`127.0.6.${base + 10 + seed}`);
  const options = { host: RELAYS, loss, delayMs: 5, duplication: 0.05 };
  const toCallee = await startLossyRelay({ ...options, upstream: callee.localAddress, seed });
  const toCaller = await startLossyRelay({
    ...options,
    upstream: caller.localAddress,
    seed: seed + 100,
  });
  const peering = { register: false, server: RELAYS };
  caller.addTrunk(
    trunkSettings({ ...peering, outboundProxy: `${toCallee.host}:${toCallee.port}` }),
  );
  callee.addTrunk(
    trunkSettings({ ...peering, outboundProxy: `${toCaller.host}:${toCaller.port}` }),
  );
  callee.onIncoming(onIncoming);
  await Bun.sleep(50);
  return {
    caller,
    lost: () => toCallee.counters.lost + toCaller.counters.lost,
    close: async () => {
      await Promise.all([caller.close(), callee.close()]);
      toCallee.close();
      toCaller.close();
    },
  };
}

const place = (stack: SipStack): OutgoingLeg => {
  const trunk = stack.trunk(1);
  if (!trunk) throw new Error("no trunk");
  return trunk.place({
    to: e164("+37061002002"),
    from: e164("+37061001001"),
    media: { host: stack.localAddress.host, port: 40_000 },
    ringTimeoutMs: 45_000,
  });
};

async function callAll(loss: number, seed: number): Promise<void> {
  const farEnds: Promise<LegEnd>[] = [];
  const pair = await connect(loss, seed, 50, (leg) => {
    farEnds.push(endOf(leg));
    leg.ring();
    void leg.answer({ host: "127.0.6.9", port: 40_002 });
  });
  try {
    const kinds = await Promise.all(
      Array.from({ length: CALLS }, async () => {
        const leg = place(pair.caller);
        await next(leg, "answered");
        await Bun.sleep(200);
        const end = endOf(leg);
        leg.hangUp();
        return (await end).kind;
      }),
    );
    expect(kinds).toEqual(kinds.map(() => "bye"));
    expect(farEnds.length).toBe(CALLS);
    const ends = await Promise.all(farEnds);
    expect(ends.map((end) => `${end.by} ${end.kind}`)).toEqual(ends.map(() => "caller bye"));
    expect(pair.lost()).toBeGreaterThan(0);
  } finally {
    await pair.close();
  }
}

async function refuseAll(loss: number, seed: number): Promise<void> {
  const pair = await connect(loss, seed, 70, (leg) => leg.reject(486));
  try {
    const ends = await Promise.all(Array.from({ length: CALLS }, () => endOf(place(pair.caller))));
    expect(ends.map((end) => end.kind)).toEqual(ends.map(() => "busy"));
  } finally {
    await pair.close();
  }
}
