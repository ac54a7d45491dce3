/** Races of an outgoing call, with a remote party with scripted messages. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { OutgoingLeg, SipStack } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import {
  buildResponse,
  parseMessage,
  type ResponseParts,
  type SipRequest,
} from "../../src/sip/message/index.ts";
import { endOf, next, startStack, trunkSettings } from "../support/sip/sip-stack.ts";

const OURS = "127.0.6.140";
const FAR = "127.0.6.141";
const MEDIA = { host: OURS, port: 40_000 };
const CONTACT = ["Contact", `<sip:far@${FAR}:5060>`] as const;
const sdp = (port: number) =>
  `v=0\r\no=- 1 1 IN IP4 ${FAR}\r\ns=-\r\nc=IN IP4 ${FAR}\r\nt=0 0\r\nm=audio ${port} RTP/AVP 8\r\n`;

const withSdp = (statusCode: number, toTag: string, port: number): ResponseParts => ({
  statusCode,
  toTag,
  headers: [CONTACT, ["Content-Type", "application/sdp"]],
  body: sdp(port),
});

describe("an outgoing call", () => {
  let stack: SipStack;
  let socket: Bun.udp.Socket<"buffer">;
  let methods: string[] = [];
  let script: (request: SipRequest, answer: (parts: ResponseParts) => void) => void = () => {};

  beforeEach(async () => {
    methods = [];
    socket = await Bun.udpSocket({
      hostname: FAR,
      port: 0,
      socket: {
        data: (own, bytes, port, host) => {
          const request = parseMessage(bytes.toString());
          if (request.kind !== "request") return;
          methods.push(request.method);
          script(request, (parts) => void own.send(buildResponse(request, parts), port, host));
        },
        error: () => {},
      },
    });
    stack = await startStack(OURS);
    stack.addTrunk(
      trunkSettings({ server: FAR, outboundProxy: `${FAR}:${socket.port}`, register: false }),
    );
  });
  afterEach(async () => {
    await stack.close();
    socket.close();
  });

  const place = (): OutgoingLeg => {
    const trunk = stack.trunk(1);
    if (!trunk) throw new Error("no trunk");
    const [to, from] = [e164("+37062222222"), e164("+37061001001")];
    return trunk.place({ to, from, media: MEDIA, ringTimeoutMs: 10_000 });
  };
  const until = async (condition: () => boolean) => {
    for (let waitedMs = 0; waitedMs < 4000 && !condition(); waitedMs += 5) await Bun.sleep(5);
    expect(condition()).toBe(true);
  };

  test("200 crosses our CANCEL: it is ACKed and hung up, the leg ends as cancelled", async () => {
    let answerInvite: (parts: ResponseParts) => void = () => {};
    script = (request, answer) => {
      if (request.method === "INVITE") {
        answerInvite = answer;
        answer({ statusCode: 180, toTag: "far", headers: [CONTACT] });
      } else if (request.method === "CANCEL") {
        answer({ statusCode: 200, toTag: "far" });
        answerInvite(withSdp(200, "far", 30_000));
      } else if (request.method === "BYE") {
        answer({ statusCode: 200 });
      }
    };
    const leg = place();
    await next(leg, "ringing");
    const end = endOf(leg);
    leg.hangUp();
    expect(await end).toMatchObject({ by: "us", kind: "cancelled", sipCode: 200 });
    await until(() => methods.includes("BYE"));
    expect(methods.indexOf("ACK")).toBeLessThan(methods.indexOf("BYE"));
  });

  test("hung up before anything answered: CANCEL waits for the first provisional", async () => {
    let invites = 0;
    script = (request, answer) => {
      if (request.method === "CANCEL") answer({ statusCode: 200, toTag: "far" });
      if (request.method === "INVITE" && ++invites === 2) answer({ statusCode: 100 });
    };
    const leg = place();
    const end = endOf(leg);
    await Bun.sleep(50);
    leg.hangUp();
    expect(methods).toEqual(["INVITE"]);
    await until(() => methods.includes("CANCEL"));
    // The remote party never sends 487: the leg ends anyway.
    expect(await end).toMatchObject({ by: "us", kind: "cancelled", sipCode: null });
  }, 10_000);

  test("a forked call survives early media of one phone and the answer of another", async () => {
    script = (request, answer) => {
      if (request.method === "BYE") answer({ statusCode: 200 });
      if (request.method !== "INVITE") return;
      answer(withSdp(183, "first", 30_000));
      answer(withSdp(183, "second", 30_010));
      answer(withSdp(200, "second", 30_010));
    };
    const leg = place();
    const early: (number | undefined)[] = [];
    leg.on("ringing", ({ plan }) => early.push(plan?.remote.port));
    const { plan } = await next(leg, "answered");
    expect(early).toEqual([30_000, 30_010]);
    expect(plan.remote.port).toBe(30_010);
  });

  test("18x and 200 without Contact are accepted", async () => {
    script = (request, answer) => {
      if (request.method === "BYE") answer({ statusCode: 200 });
      if (request.method !== "INVITE") return;
      answer({ statusCode: 180, toTag: "far" });
      const type = ["Content-Type", "application/sdp"] as const;
      answer({ statusCode: 200, toTag: "far", headers: [type], body: sdp(30_000) });
    };
    const leg = place();
    const ringing = next(leg, "ringing");
    const answered = next(leg, "answered");
    expect((await ringing).sipCode).toBe(180);
    expect((await answered).plan.remote.port).toBe(30_000);
  });

  test("an answer without our codecs is ACKed, hung up, and reported as such", async () => {
    script = (request, answer) => {
      if (request.method === "BYE") answer({ statusCode: 200 });
      if (request.method !== "INVITE") return;
      const parts = withSdp(200, "far", 30_000);
      answer({ ...parts, body: parts.body?.replace("RTP/AVP 8", "RTP/AVP 18") });
    };
    expect((await endOf(place())).kind).toBe("no_common_codec");
    await until(() => methods.includes("BYE"));
  });

  test("a listener gets `ended` once, last, and only after it could subscribe", async () => {
    script = (request, answer) => {
      if (request.method === "INVITE") answer({ statusCode: 486, toTag: "far" });
    };
    const leg = place();
    const events: string[] = [];
    leg.on("ringing", () => events.push("ringing"));
    leg.on("answered", () => events.push("answered"));
    leg.on("ended", ({ kind }) => events.push(kind));
    await endOf(leg);
    leg.hangUp();
    await Bun.sleep(50);
    expect(events).toEqual(["busy"]);
  });
});
