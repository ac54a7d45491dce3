/** A stack with one trunk, and a raw SIP caller; new for each test of the file. */
import { afterEach, beforeEach, expect } from "bun:test";
import type { IncomingLeg, SipStack } from "../../../src/call/sip-port.ts";
import { type RawCall, rawCall } from "./raw-call.ts";
import { type SipPeer, startSipPeer } from "./sip-peer.ts";
import { next, startStack, trunkSettings } from "./sip-stack.ts";

export type IncomingLine = ReturnType<typeof incomingLine>;

/**
 * Loopback addresses that only this test file uses. The remote party answers our requests with 200.
 */
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
    /** Address of our audio in a call. */
    media: { host: ours, port: 40_000 },
    /** Received calls. */
    legs: [] as IncomingLeg[],
    onLeg: (_leg: IncomingLeg): void => {},
    get stack() {
      return world().stack;
    },
    get peer() {
      return world().peer;
    },
    /** Restarts the stack with other settings; the remote party stays. */
    async restart(settings: Parameters<typeof startStack>[2]): Promise<void> {
      const { stack, peer } = world();
      await stack.close();
      await startOn(peer, settings);
    },
    newCall: (): RawCall => rawCall(world().peer, world().stack.localAddress),
    /** Returns an established call. */
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
