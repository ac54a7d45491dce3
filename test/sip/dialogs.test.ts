/** Inbound calls, request by request, from a text-only remote party: their start and end. */
import { describe, expect, test } from "bun:test";
import { formatUri } from "../../src/sip/message/index.ts";
import { eventually } from "../support/eventually.ts";
import { incomingLine } from "../support/sip/incoming-line.ts";
import { OFFER } from "../support/sip/raw-call.ts";
import { endOf, next } from "../support/sip/sip-stack.ts";

const OURS = "127.0.62.1";
const FAR = "127.0.62.2";
const line = incomingLine(OURS, FAR);

describe("requests refused before a call sees them", () => {
  test.each([
    ["an extension we do not know: 420 with its name", [["Require", "foo, 100rel"]], 420],
    [
      "a session shorter than 90 s: 422",
      [
        ["Supported", "timer"],
        ["Session-Expires", 30],
      ],
      422,
    ],
    ["Replaces of no call: 481", [["Replaces", "no;to-tag=a;from-tag=b"]], 481],
    ["Replaces without tags: 400", [["Replaces", "no"]], 400],
  ] as const)("%s", async (_, headers, code) => {
    const call = line.newCall();
    const refusal = await call.answer(call.invite(headers));
    expect(refusal.statusCode).toBe(code);
    if (code === 420) expect(refusal.headers.get("unsupported")).toBe("foo");
    if (code === 422) expect(refusal.headers.get("min-se")).toBe("90");
    expect(line.legs).toEqual([]);
  });

  test("Max-Forwards 0 is 483", async () => {
    const invite = [
      `INVITE sip:1@${OURS} SIP/2.0`,
      `Via: SIP/2.0/UDP ${FAR}:${line.peer.port};branch=z9hG4bKhops`,
      `From: <sip:a@x>;tag=1`,
      `To: <sip:1@${OURS}>`,
      ...["Call-ID: hops", "CSeq: 1 INVITE", `Contact: <sip:a@${FAR}>`, "Max-Forwards: 0", "", ""],
    ].join("\r\n");
    line.peer.send(invite, line.stack.localAddress);
    await eventually(() => line.peer.responses.some((r) => r.statusCode === 483), "483");
    expect(line.legs).toEqual([]);
  });

  test("the same call over two paths is one call: the second gets 482", async () => {
    const call = line.newCall();
    const first = call.invite();
    await eventually(() => line.legs.length === 1, "the call");
    const second = call.send({ method: "INVITE", body: OFFER(FAR), cseq: 1, toTag: null });
    expect((await call.answer(second)).statusCode).toBe(482);
    expect(line.legs).toHaveLength(1);
    line.legs[0]?.reject(486);
    expect((await call.answer(first)).statusCode).toBe(486);
  });

  test("requests of calls that do not exist get 481, an unknown method 405", async () => {
    for (const method of ["BYE", "UPDATE", "OPTIONS", "INFO", "PRACK"]) {
      const call = line.newCall();
      const branch = call.send({ method, toTag: "nobody" });
      expect([method, (await call.answer(branch, method)).statusCode]).toEqual([method, 481]);
    }
    const call = line.newCall();
    const refused = await call.answer(call.send({ method: "PUBLISH" }), "PUBLISH");
    expect(refused.statusCode).toBe(405);
    expect(refused.headers.all("allow")).toContain("UPDATE");
  });
});

describe("OPTIONS", () => {
  test("outside a dialog returns our capabilities", async () => {
    const call = line.newCall();
    const ok = await call.answer(call.send({ method: "OPTIONS" }), "OPTIONS");
    expect(ok.statusCode).toBe(200);
    expect(ok.headers.all("allow")).toEqual(expect.arrayContaining(["INVITE", "UPDATE", "PRACK"]));
    expect(ok.headers.all("supported")).toEqual(["100rel", "timer", "replaces"]);
  });

  test("inside a dialog is answered, and changes nothing", async () => {
    const { call, leg } = await line.answered();
    const ok = await call.answer(call.send({ method: "OPTIONS" }), "OPTIONS");
    expect(ok.statusCode).toBe(200);
    const ended = endOf(leg);
    expect((await call.answer(call.send({ method: "BYE" }), "BYE")).statusCode).toBe(200);
    expect(await ended).toMatchObject({ by: "caller", kind: "bye" });
  });
});

describe("a caller that requires reliable ringing", () => {
  const required = [["Require", "100rel"]] as const;

  test("gets 180 until its PRACK, and then the call", async () => {
    const call = line.newCall();
    line.onLeg = (leg) => leg.ring();
    const branch = call.invite(required);
    const ringing = await call.answer(branch, "INVITE", 180);
    expect(ringing.headers.get("require")).toBe("100rel");
    await eventually(() => call.codes(branch).filter((code) => code === 180).length > 1, "again");
    const rack = `${ringing.headers.get("rseq")} 1 INVITE`;
    const wrong = call.send({ method: "PRACK", headers: [["RAck", "7 1 INVITE"]] });
    expect((await call.answer(wrong, "PRACK")).statusCode).toBe(481);
    const prack = call.send({ method: "PRACK", headers: [["RAck", rack]] });
    expect((await call.answer(prack, "PRACK")).statusCode).toBe(200);
    const before = call.codes(branch).length;
    await Bun.sleep(1200);
    expect(call.codes(branch)).toHaveLength(before);
    const [leg] = line.legs;
    if (!leg) throw new Error("no leg");
    const up = next(leg, "answered");
    void leg.answer(line.media);
    expect((await call.answer(branch)).body).toContain("m=audio 40000");
    call.send({ method: "ACK", cseq: 1 });
    await up;
  });

  test("may be answered before the PRACK", async () => {
    const call = line.newCall();
    line.onLeg = (leg) => {
      leg.ring();
      void leg.answer(line.media).catch(() => {});
    };
    const branch = call.invite(required);
    expect((await call.answer(branch)).statusCode).toBe(200);
    call.ack(1);
    const [leg] = line.legs;
    if (!leg) throw new Error("no leg");
    await next(leg, "answered");
    const seen = call.codes(branch).filter((code) => code === 180).length;
    await Bun.sleep(1200);
    expect(call.codes(branch).filter((code) => code === 180)).toHaveLength(seen);
  });
});

describe("CANCEL", () => {
  test("while it rings: 200 for it, 487 for the call", async () => {
    const call = line.newCall();
    line.onLeg = (leg) => leg.ring();
    const branch = call.invite();
    await call.answer(branch, "INVITE", 180);
    const [leg] = line.legs;
    if (!leg) throw new Error("no leg");
    const ended = endOf(leg);
    call.send({ method: "CANCEL", branch, toTag: null });
    expect((await call.answer(branch, "CANCEL")).statusCode).toBe(200);
    expect((await call.answer(branch)).statusCode).toBe(487);
    expect(await ended).toMatchObject({ by: "caller", kind: "cancelled" });
  });

  test("that crosses our 200 changes nothing: the call continues until BYE", async () => {
    const call = line.newCall();
    line.onLeg = (leg) => void leg.answer(line.media).catch(() => {});
    const branch = call.invite();
    await call.answer(branch);
    call.send({ method: "CANCEL", branch, toTag: null });
    expect((await call.answer(branch, "CANCEL")).statusCode).toBe(200);
    call.ack(1);
    const [leg] = line.legs;
    if (!leg) throw new Error("no leg");
    await next(leg, "answered");
    const ended = endOf(leg);
    await call.answer(call.send({ method: "BYE" }), "BYE");
    expect((await ended).kind).toBe("bye");
  });

  test("without a matching INVITE is 481", async () => {
    const call = line.newCall();
    const branch = call.send({ method: "CANCEL", cseq: 1, toTag: null });
    expect((await call.answer(branch, "CANCEL")).statusCode).toBe(481);
  });
});

test("a caller of RFC 2543 without Contact gets our BYE at its From, over its recorded route", async () => {
  const call = line.newCall();
  line.onLeg = (leg) => void leg.answer(line.media).catch(() => {});
  const route = ["Record-Route", `<sip:${FAR}:${line.peer.port};lr>`] as const;
  const branch = call.send({
    method: "INVITE",
    branch: "1717",
    contact: null,
    headers: [route],
    body: OFFER(FAR),
    toTag: null,
  });
  expect((await call.answer(branch)).statusCode).toBe(200);
  const [leg] = line.legs;
  if (!leg) throw new Error("no leg");
  const up = next(leg, "answered");
  call.ack(1);
  await up;
  leg.hangUp();
  await eventually(() => line.peer.methods().includes("BYE"), "the BYE");
  const bye = line.peer.requests.at(-1)?.request;
  expect(bye && formatUri(bye.uri)).toBe("sip:+37069999999@caller.test");
});
