import { describe, expect, test } from "bun:test";
import {
  buildRequest,
  buildResponse,
  parseMessage,
  type SipRequest,
  type SipResponse,
} from "../../src/sip/message/index.ts";
import { TransactionLayer } from "../../src/sip/transaction/layer.ts";
import type { Flow } from "../../src/sip/transport/flow.ts";
import { fakeClock } from "../support/fake-clock.ts";

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

function bench(serversMax?: number) {
  const clock = fakeClock();
  const sent: { atMs: number; text: string }[] = [];
  const flow: Flow = {
    transport: "UDP",
    remote: { host: "192.0.2.9", port: 5060 },
    reliable: false,
    send: (text) => sent.push({ atMs: clock.elapsedMs, text }),
  };
  const seen: SipRequest[] = [];
  const layer = new TransactionLayer({
    clock,
    onRequest: (received) => seen.push(received),
    flowTo: () => flow,
    ...(serversMax === undefined ? {} : { serversMax }),
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
  test("repeats a request at 0.5, 1.5, 3.5, then every 4 s, and times out after 32 s", async () => {
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

  test("over a connection is sent once and still times out after 32 s", async () => {
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

  test("reports a repeated refusal once and ACKs it again", async () => {
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

  test("reports every 2xx of an INVITE: its user ACKs each", () => {
    const { flow, layer, user, answers } = bench();
    const invite = request("INVITE");
    layer.sendRequest(invite, "I", flow, user);
    layer.receiveResponse(response(invite, 200), flow);
    layer.receiveResponse(response(invite, 200), flow);
    expect(answers).toEqual([200, 200]);
  });
});

describe("a server transaction", () => {
  test("reports a request once and repeats the answer to retransmissions", () => {
    const { sent, flow, seen, layer } = bench();
    const options = request("OPTIONS");
    layer.receiveRequest(options, flow);
    layer.receiveRequest(options, flow);
    layer.respond(options, { statusCode: 200, toTag: "t" });
    layer.receiveRequest(options, flow);
    expect(seen).toHaveLength(1);
    expect(sent).toHaveLength(2);
  });

  test("is available for others, whatever one source sends, and for it after its own have ended", async () => {
    const { clock, flow, seen, layer } = bench(20);
    const other = { ...flow, remote: { host: "192.0.2.10", port: 5060 } };
    const take = (branch: string, from: Flow) => {
      const options = request("OPTIONS", branch);
      layer.receiveRequest(options, from);
      layer.respond(options, { statusCode: 200, toTag: "t" });
    };
    for (let sent = 0; sent < 20; sent++) take(`z9hG4bKflood${sent}`, flow);
    expect(seen).toHaveLength(10);
    take("z9hG4bKother", other);
    expect(seen).toHaveLength(11);
    await clock.advance(32_000);
    expect(layer.size).toBe(0);
    take("z9hG4bKagain", flow);
    expect(seen).toHaveLength(12);
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

  test("equal RFC 2543 branches do not join two calls", () => {
    const { flow, seen, layer } = bench();
    const first = request("INVITE", "1");
    const second = { ...first, callId: "another" };
    layer.receiveRequest(first, flow);
    layer.receiveRequest(second, flow);
    expect(seen).toHaveLength(2);
  });
});

describe("timers of RFC 3261 table 4, with RFC 6026's L and M", () => {
  const T1 = 500;
  const T4 = 5000;

  /** Milliseconds from the last event until the transaction is gone; ticks of 100 ms. */
  const goneAfter = async ({ clock, layer }: ReturnType<typeof bench>) => {
    for (let elapsed = 0; elapsed <= 700_000; elapsed += 100) {
      if (layer.size === 0) return elapsed;
      await clock.advance(100);
    }
    return Number.POSITIVE_INFINITY;
  };
  const asked = (method: string, final: number | null, reliable = false) => {
    const all = bench();
    const invite = request(method);
    all.layer.sendRequest(invite, "text", { ...all.flow, reliable }, all.user);
    if (final !== null) all.layer.receiveResponse(response(invite, final), all.flow);
    return goneAfter(all);
  };
  const answered = (
    method: string,
    final: number,
    options: { ack?: boolean; reliable?: boolean },
  ) => {
    const all = bench();
    const flow = { ...all.flow, reliable: options.reliable ?? false };
    const received = request(method);
    all.layer.receiveRequest(received, flow);
    all.layer.respond(received, { statusCode: final, toTag: "t" });
    if (options.ack) all.layer.receiveRequest(request("ACK"), flow);
    return goneAfter(all);
  };

  test.each([
    ["B: an INVITE nobody answers, 64·T1", () => asked("INVITE", null), 64 * T1],
    ["F: another request nobody answers, 64·T1", () => asked("OPTIONS", null), 64 * T1],
    ["D: a refused INVITE, at least 32 s", () => asked("INVITE", 486), 32_000],
    ["D on a connection: none", () => asked("INVITE", 486, true), 0],
    ["K: another request answered, T4", () => asked("OPTIONS", 200), T4],
    ["K on a connection: none", () => asked("OPTIONS", 200, true), 0],
    ["M: an INVITE answered with 2xx, 64·T1", () => asked("INVITE", 200), 64 * T1],
    ["H: a refusal that is not acknowledged, 64·T1", () => answered("INVITE", 486, {}), 64 * T1],
    ["I: a refusal acknowledged, T4", () => answered("INVITE", 486, { ack: true }), T4],
    ["I on a connection: none", () => answered("INVITE", 486, { ack: true, reliable: true }), 0],
    ["J: another answer, 64·T1", () => answered("OPTIONS", 200, {}), 64 * T1],
    ["J on a connection: none", () => answered("OPTIONS", 200, { reliable: true }), 0],
    ["L: our 2xx to an INVITE, 64·T1", () => answered("INVITE", 200, {}), 64 * T1],
  ] as const)("%s", async (_, elapsed, expectedMs) => {
    const gone = await elapsed();
    expect(gone).toBeGreaterThanOrEqual(expectedMs);
    expect(gone).toBeLessThanOrEqual(expectedMs + 100);
  });

  test("E: a request other than INVITE doubles its pause up to T2, also after a provisional answer", async () => {
    const { clock, sent, layer, flow, user } = bench();
    const options = request("OPTIONS");
    layer.sendRequest(options, "text", flow, user);
    await clock.advance(1600);
    layer.receiveResponse(response(options, 100), flow);
    await clock.advance(20_000);
    expect(sent.map(({ atMs }) => atMs).slice(0, 4)).toEqual([0, 500, 1500, 3500]);
    const pauses = sent.slice(4).map(({ atMs }, index) => atMs - (sent[index + 3]?.atMs ?? 0));
    expect(new Set(pauses)).toEqual(new Set([4000]));
  });

  test("a skipped server gets no more requests, but its answers count until 64·T1", async () => {
    const { clock, sent, layer, flow, user, answers, timedOut } = bench();
    const invite = request("INVITE");
    layer.sendRequest(invite, "text", flow, user, 12_000);
    await clock.advance(12_000);
    expect(timedOut()).toBe(true);
    const before = sent.length;
    await clock.advance(10_000);
    expect(sent).toHaveLength(before);
    layer.receiveResponse(response(invite, 200), flow);
    expect(answers).toEqual([200]);
    await clock.advance(64 * T1);
    expect([layer.size, clock.pendingTimers]).toEqual([0, 0]);
  });
});
