import { expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { createSipMessageTracer } from "../../src/sip/message-trace.ts";

const invite = [
  "INVITE sip:+37060000002@192.0.2.1 SIP/2.0",
  'From: "Canary Person" <sip:+37060000001@carrier.example>;tag=1',
  "To: <sip:+37060000002@carrier.example>",
  "Call-ID: abc@carrier.example",
  "CSeq: 7 INVITE",
  'Proxy-Authorization: Digest username="canary", response="0123456789abcdef"',
  "Content-Type: application/sdp",
  "",
  "v=0",
  "o=canary 1 1 IN IP4 192.0.2.7",
  "m=audio 4000 RTP/AVP 8 0 101",
  "a=rtpmap:101 telephone-event/8000",
  "a=sendonly",
  "",
].join("\r\n");

const answer = (code: string, cseq: string, extra = "") =>
  `SIP/2.0 ${code}\r\ni: abc@carrier.example\r\nCSeq: ${cseq}\r\n${extra}\r\n`;

test("a trace shows the messages without any number, name, address or secret", () => {
  const ladder = createSipMessageTracer(systemClock);
  ladder.record("in", invite);
  ladder.record("out", answer("180 Ringing", "7 INVITE"));
  ladder.record(
    "out",
    answer("407 Proxy Authentication Required", "7 INVITE", "Proxy-Authenticate: x\r\n"),
  );
  ladder.record(
    "in",
    'BYE sip:x SIP/2.0\r\nCall-ID: abc@carrier.example\r\nCSeq: 8 BYE\r\nReason: Q.850;cause=16;text="canary"\r\n\r\n',
  );
  const steps = ladder.entries("abc@carrier.example");
  expect(steps.map(({ direction, line, detail }) => [direction, line, detail])).toEqual([
    ["in", "INVITE (7 INVITE)", "with credentials; SDP: PCMA, PCMU, telephone-event, sendonly"],
    ["out", "180 Ringing (7 INVITE)", null],
    ["out", "407 Proxy Authentication Required (7 INVITE)", "asks for credentials"],
    ["in", "BYE (8 BYE)", "reason Q.850 16"],
  ]);
  expect(JSON.stringify(steps)).not.toMatch(/canary|3706|192\.0|example/i);
  ladder.forget("abc@carrier.example");
  expect(ladder.entries("abc@carrier.example")).toEqual([]);
});

test("a hostile reason phrase keeps only its letters, and a flood is limited", () => {
  const ladder = createSipMessageTracer(systemClock);
  ladder.record("in", answer("603 +37060000001 <script>", "1 INVITE"));
  expect(ladder.entries("abc@carrier.example")[0]?.line).toBe("603 script (1 INVITE)");
  for (let count = 0; count < 1_000; count++) ladder.record("in", answer("100 Trying", "1 INVITE"));
  expect(ladder.entries("abc@carrier.example").length).toBe(150);
  for (let call = 0; call < 3_000; call++)
    ladder.record("in", `ACK sip:x SIP/2.0\r\nCall-ID: c${call}\r\nCSeq: 1 ACK\r\n\r\n`);
  expect(ladder.entries("c2999").length).toBe(1);
  expect(ladder.entries("c100")).toEqual([]);
});

test("registrations and keep-alives are not stored as calls", () => {
  const ladder = createSipMessageTracer(systemClock);
  for (const method of ["REGISTER", "OPTIONS"])
    ladder.record("out", `${method} sip:x SIP/2.0\r\nCall-ID: r\r\nCSeq: 1 ${method}\r\n\r\n`);
  expect(ladder.entries("r")).toEqual([]);
});
