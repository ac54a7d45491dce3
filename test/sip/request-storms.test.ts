/** Floods of requests within a call: the peer gets Retry-After, and other peers are still served. */
import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { IncomingLeg } from "../../src/call/sip-port.ts";
import { systemClock, yieldToEventLoop } from "../../src/core/clock.ts";
import { parseMessage } from "../../src/sip/message/index.ts";
import { StreamFramer } from "../../src/sip/transport/framer.ts";
import {
  BYTES_MAX,
  InboundQueue,
  LINE_BYTES_MAX,
  TASKS_PER_TURN,
  TURN_MS_MAX,
} from "../../src/sip/transport/inbound-queue.ts";
import { eventually } from "../support/eventually.ts";
import { incomingLine } from "../support/sip/incoming-line.ts";
import { OFFER, rawCall } from "../support/sip/raw-call.ts";
import { startSipPeer } from "../support/sip/sip-peer.ts";
import { endOf, trunkSettings } from "../support/sip/sip-stack.ts";

const OURS = "127.0.91.4";
const FAR = "127.0.91.5";
const OTHER = "127.0.91.6";
const line = incomingLine(OURS, FAR);

const DIGIT = {
  method: "INFO",
  body: "Signal=5\r\nDuration=100\r\n",
  contentType: "application/dtmf-relay",
} as const;
/** A call's limit of requests at once, and more than its limit during a test. */
const AT_ONCE = 100;
const STORM = 1000;

/** A call over one TCP connection; `flush` writes all its messages at once. */
async function tcpCall() {
  const socket: Socket = connect({
    host: OURS,
    port: line.stack.localAddress.port,
    localAddress: FAR,
  });
  const framer = new StreamFramer();
  socket.on("data", (chunk: Buffer) => {
    for (const item of framer.push(chunk)) {
      const message = item.kind === "message" && parseMessage(Buffer.from(item.bytes).toString());
      if (message && message.kind === "response") line.peer.responses.push(message);
    }
  });
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  let written = "";
  const send = (text: string | Uint8Array) => {
    written += text;
  };
  const call = rawCall(
    { ...line.peer, responses: line.peer.responses, send },
    { host: OURS, port: line.stack.localAddress.port },
  );
  const flush = () => {
    socket.write(written);
    written = "";
  };
  line.onLeg = (leg) => void leg.answer(line.media).catch(() => {});
  const invite = call.invite();
  flush();
  await call.answer(invite);
  call.ack(1);
  flush();
  const leg = line.legs.at(-1) as IncomingLeg;
  return { call, leg, flush, close: () => socket.destroy() };
}

test("UPDATEs with offers in one read: each is answered, and the next moves the media", async () => {
  const { call, leg, flush, close } = await tcpCall();
  const ports: number[] = [];
  leg.on("media", ({ plan }) => ports.push(plan.remote.port));
  const branches = [30_010, 30_020, 30_030].map((port) =>
    call.send({ method: "UPDATE", body: OFFER(FAR, port) }),
  );
  flush();
  for (const branch of branches) expect((await call.answer(branch, "UPDATE")).statusCode).toBe(200);
  const later = call.send({ method: "UPDATE", body: OFFER(FAR, 30_040) });
  flush();
  expect((await call.answer(later, "UPDATE")).statusCode).toBe(200);
  expect(ports).toEqual([30_010, 30_020, 30_030, 30_040]);
  close();
});

test.each(["INVITE", "UPDATE", "INFO", "NOTIFY", "OPTIONS"])(
  "a storm of %s is throttled, and the call continues until its BYE",
  async (method) => {
    const { call, leg } = await line.answered();
    let digits = 0;
    let agreements = 0;
    leg.on("digit", () => digits++);
    leg.on("media", () => agreements++);
    const request =
      method === "INFO" ? DIGIT : { method, body: method === "INVITE" ? OFFER(FAR) : "" };
    const branches: string[] = [];
    while (branches.length < STORM) {
      for (let n = 0; n < 50; n++) branches.push(call.send(request));
      await Bun.sleep(1);
    }
    const waits = () =>
      line.peer.responses.filter(
        (response) => response.statusCode === 500 && response.headers.has("retry-after"),
      ).length;
    await eventually(() => waits() > AT_ONCE, "refusals");
    expect(digits).toBeLessThan(STORM / 2);
    expect(agreements).toBeLessThan(STORM / 2);
    const ended = endOf(leg);
    const bye = await call.answer(call.send({ method: "BYE" }), "BYE");
    expect([bye.statusCode, (await ended).kind]).toEqual([200, "bye"]);
  },
);

test.each(["INVITE", "UPDATE", "OPTIONS", "INFO"])(
  "%s with 200 Vias (answered on separate lines) or with nearly 32 KB is answered",
  async (method) => {
    const { call } = await line.answered();
    const body = method === "INVITE" ? OFFER(FAR) : "";
    const vias = Array.from({ length: 200 }, (_, n) => `SIP/2.0/UDP p${n}.test;branch=z9hG4bK${n}`);
    for (const via of [vias.join(", "), `SIP/2.0/UDP p.test;branch=z9hG4bK${"a".repeat(31_500)}`]) {
      const branch = call.send({ method, headers: [["Via", via]], body });
      const ok = await call.answer(branch, method);
      expect(ok.statusCode).toBe(200);
      if (method === "INVITE") call.ack(ok.cseq.number);
    }
  },
);

test("a call with few requests is never throttled", async () => {
  const { call, leg } = await line.answered();
  let digits = 0;
  leg.on("digit", () => digits++);
  for (let n = 1; n <= AT_ONCE; n++) {
    call.send(DIGIT);
    if (n % 10 === 0) await eventually(() => digits === n, `${n} digits`);
  }
});

test("a datagram queued after hundreds of another source is handled among the first", async () => {
  const order: string[] = [];
  const intake = new InboundQueue(systemClock);
  const add = (source: string) => intake.add(source, 500, () => order.push(source));
  for (let n = 0; n < 300; n++) add("storm");
  add("other");
  while (order.length < 301) await yieldToEventLoop();
  expect(order.indexOf("other")).toBeLessThan(2 * TASKS_PER_TURN);
  add("later");
  expect(order.at(-1)).toBe("later");
});

test("a turn ends after some milliseconds, however few were handled; waiting time counts", async () => {
  let now = 0;
  let handled = 0;
  const intake = new InboundQueue({ monotonic: () => now });
  const work = () => {
    handled++;
    now += TURN_MS_MAX / 2;
  };
  const ofTurn: number[] = [];
  for (let n = 0; n < 12; n++)
    if (n % 2 === 0) intake.add("datagrams", 500, work);
    else (intake.turn("connection") ?? Promise.resolve()).then(work);
  for (let before = handled; handled < 12; before = handled) {
    await yieldToEventLoop();
    ofTurn.push(handled - before);
  }
  expect(Math.max(...ofTurn)).toBeLessThanOrEqual(4);
});

test("the queues per source and in total have a limit in bytes, and nothing is handled after the end", async () => {
  const order: string[] = [];
  const intake = new InboundQueue(systemClock);
  const add = (source: string, bytes: number) =>
    intake.add(source, bytes, () => order.push(source));
  for (let n = 0; n < TASKS_PER_TURN; n++) add("first", 1);
  for (let n = 0; n < 100; n++) add("storm", LINE_BYTES_MAX / 4);
  for (let n = 0; n < 100; n++) add(`other ${n}`, LINE_BYTES_MAX);
  while (order.filter((source) => source !== "first").length < 4) await yieldToEventLoop();
  for (let turn = 0; turn < 20; turn++) await yieldToEventLoop();
  expect(order.filter((source) => source === "storm")).toHaveLength(4);
  expect(order.filter((source) => source.startsWith("other"))).toHaveLength(
    BYTES_MAX / LINE_BYTES_MAX - 1,
  );
  for (let n = 0; n < 2 * TASKS_PER_TURN; n++) add("last", 1);
  intake.close();
  await yieldToEventLoop();
  await yieldToEventLoop();
  expect(order.filter((source) => source === "last").length).toBeLessThanOrEqual(TASKS_PER_TURN);
});

test("the stack handles another peer's datagram before the end of a storm", async () => {
  const { call } = await line.answered();
  const other = await startSipPeer({ host: OTHER });
  line.stack.addTrunk(
    trunkSettings({ trunkId: 2, server: OTHER, port: other.port, register: false }),
  );
  await Bun.sleep(20);
  const storm = Array.from({ length: 150 }, () => call.send({ method: "OPTIONS" }));
  const asked = rawCall(other, line.stack.localAddress);
  const options = asked.send({ method: "OPTIONS", toTag: null });
  await asked.answer(options, "OPTIONS");
  const answered = new Set(line.peer.responses.map(({ via }) => via.parameters.get("branch")));
  expect(storm.filter((branch) => answered.has(branch)).length).toBeLessThan(storm.length);
  other.close();
});
