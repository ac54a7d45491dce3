/** Messages of the called phone in one TCP segment with its 200: our ACK cannot have left before them. */
import { afterEach, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import type { OutgoingLeg, SipStack } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import {
  buildRequest,
  buildResponse,
  parseMessage,
  type SipRequest,
} from "../../src/sip/message/index.ts";
import { StreamFramer } from "../../src/sip/transport/framer.ts";
import { eventually } from "../support/eventually.ts";
import { OFFER } from "../support/sip/raw-call.ts";
import { endOf, startStack, traceLog, trunkSettings } from "../support/sip/sip-stack.ts";

const OURS = "127.0.63.7";
const FAR = "127.0.63.8";

let open: { stack: SipStack; server: Server; sockets: Socket[] } | undefined;
afterEach(async () => {
  await open?.stack.close();
  for (const socket of open?.sockets ?? []) socket.destroy();
  open?.server.close();
});

const contact = () => {
  const address = open?.server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return ["Contact", `<sip:far@${FAR}:${port};transport=tcp>`] as const;
};

/** Calls a phone that answers the INVITE with that segment, and accepts all later requests. */
async function callWith(segment: (invite: SipRequest) => string[]) {
  const server = createServer();
  const sockets: Socket[] = [];
  let isInvited = false;
  server.on("connection", (socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    const framer = new StreamFramer();
    socket.on("data", (chunk: Buffer) => {
      for (const item of framer.push(chunk)) {
        if (item.kind !== "message") continue;
        const message = parseMessage(Buffer.from(item.bytes).toString());
        if (message.kind !== "request" || message.method === "ACK") continue;
        const isFirst = message.method === "INVITE" && !isInvited;
        isInvited ||= isFirst;
        const texts = isFirst ? segment(message) : [buildResponse(message, { statusCode: 200 })];
        socket.write(texts.join(""));
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, FAR, () => listening()));
  const { log, messages } = traceLog();
  const stack = await startStack(OURS, log);
  open = { stack, server, sockets };
  const port = Number(/:(\d+);/.exec(contact()[1])?.[1]);
  const trunk = stack.addTrunk(
    trunkSettings({ server: FAR, port, transport: "tcp", register: false }),
  );
  const [to, from] = [e164("+37062222222"), e164("+37061001001")];
  const media = { host: OURS, port: 40_000 };
  const leg = trunk.place({ to, from, media, ringTimeoutMs: 5000 });
  return { leg, events: watch(leg), messages };
}

function watch(leg: OutgoingLeg): string[] {
  const events: string[] = [];
  leg.on("answered", ({ plan }) => events.push(`answered ${plan.remote.port}`));
  leg.on("media", ({ plan }) => events.push(`media ${plan.remote.port}`));
  leg.on("digit", ({ digit }) => events.push(`digit ${digit}`));
  leg.on("ended", ({ by, kind }) => events.push(`${kind} by ${by}`));
  return events;
}

const sdp = ["Content-Type", "application/sdp"] as const;
const ok = (invite: SipRequest) =>
  buildResponse(invite, {
    statusCode: 200,
    toTag: "far",
    headers: [contact(), sdp],
    body: OFFER(FAR),
  });

function inDialog(invite: SipRequest, method: string, cseq: number, type = "", body = ""): string {
  const { headers, callId } = invite;
  return buildRequest({
    method,
    uri: /<([^>]+)>/.exec(headers.get("contact") ?? "")?.[1] ?? "",
    headers: [
      ["Via", `SIP/2.0/TCP ${FAR};branch=z9hG4bK-${method}-${cseq}`],
      ["Max-Forwards", 70],
      ["From", `${headers.get("to")};tag=far`],
      ["To", headers.get("from") ?? ""],
      ["Call-ID", callId],
      ["CSeq", `${cseq} ${method}`],
      contact(),
      ...(type === "" ? [] : [["Content-Type", type] as const]),
    ],
    body,
  });
}

test("a BYE ends the call as hung up by the callee, after our ACK", async () => {
  const { events, leg, messages } = await callWith((invite) => [
    ok(invite),
    inDialog(invite, "INFO", 1, "application/dtmf", "5"),
    inDialog(invite, "BYE", 2),
  ]);
  await endOf(leg);
  expect(events).toEqual(["answered 30000", "digit 5", "bye by callee"]);
  const out = messages.filter((message) => message.startsWith("out "));
  const lines = out.map((message) => message.split(/ sip:|\r\n/)[0]);
  expect(lines).toEqual(["out INVITE", "out ACK", "out SIP/2.0 200 OK", "out SIP/2.0 200 OK"]);
});

test.each(["INVITE", "UPDATE"])("%s with an offer moves the call's media", async (method) => {
  const { events, leg } = await callWith((invite) => [
    ok(invite),
    inDialog(invite, method, 1, "application/sdp", OFFER(FAR, 30_100)),
  ]);
  await eventually(() => events.length === 2, "the call and its change");
  leg.hangUp();
  expect(events).toEqual(["answered 30000", "media 30100", "bye by us"]);
});
