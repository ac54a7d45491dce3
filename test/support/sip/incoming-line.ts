/**
 * A stack with one trunk, and a far end that is nothing but text and calls it: new for each test of the file.
 */
import { afterEach, beforeEach, expect } from "bun:test";
import type { IncomingLeg, SipStack } from "../../../src/domain/call/sip-port.ts";
import { type RawCall, rawCall } from "./raw-call.ts";
import { type SipPeer, startSipPeer } from "./sip-peer.ts";
import { next, startStack, trunkSettings } from "./sip-stack.ts";

export type IncomingLine = ReturnType<typeof incomingLine>;

/** Loopback addresses of the test file's own. The far end says 200 to whatever we ask. */
export function incomingLine(ours: string, far: string) {
  let open: { stack: SipStack; peer: SipPeer } | null = null;
  const world = () => {
    if (!open) throw new Error("the line opens before each test");
    return open;
  };

  async function startOn(peer: SipPeer, settings: Parameters<typeof startStack>[2]) {
    const stack = await startStack(ours, undefined, settings);
    stack.onIncoming((leg) => {
      line.legs.push(leg);
      line.onLeg(leg);
    });
    stack.addTrunk(trunkSettings({ server: far, port: peer.port, register: false }));
    open = { stack, peer };
    await Bun.sleep(20);
  }

  const line = {
    /** Where our side of a call would take its audio. */
    media: { host: ours, port: 40_000 },
    /** The calls that came in. */
    legs: [] as IncomingLeg[],
    onLeg: (_leg: IncomingLeg): void => {},
    get stack() {
      return world().stack;
    },
    get peer() {
      return world().peer;
    },
    /** The stack anew, with other settings; the far end stays. */
    async restart(settings: Parameters<typeof startStack>[2]): Promise<void> {
      const { stack, peer } = world();
      await stack.close();
      await startOn(peer, settings);
    },
    newCall: (): RawCall => rawCall(world().peer, world().stack.localAddress),
    /** A call that stands. */
    async answered(headers: Parameters<RawCall["invite"]>[0] = []) {
      const call = line.newCall();
      line.onLeg = (leg) => void leg.answer(line.media).catch(() => {});
      const ok = await call.answer(call.invite(headers));
      expect(ok.statusCode).toBe(200);
      const leg = line.legs.at(-1);
      if (!leg) throw new Error("no leg");
      const up = next(leg, "answered");
      call.ack(1);
      await up;
      return { call, leg, contact: ok.headers.get("contact") ?? "" };
    },
  };

  beforeEach(async () => {
    line.legs = [];
    line.onLeg = () => {};
    const peer = await startSipPeer({ host: far });
    peer.onRequest = (request, answer) => {
      if (request.method !== "ACK") answer({ statusCode: 200 });
    };
    await startOn(peer, undefined);
  });
  afterEach(async () => {
    await world().stack.close();
    world().peer.close();
  });

  return line;
}
