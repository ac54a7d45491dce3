/** Calls with peers that write what RFC 3261 does not, or write it in the manner of RFC 2543. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { e164 } from "../../../src/core/e164.ts";
import type { ResponseParts, SipRequest } from "../../../src/sip/message/index.ts";
import type { IncomingLeg, OutgoingLeg, SipStack } from "../../../src/sip/ports.ts";
import { eventually } from "../../support/eventually.ts";
import { incomingLine } from "../../support/incoming-line.ts";
import { OFFER } from "../../support/raw-call.ts";
import { type Answer, type SipPeer, startSipPeer } from "../../support/sip-peer.ts";
import { endOf, next, startStack, trunkSettings } from "../../support/sip-stack.ts";

const FAR = "127.0.63.2";
const line = incomingLine("127.0.63.1", FAR);

/** The leg of the last call, answered; resolves with its end or its confirmation. */
function answering(): { readonly confirmed: () => boolean } {
  let confirmed = false;
  line.onLeg = (leg) => {
    leg.on("answered", () => {
      confirmed = true;
    });
    void leg.answer(line.media).catch(() => {});
  };
  return { confirmed: () => confirmed };
}

const lastLeg = (): IncomingLeg => {
  const leg = line.legs.at(-1);
  if (!leg) throw new Error("no call came in");
  return leg;
};

describe("the ACK of a 200", () => {
  test.each([
    ["that carries the branch of its INVITE", "z9hG4bKsame"],
    ["of an RFC 2543 peer, whose branch is not of RFC 3261", "same-2543"],
    ["of a peer whose branch is empty behind the cookie", "z9hG4bK"],
  ])("%s confirms the call", async (_, branch) => {
    const { confirmed } = answering();
    const call = line.newCall();
    const unique = branch === "z9hG4bK" ? branch : `${branch}${call.callId}`;
    call.send({ method: "INVITE", branch: unique, body: OFFER(FAR) });
    await call.answer(unique);
    expect(confirmed()).toBe(false);
    call.send({ method: "ACK", branch: unique });
    await eventually(confirmed, "the confirmation");
    const ended = endOf(lastLeg());
    const bye = call.send({ method: "BYE" });
    expect((await call.answer(bye, "BYE")).statusCode).toBe(200);
    expect(await ended).toMatchObject({ by: "caller", kind: "bye" });
  });

  test("that carries the branch of its re-INVITE confirms that", async () => {
    const { call, leg } = await line.answered();
    const branch = `z9hG4bKagain${call.callId}`;
    for (const port of [30_010, 30_020]) {
      call.send({ method: "INVITE", branch: `${branch}${port}`, body: OFFER(FAR, port) });
      const ok = await call.answer(`${branch}${port}`);
      expect(ok.statusCode).toBe(200);
      call.send({ method: "ACK", branch: `${branch}${port}`, cseq: ok.cseq.number });
    }
    // A third one is answered only where the second was confirmed.
    const third = call.send({ method: "INVITE", body: OFFER(FAR) });
    expect((await call.answer(third)).statusCode).toBe(200);
    leg.hangUp();
  });

  test("of a refusal still ends that refusal", async () => {
    line.onLeg = (leg) => leg.reject(486);
    const call = line.newCall();
    const branch = call.invite();
    expect((await call.answer(branch)).statusCode).toBe(486);
    call.send({ method: "ACK", branch });
    const before = call.codes(branch).length;
    await Bun.sleep(1200);
    expect(call.codes(branch)).toHaveLength(before);
  });
});
