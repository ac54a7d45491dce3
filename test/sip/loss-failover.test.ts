/**
 * Two servers, the preferred one behind a path so lossy that calls are passed on while it still has them: no call
 * is answered twice, and no phone is left ringing. Takes up to a minute.
 *
 * A 200 is sent eleven times (RFC 3261 13.3.1.4). For 0.65^11 = 0.9 % of the calls on the lossy path all of them
 * are lost: such a call rings out, on both sides. Two of twelve may.
 */
import { describe, expect, test } from "bun:test";
import type { LegEnd } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import { eventually } from "../support/eventually.ts";
import { startLossyRelay } from "../support/net/lossy-relay.ts";
import { endOf, next, startStack, trunkSettings } from "../support/sip/sip-stack.ts";

const CALLS = 12;
const RUNG_OUT_MAX = 2;
const DOMAIN = "two-servers.test";

describe.concurrent("two servers over paths that lose packets", () => {
  for (const seed of [1, 2, 3])
    test(
      `calls are answered once and end on both sides: seed ${seed}`,
      () => callAll(seed),
      120_000,
    );
});

async function callAll(seed: number): Promise<void> {
  const [ours, relays] = [`127.0.68.${seed}`, `127.0.68.${seed + 100}`];
  const farEnds: Promise<LegEnd>[] = [];
  const far = await Promise.all(
    [10, 20].map(async (offset) => {
      const stack = await startStack(`127.0.68.${seed + offset}`);
      stack.onIncoming((leg) => {
        farEnds.push(endOf(leg));
        leg.ring();
        leg.answer({ host: "127.0.68.9", port: 40_002 }).catch(() => {});
      });
      return stack;
    }),
  );
  const paths = await Promise.all(
    far.map((stack, index) =>
      startLossyRelay({
        host: relays,
        upstream: stack.localAddress,
        delayMs: 5,
        duplication: 0.05,
        loss: index === 0 ? 0.65 : 0.3,
        seed: seed + 10 * index,
      }),
    ),
  );
  for (const stack of far) stack.addTrunk(trunkSettings({ server: relays, register: false }));
  const dns = {
    naptr: async () => [],
    srv: async (name: string) =>
      name === `_sip._udp.${DOMAIN}`
        ? paths.map(({ port }, priority) => ({ priority, weight: 1, port, name: DOMAIN }))
        : [],
    addresses: async () => ({ addresses: [relays], ttlSeconds: 60 }),
  };
  const caller = await startStack(ours, undefined, {}, { dns });
  // One trunk per call, because trunks share their knowledge of silent servers.
  const trunks = Array.from({ length: CALLS }, (_, index) =>
    caller.addTrunk(
      trunkSettings({ trunkId: index + 1, server: DOMAIN, port: 0, register: false }),
    ),
  );
  await Bun.sleep(50);
  try {
    const kinds = await Promise.all(
      trunks.map(async (trunk) => {
        const leg = trunk.place({
          to: e164("+37061002002"),
          from: e164("+37061001001"),
          media: { host: ours, port: 40_000 },
          ringTimeoutMs: 50_000,
        });
        const end = endOf(leg);
        const isUp = await next(leg, "answered").then(
          () => true,
          () => false,
        );
        if (!isUp) return (await end).kind;
        await Bun.sleep(100);
        leg.hangUp();
        return (await end).kind;
      }),
    );
    const rungOut = kinds.filter((kind) => kind === "no_answer");
    expect(kinds.filter((kind) => kind === "bye")).toHaveLength(CALLS - rungOut.length);
    expect(rungOut.length).toBeLessThanOrEqual(RUNG_OUT_MAX);
    let ended = 0;
    for (const end of farEnds) void end.then(() => ended++);
    await eventually(() => ended === farEnds.length, "every phone is silent", 45_000);
  } finally {
    await Promise.all([caller, ...far].map((stack) => stack.close()));
    for (const path of paths) path.close();
  }
}
