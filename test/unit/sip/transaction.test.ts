import { describe, expect, test } from "bun:test";
import {
  buildRequest,
  buildResponse,
  parseMessage,
  type SipRequest,
  type SipResponse,
} from "../../../src/sip/message/index.ts";
import { TransactionLayer } from "../../../src/sip/transaction/layer.ts";
import type { Flow } from "../../../src/sip/transport/flow.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function request(method: string, branch = "z9hG4bK1"): SipRequest {
  const text = buildRequest({
    method,
    uri: "sip:a@b",
    headers: [
      ["Via", `SIP/2.0/UDP 192.0.2.1;branch=${branch}`],
      ["From", "<sip:a@b>;tag=1"],
      ["To", "<sip:b@b>"],
      ["Call-ID", "c"],
      ["CSeq", `1 ${method}`],
    ],
  });
  const message = parseMessage(text);
  if (message.kind !== "request") throw new Error("no request");
  return message;
}

function response(to: SipRequest, statusCode: number): SipResponse {
  const message = parseMessage(buildResponse(to, { statusCode, toTag: "t" }));
  if (message.kind !== "response") throw new Error("no response");
  return message;
}

function bench() {
  const clock = fakeClock();
  const sent: { atMs: number; text: string }[] = [];
  const flow: Flow = {
    transport: "UDP",
    remote: { host: "192.0.2.9", port: 5060 },
    reliable: false,
    send: (text) => sent.push({ atMs: clock.monotonic(), text }),
  };
  const seen: SipRequest[] = [];
  const layer = new TransactionLayer({
    clock,
    onRequest: (received) => seen.push(received),
    flowTo: () => flow,
  });
  const answers: number[] = [];
  let timedOut = false;
  const user = {
    onResponse: (received: SipResponse) => void answers.push(received.statusCode),
    onTimeout: () => {
      timedOut = true;
    },
  };
  return { clock, sent, flow, seen, layer, answers, user, timedOut: () => timedOut };
}

describe("a client transaction", () => {
  test("repeats a request at 0.5, 1.5, 3.5, then every 4 s, and gives up after 32 s", async () => {
    const { clock, sent, flow, layer, user, timedOut } = bench();
    layer.sendRequest(request("REGISTER"), "R", flow, user);
    await clock.advance(31_999);
    expect(sent.map(({ atMs }) => atMs)).toEqual([
      0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500,
    ]);
    expect(timedOut()).toBe(false);
    await clock.advance(1);
    expect(timedOut()).toBe(true);
    expect(layer.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  test("over a connection is sent once and still gives up after 32 s", async () => {
    const { clock, sent, flow, layer, user, timedOut } = bench();
    layer.sendRequest(request("INVITE"), "I", { ...flow, transport: "TCP", reliable: true }, user);
    await clock.advance(32_001);
    expect(sent.length).toBe(1);
    expect(timedOut()).toBe(true);
  });

  test("stops repeating an INVITE at the first answer, and waits while it rings", async () => {
    const { clock, sent, flow, layer, user, answers, timedOut } = bench();
    const invite = request("INVITE");
    layer.sendRequest(invite, "I", flow, user);
    layer.receiveResponse(response(invite, 180), flow);
    await clock.advance(60_000);
    expect(sent).toHaveLength(1);
    expect(timedOut()).toBe(false);
    expect(answers).toEqual([180]);
  });

  test("shows a repeated refusal once and ACKs it again", async () => {
    const { clock, sent, flow, layer, user, answers } = bench();
    const invite = request("INVITE");
    layer.sendRequest(invite, "I", flow, user);
    layer.receiveResponse(response(invite, 486), flow);
    layer.sendRequest(request("ACK"), "A", flow, user);
    layer.receiveResponse(response(invite, 486), flow);
    expect(answers).toEqual([486]);
    expect(sent.map(({ text }) => text)).toEqual(["I", "A", "A"]);
    await clock.advance(32_000);
    expect(layer.size).toBe(0);
  });

  test("shows every 2xx of an INVITE: each is ACKed by its user", () => {
    const { flow, layer, user, answers } = bench();
    const invite = request("INVITE");
    layer.sendRequest(invite, "I", flow, user);
    layer.receiveResponse(response(invite, 200), flow);
    layer.receiveResponse(response(invite, 200), flow);
    expect(answers).toEqual([200, 200]);
  });
});

describe("a server transaction", () => {
  test("shows a request once and repeats the answer to its repeats", () => {
    const { sent, flow, seen, layer } = bench();
    const options = request("OPTIONS");
    layer.receiveRequest(options, flow);
    layer.receiveRequest(options, flow);
    layer.respond(options, { statusCode: 200, toTag: "t" });
    layer.receiveRequest(options, flow);
    expect(seen).toHaveLength(1);
    expect(sent).toHaveLength(2);
  });

  test("repeats a refusal of an INVITE until the ACK, at most for 32 s", async () => {
    const { clock, sent, flow, seen, layer } = bench();
    const invite = request("INVITE");
    layer.receiveRequest(invite, flow);
    layer.respond(invite, { statusCode: 486, toTag: "t" });
    await clock.advance(4000);
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 500, 1500, 3500]);
    layer.receiveRequest(request("ACK"), flow);
    layer.receiveRequest(request("ACK"), flow);
    await clock.advance(60_000);
    expect(sent).toHaveLength(4);
    expect(seen.map((received) => received.method)).toEqual(["INVITE", "ACK"]);
    expect(layer.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  test("a CANCEL is another transaction than its INVITE", () => {
    const { flow, seen, layer } = bench();
    layer.receiveRequest(request("INVITE"), flow);
    layer.receiveRequest(request("CANCEL"), flow);
    expect(seen.map((received) => received.method)).toEqual(["INVITE", "CANCEL"]);
  });

  test("an RFC 2543 branch does not join two calls", () => {
    const { flow, seen, layer } = bench();
    const first = request("INVITE", "1");
    const second = { ...first, callId: "another" };
    layer.receiveRequest(first, flow);
    layer.receiveRequest(second, flow);
    expect(seen).toHaveLength(2);
  });
});
