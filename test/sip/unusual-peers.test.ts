/** Calls with peers that break RFC 3261, or write like RFC 2543. */
import { afterEach, describe, expect, test } from "bun:test";
import { Core } from "sip.js";
import type { IncomingLeg, OutgoingLeg } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import { parseCredentials, verifyCredentials } from "../../src/sip/digest.ts";
import {
  buildRequest,
  buildResponse,
  formatUri,
  parseMessage,
  parseNameAddr,
  type ResponseParts,
} from "../../src/sip/message/index.ts";
import { eventually } from "../support/eventually.ts";
import { incomingLine } from "../support/sip/incoming-line.ts";
import { OFFER } from "../support/sip/raw-call.ts";
import { endOf, next, trunkSettings } from "../support/sip/sip-stack.ts";

const FAR = "127.0.63.2";
const line = incomingLine("127.0.63.1", FAR);

/** Answers the last call; `confirmed` says whether its ACK has arrived. */
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

  test("with the branch of its re-INVITE confirms that", async () => {
    const { call, leg } = await line.answered();
    const branch = `z9hG4bKagain${call.callId}`;
    for (const port of [30_010, 30_020]) {
      call.send({ method: "INVITE", branch: `${branch}${port}`, body: OFFER(FAR, port) });
      const ok = await call.answer(`${branch}${port}`);
      expect(ok.statusCode).toBe(200);
      call.send({ method: "ACK", branch: `${branch}${port}`, cseq: ok.cseq.number });
    }
    // A third one is answered only if the second was confirmed.
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

test("a caller with our offer who hangs up without an ACK has hung up", async () => {
  let ending: unknown;
  line.onLeg = (leg) => {
    leg.answer(line.media).catch((error: unknown) => {
      ending = error;
    });
  };
  const call = line.newCall();
  await call.answer(call.send({ method: "INVITE" }));
  await call.answer(call.send({ method: "BYE" }), "BYE");
  await eventually(() => ending !== undefined, "the end");
  expect(ending).toMatchObject({ end: { by: "caller", kind: "bye" } });
});

describe("a body of another type", () => {
  test.each([
    ["of early media (RFC 3959)", "Content-Disposition", "early-session"],
    ["of unknown use", "Content-Disposition", "icon;handling=required"],
    ["compressed", "Content-Encoding", "gzip"],
  ])("is 415: %s", async (_, name, value) => {
    for (const call of [line.newCall(), (await line.answered()).call]) {
      const branch = call.send({ method: "INVITE", headers: [[name, value]], body: OFFER(FAR) });
      const refused = await call.answer(branch);
      expect(refused.statusCode).toBe(415);
      expect(refused.headers.has(name === "Content-Encoding" ? "accept-encoding" : "accept")).toBe(
        true,
      );
    }
  });

  test.each([
    ["of early media", "early-session; handling=optional", "application/sdp", OFFER(FAR, 30_061)],
    ["no description", "render;handling=optional", "text/plain", "hello"],
  ])("is ignored if it is optional, and we make the offer: %s", async (_, is, type, body) => {
    const ports: number[] = [];
    line.onLeg = (leg) => {
      leg.on("answered", ({ plan }) => ports.push(plan.remote.port));
      void leg.answer(line.media).catch(() => {});
    };
    const call = line.newCall();
    const headers = [["Content-Disposition", is]] as const;
    const ok = await call.answer(call.send({ method: "INVITE", headers, contentType: type, body }));
    expect(ok.body).toContain("m=audio 40000");
    call.send({ method: "ACK", cseq: 1, body: OFFER(FAR, 30_062) });
    await eventually(() => ports.length > 0, "the confirmation");
    expect(ports).toEqual([30_062]);
  });
});

describe("a body without Content-Type", () => {
  const UNTYPED = { contentType: null };

  test("of an INVITE is parsed as SDP if it is SDP, and the call continues", async () => {
    const { confirmed } = answering();
    const call = line.newCall();
    const ok = await call.answer(
      call.send({ method: "INVITE", body: OFFER(FAR, 30_060), ...UNTYPED }),
    );
    expect(ok.statusCode).toBe(200);
    expect(ok.body).toContain("m=audio 40000");
    call.ack(1);
    await eventually(confirmed, "the confirmation");
  });

  test.each([
    ["an INVITE", "INVITE", false],
    ["a re-INVITE", "INVITE", true],
    ["an UPDATE", "UPDATE", true],
    ["an INFO", "INFO", true],
  ] as const)("of %s is 415 if it is something else", async (_, method, inDialog) => {
    const call = inDialog ? (await line.answered()).call : line.newCall();
    const branch = call.send({ method, body: "neither this nor that", ...UNTYPED });
    const refused = await call.answer(branch, method);
    expect([refused.statusCode, refused.headers.has("accept")]).toEqual([415, true]);
  });

  test("of a re-INVITE and of an UPDATE is parsed as SDP as well", async () => {
    const { call, leg } = await line.answered();
    const ports: number[] = [];
    leg.on("media", ({ plan }) => ports.push(plan.remote.port));
    for (const [method, port] of [
      ["INVITE", 30_070],
      ["UPDATE", 30_080],
    ] as const) {
      const branch = call.send({ method, body: OFFER(FAR, port), ...UNTYPED });
      const ok = await call.answer(branch, method);
      expect(ok.statusCode).toBe(200);
      if (method === "INVITE") call.ack(ok.cseq.number);
    }
    expect(ports).toEqual([30_070, 30_080]);
  });

  test("of an ACK that answers our offer connects the call", async () => {
    const { confirmed } = answering();
    const call = line.newCall();
    await call.answer(call.send({ method: "INVITE" }));
    call.send({ method: "ACK", body: OFFER(FAR, 30_090), ...UNTYPED });
    await eventually(confirmed, "the confirmation");
  });

  test("of an ACK, when it is not SDP, does no harm", async () => {
    const { confirmed } = answering();
    const call = line.newCall();
    await call.answer(call.invite());
    call.send({ method: "ACK", body: "neither this nor that", ...UNTYPED });
    await eventually(confirmed, "the confirmation");
  });
});

describe("lines that end with LF only", () => {
  /** Converts the head only: the body's length is counted. */
  const bare = (text: string) => {
    const end = text.indexOf("\r\n\r\n") + 4;
    return text.slice(0, end).replaceAll("\r\n", "\n") + text.slice(end);
  };

  test("carry a whole call of the remote party", async () => {
    const { peer } = line;
    const { send } = peer;
    peer.send = (message, remote) => send(bare(message.toString()), remote);
    const { call, leg } = await line.answered();
    const media = next(leg, "media");
    const again = call.send({ method: "INVITE", body: OFFER(FAR, 30_160) });
    expect((await call.answer(again)).statusCode).toBe(200);
    expect((await media).plan.remote.port).toBe(30_160);
    const ended = endOf(leg);
    expect((await call.answer(call.send({ method: "BYE" }), "BYE")).statusCode).toBe(200);
    expect(await ended).toMatchObject({ by: "caller", kind: "bye" });
  });

  test("carry the answers to an outbound call", async () => {
    const far = await Bun.udpSocket({
      hostname: FAR,
      port: 0,
      socket: {
        data: (own, bytes, port, host) => {
          const request = parseMessage(bytes.toString());
          if (request.kind !== "request" || request.method === "ACK") return;
          const headers = [
            ["Contact", `<sip:far@${FAR}:${own.port}>`],
            ["Content-Type", "application/sdp"],
          ] as const;
          const media = request.method === "INVITE" ? { headers, body: OFFER(FAR, 30_170) } : {};
          const text = buildResponse(request, { statusCode: 200, toTag: "far", ...media });
          own.send(bare(text), port, host);
        },
        error: () => {},
      },
    });
    line.stack.addTrunk(
      trunkSettings({ trunkId: 2, server: FAR, port: far.port, register: false }),
    );
    const [to, from] = [e164("+37062222222"), e164("+37061001001")];
    const leg = line.stack.trunk(2)?.place({ to, from, media: line.media, ringTimeoutMs: 10_000 });
    if (!leg) throw new Error("no trunk");
    expect((await next(leg, "answered")).plan.remote.port).toBe(30_170);
    const ended = endOf(leg);
    leg.hangUp();
    expect(await ended).toMatchObject({ by: "us", kind: "bye" });
    far.close();
  });

  test("mixed with CRLF in one head are not a message", async () => {
    const { peer } = line;
    const { send } = peer;
    peer.send = (message, remote) =>
      send(bare(message.toString()).replace("\nMax-Forwards", "\r\nMax-Forwards"), remote);
    line.newCall().invite();
    peer.send = send;
    const options = line.newCall();
    await options.answer(options.send({ method: "OPTIONS" }), "OPTIONS");
    expect(line.legs).toEqual([]);
  });
});

describe("an INFO", () => {
  test.each([
    ["with a digit", "application/dtmf-relay", "Signal=5\r\nDuration=160\r\n", 200],
    ["with a digit alone", "application/dtmf", "5", 200],
    ["with a digit and the other type", "application/dtmf", "Signal=5\r\nDuration=160\r\n", 200],
    [
      "with a digit after a page of blank lines",
      "application/dtmf-relay",
      `${"\r\n".repeat(9000)}Signal=5`,
      200,
    ],
    ["of an unknown type", "application/media_control+xml", "<media_control/>", 415],
    ["of a package nobody asked for", "text/plain", "hello", 415],
  ])("%s (%s) gets the matching answer", async (_, contentType, body, code) => {
    const { call, leg } = await line.answered();
    const digits: string[] = [];
    leg.on("digit", ({ digit }) => digits.push(digit));
    const answer = await call.answer(call.send({ method: "INFO", contentType, body }), "INFO");
    expect(answer.statusCode).toBe(code);
    expect(digits).toEqual(code === 200 && body.length < 256 ? ["5"] : []);
    if (code === 415)
      expect(answer.headers.all("accept")).toEqual(["application/dtmf-relay", "application/dtmf"]);
  });

  test("without a body asks whether the call exists, and gets 200", async () => {
    const { call } = await line.answered();
    expect((await call.answer(call.send({ method: "INFO" }), "INFO")).statusCode).toBe(200);
  });
});

test.each(["MESSAGE", "SUBSCRIBE", "PUBLISH", "REGISTER", "FOO"])(
  "a %s in a dialog is 405, with Allow (RFC 3261 8.2.1)",
  async (method) => {
    const { call } = await line.answered();
    const sent = call.send({ method, contentType: "text/plain", body: "hello" });
    const answer = await call.answer(sent, method);
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.get("allow")).toContain("INVITE");
    expect(answer.headers.get("allow")).not.toContain(method);
  },
);

test("a REFER without Refer-To is 400 (RFC 3515 2.4.2), one with it is declined", async () => {
  const { call } = await line.answered();
  const bare = await call.answer(call.send({ method: "REFER" }), "REFER");
  const headers = [["Refer-To", "<sip:somebody@far.test>"]] as const;
  const whole = await call.answer(call.send({ method: "REFER", headers }), "REFER");
  expect([bare.statusCode, whole.statusCode]).toEqual([400, 603]);
});

describe("a re-INVITE without an offer", () => {
  test("with an unusable answer in its ACK keeps the session, and others may follow", async () => {
    const { call, leg } = await line.answered();
    const plans: string[] = [];
    leg.on("media", ({ plan }) => plans.push(`${plan.remote.port} ${plan.direction}`));
    let ended = false;
    leg.on("ended", () => {
      ended = true;
    });
    for (const body of ["", "", OFFER(FAR, 0)]) {
      const ok = await call.answer(call.send({ method: "INVITE" }));
      expect(ok.body).toContain("m=audio 40000");
      call.send({ method: "ACK", cseq: ok.cseq.number, body });
    }
    const fine = await call.answer(call.send({ method: "INVITE", body: OFFER(FAR, 30_100) }));
    expect(fine.statusCode).toBe(200);
    call.ack(fine.cseq.number);
    const update = call.send({ method: "UPDATE", body: OFFER(FAR, 30_110) });
    expect((await call.answer(update, "UPDATE")).statusCode).toBe(200);
    expect(plans).toEqual(["30100 sendrecv", "30110 sendrecv"]);
    expect([ended, line.peer.methods().includes("BYE")]).toEqual([false, false]);
  });

  test("that starts a call needs a usable ACK: otherwise it is hung up", async () => {
    answering();
    const call = line.newCall();
    await call.answer(call.send({ method: "INVITE" }));
    const ended = endOf(lastLeg());
    call.ack(1);
    await ended;
    await eventually(() => line.peer.methods().includes("BYE"), "our BYE");
  });
});

describe("an offer", () => {
  const port = /m=audio (\d+)/;
  test.each([
    ["c=in ip4 …", (sdp: string) => sdp.replace(/^c=IN IP4/m, "c=in ip4")],
    ["c=In  IP4  …", (sdp: string) => sdp.replace(/^c=IN IP4 /m, "c=In  IP4  ")],
    ["m=AUDIO …", (sdp: string) => sdp.replace("m=audio", "m=AUDIO")],
    [
      "m=audio  30100  RTP/AVP  8",
      (sdp: string) => sdp.replace(/(m=.*)/, (l) => l.replaceAll(" ", "  ")),
    ],
  ])("with %s is parsed", async (_, rewrite) => {
    line.onLeg = (leg) => void leg.answer(line.media).catch(() => {});
    const call = line.newCall();
    const ok = await call.answer(call.invite([], rewrite(OFFER(FAR, 30_100))));
    expect([ok.statusCode, port.exec(ok.body)?.[1]]).toEqual([200, "40000"]);
    const up = next(lastLeg(), "answered");
    call.ack(1);
    expect((await up).plan.remote).toEqual({ host: FAR, port: 30_100 });
  });

  test("with other media whose name has several words gets them back, rejected", async () => {
    const screen = "m=applicationsharing-video 6000/2 RTP/AVP 127 99\r\na=inactive\r\n";
    line.onLeg = (leg) => void leg.answer(line.media).catch(() => {});
    const call = line.newCall();
    const ok = await call.answer(call.invite([], `${OFFER(FAR)}${screen}m=broken\r\n`));
    const media = ok.body.split("\r\n").filter((text) => /^(m=|a=inactive)/.test(text));
    expect(media).toEqual([
      "m=audio 40000 RTP/AVP 8",
      "m=applicationsharing-video 0 RTP/AVP 127 99",
      "m=broken",
    ]);
  });
});

test("a re-INVITE without Contact changes the media, but not the target of our BYE", async () => {
  const { call, leg } = await line.answered();
  const moved = next(leg, "media");
  const ok = await call.answer(
    call.send({ method: "INVITE", contact: null, body: OFFER(FAR, 30_130) }),
  );
  expect(ok.statusCode).toBe(200);
  call.ack(ok.cseq.number);
  expect((await moved).plan.remote.port).toBe(30_130);
  leg.hangUp();
  await eventually(() => line.peer.methods().includes("BYE"), "our BYE");
  expect(line.peer.requests.at(-1)?.request.uri).toMatchObject({ user: "raw", host: FAR });
});

describe("a re-INVITE without an ACK", () => {
  const timers = Core.Timers as { TIMER_L: number };
  const usual = timers.TIMER_L;
  afterEach(() => {
    timers.TIMER_L = usual;
  });

  test("is confirmed by the next one, and its 200 is no longer repeated", async () => {
    const { call, leg } = await line.answered();
    const ports: number[] = [];
    leg.on("media", ({ plan }) => ports.push(plan.remote.port));
    const first = call.send({ method: "INVITE", body: OFFER(FAR, 30_100) });
    await call.answer(first);
    const old = call.send({ method: "INVITE", cseq: 1, body: OFFER(FAR, 30_200) });
    expect((await call.answer(old)).statusCode).toBe(500);
    const second = call.send({ method: "INVITE", body: OFFER(FAR, 30_110) });
    const ok = await call.answer(second);
    expect(ok.statusCode).toBe(200);
    call.ack(ok.cseq.number);
    expect(ports).toEqual([30_100, 30_110]);
    const sent = call.codes(first).length;
    await Bun.sleep(1200);
    expect([call.codes(first).length, call.codes(second)]).toEqual([sent, [200]]);
  });

  test.each([
    ["with an offer", OFFER(FAR, 30_100)],
    ["without one", ""],
  ])("%s keeps the call after 64·T1, and either side may change it", async (_, body) => {
    timers.TIMER_L = 200;
    const { call, leg } = await line.answered();
    await call.answer(call.send({ method: "INVITE", body }));
    await Bun.sleep(300);
    const update = call.send({ method: "UPDATE", body: OFFER(FAR, 30_110) });
    expect((await call.answer(update, "UPDATE")).statusCode).toBe(200);
    leg.hold(true);
    const ours = () => line.peer.requests.find(({ request }) => request.method === "INVITE");
    await eventually(() => ours() !== undefined, "our re-INVITE");
    const moved = next(leg, "media");
    const again = await call.answer(call.send({ method: "INVITE", body: OFFER(FAR, 30_120) }));
    expect(again.statusCode).toBe(200);
    expect((await moved).plan.remote.port).toBe(30_120);
    expect(line.peer.methods()).not.toContain("BYE");
  });
});

describe("an outbound call", () => {
  const contact = () => `<sip:far@${FAR}:${line.peer.port}>`;
  const SDP = ["Content-Type", "application/sdp"] as const;

  /** Sends these answers to the INVITE, one by one, and 200 to everything else. */
  function scripted(...answers: readonly ResponseParts[]): OutgoingLeg {
    line.peer.onRequest = (request, answer) => {
      if (request.method === "ACK") return;
      if (request.method !== "INVITE") answer({ statusCode: 200 });
      else for (const parts of answers) answer(parts);
    };
    const trunk = line.stack.trunk(1);
    if (!trunk) throw new Error("no trunk");
    const [to, from] = [e164("+37062222222"), e164("+37061001001")];
    return trunk.place({ to, from, media: line.media, ringTimeoutMs: 10_000 });
  }
  const toLines = (method: string): string[] =>
    line.peer.requests
      .filter(({ request }) => request.method === method)
      .map(({ request }) => request.headers.get("to") ?? "");

  test("answered without Content-Type is acknowledged and connected", async () => {
    const headers = [["Contact", contact()]] as const;
    const leg = scripted({ statusCode: 200, toTag: "far", headers, body: OFFER(FAR, 30_120) });
    expect((await next(leg, "answered")).plan.remote.port).toBe(30_120);
    await eventually(() => line.peer.methods().includes("ACK"), "our ACK");
  });

  test("answered with a body other than SDP is acknowledged, hung up and reported with the reason", async () => {
    const headers = [["Contact", contact()]] as const;
    const leg = scripted({ statusCode: 200, toTag: "far", headers, body: "nothing of use" });
    await endOf(leg);
    await eventually(() => line.peer.methods().includes("BYE"), "our BYE");
    expect(line.peer.methods()).toEqual(["INVITE", "ACK", "BYE"]);
  });

  test("challenged with auth-int includes its body in the digest", async () => {
    const ask = 'Digest realm="r", nonce="n", algorithm=MD5-sess, qop="auth-int"';
    const proofs: boolean[] = [];
    const leg = scripted();
    line.peer.onRequest = (request, answer) => {
      if (request.method !== "INVITE") return;
      const given = parseCredentials(request.headers.get("authorization") ?? "");
      if (given) proofs.push(verifyCredentials(given, "pw1001", "INVITE", request.body));
      if (given) answer({ statusCode: 486, toTag: "far" });
      else answer({ statusCode: 401, toTag: "far", headers: [["WWW-Authenticate", ask]] });
    };
    expect(await endOf(leg)).toMatchObject({ kind: "busy" });
    expect(proofs).toEqual([true]);
  });

  test("ringing with a body without Content-Type has early media", async () => {
    const headers = [["Contact", contact()]] as const;
    const leg = scripted({ statusCode: 183, toTag: "far", headers, body: OFFER(FAR, 30_130) });
    expect((await next(leg, "ringing")).plan?.remote.port).toBe(30_130);
  });

  test("answered without a To tag is acknowledged, changed and hung up normally", async () => {
    const headers = [["Contact", contact()], SDP] as const;
    const leg = scripted(
      { statusCode: 180, headers: [["Contact", contact()]] },
      { statusCode: 200, headers, body: OFFER(FAR, 30_140) },
    );
    const rung = next(leg, "ringing");
    expect((await next(leg, "answered")).plan.remote.port).toBe(30_140);
    expect((await rung).sipCode).toBe(180);
    await eventually(() => line.peer.methods().includes("ACK"), "our ACK");
    const inbound = fromFarEnd(leg.sipCallId);
    const media = next(leg, "media");
    expect((await inbound("INVITE", OFFER(FAR, 30_150))).statusCode).toBe(200);
    expect((await media).plan.remote.port).toBe(30_150);
    expect((await inbound("UPDATE")).statusCode).toBe(200);
    leg.hangUp();
    await eventually(() => line.peer.methods().includes("BYE"), "our BYE");
    const tags = [...toLines("ACK"), ...toLines("BYE")].map((to) => to.includes("tag="));
    expect(tags).toEqual([false, false]);
  });

  /** 302 to that Contact, and 486 to the request there. */
  const redirected = (contactOf: (port: number) => string) => {
    const leg = scripted();
    line.peer.onRequest = (request, answer) => {
      if (request.method !== "INVITE") return;
      const first = request.cseq.number === firstCseq();
      const headers = [["Contact", contactOf(line.peer.port)]] as const;
      answer({ statusCode: first ? 302 : 486, toTag: `far${request.cseq.number}`, headers });
    };
    const firstCseq = () => invites()[0]?.cseq.number;
    const invites = () =>
      line.peer.requests.map(({ request }) => request).filter(({ method }) => method === "INVITE");
    return { leg, invites };
  };

  test.each([
    ["the same number there", (port: number) => `<sip:+37062222222@${FAR}:${port};x=1>`],
    ["it written otherwise", (port: number) => `<sip:0037062222222@${FAR}:${port}>`],
    [
      "the better of two",
      (port: number) => `<sip:+1@${FAR}>;q=0.2, <sip:+37062222222@${FAR}:${port};x=1>`,
    ],
  ])("redirected to the trunk's own host, %s, is followed once", async (_, contactOf) => {
    const { leg, invites } = redirected(contactOf);
    expect(await endOf(leg)).toMatchObject({ kind: "busy", sipCode: 486 });
    const [first, second, ...others] = invites();
    expect(others).toEqual([]);
    expect(second?.callId).toBe(first?.callId ?? "");
    expect(second?.headers.get("to")).toBe(first?.headers.get("to"));
    const acks = () => line.peer.methods().filter((method) => method === "ACK").length;
    await eventually(() => acks() === 2, "both ACKs");
  });

  test.each([
    ["another host", () => "<sip:+37062222222@127.0.63.9>"],
    ["another number", (port: number) => `<sip:+37090012345@${FAR}:${port}>`],
    ["no number at all", (port: number) => `<sip:${FAR}:${port}>`],
    ["another scheme", () => "<tel:+37062222222>"],
  ])("redirected to %s is not followed", async (_, contactOf) => {
    const { leg, invites } = redirected(contactOf);
    expect(await endOf(leg)).toMatchObject({ kind: "rejected", sipCode: 302 });
    expect(invites()).toHaveLength(1);
  });

  test.each([
    ["", ""],
    ["with its transport", ";transport=udp"],
    ["as a telephone number", ";user=phone"],
  ])("redirected to its current target, %s, does not ring there again", async (_, parameters) => {
    const { leg, invites } = redirected(() => {
      const [uri = ""] = invites().map((invite) => formatUri(invite.uri));
      return `<${uri}${parameters}>`;
    });
    expect(await endOf(leg)).toMatchObject({ kind: "rejected", sipCode: 302 });
    expect(invites()).toHaveLength(1);
  });

  test("redirected in a circle ends", async () => {
    const { leg, invites } = redirected((port) => `<sip:+37062222222@${FAR}:${port}>`);
    const { onRequest } = line.peer;
    line.peer.onRequest = (request, answer, transport) => {
      if (request.method !== "INVITE") return onRequest(request, answer, transport);
      const contact = `<sip:+37062222222@${FAR}:${line.peer.port};n=${request.cseq.number}>`;
      answer({ statusCode: 302, toTag: "far", headers: [["Contact", contact]] });
    };
    expect(await endOf(leg)).toMatchObject({ kind: "rejected", sipCode: 302 });
    expect(invites()).toHaveLength(4);
  });

  test("refused with 480 for a busy line of the telephone network is busy", async () => {
    const headers = [["Reason", 'Q.850;cause=17;text="User busy"']] as const;
    const leg = scripted({ statusCode: 480, toTag: "far", headers });
    expect(await endOf(leg)).toMatchObject({ kind: "busy", sipCode: 480 });
  });

  test("answered without a To tag ends by the remote party's BYE", async () => {
    const headers = [["Contact", contact()], SDP] as const;
    const leg = scripted({ statusCode: 200, headers, body: OFFER(FAR) });
    await next(leg, "answered");
    const ended = endOf(leg);
    expect((await fromFarEnd(leg.sipCallId)("BYE")).statusCode).toBe(200);
    expect(await ended).toMatchObject({ by: "callee", kind: "bye" });
  });

  /** Requests of the remote party in a dialog for which it gave no tag. */
  function fromFarEnd(callId: string) {
    const invite = line.peer.requests.find(({ request }) => request.method === "INVITE")?.request;
    const ours = parseNameAddr(invite?.headers.get("contact") ?? "");
    if (!invite || !ours) throw new Error("no INVITE was sent");
    let cseq = 100;
    return async (method: string, body = "") => {
      const branch = `z9hG4bK${method}${++cseq}${callId}`;
      const request = (name: string) =>
        buildRequest({
          method: name,
          uri: ours.uri,
          headers: [
            ["Via", `SIP/2.0/UDP ${FAR}:${line.peer.port};branch=${branch}${name}`],
            ["Max-Forwards", 70],
            ["From", invite.headers.get("to") ?? ""],
            ["To", invite.headers.get("from") ?? ""],
            ["Call-ID", callId],
            ["CSeq", `${cseq} ${name}`],
            ["Contact", contact()],
            ...(body === "" ? [] : [SDP]),
          ],
          body: name === "ACK" ? "" : body,
        });
      line.peer.send(request(method), line.stack.localAddress);
      const found = () =>
        line.peer.responses.find(
          ({ via, statusCode }) =>
            via.parameters.get("branch") === `${branch}${method}` && statusCode >= 200,
        );
      await eventually(() => found() !== undefined, `an answer to ${method}`);
      if (method === "INVITE") line.peer.send(request("ACK"), line.stack.localAddress);
      const response = found();
      if (!response) throw new Error("no answer");
      return response;
    };
  }
});
