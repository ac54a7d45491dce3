import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  buildRequest,
  parseMessage,
  parseNameAddr,
  parseUri,
  parseVia,
  serialise,
} from "../../src/sip/message/index.ts";
import { acceptAnswer, answerOffer } from "../../src/sip/sdp.ts";

const token = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/);
const text = fc.stringMatching(/^[^\r\n\0,]{0,60}$/).map((value) => value.trim());

const request = fc
  .record({
    user: token,
    host: token,
    callId: token,
    tag: token,
    branch: token,
    cseq: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    subject: text,
    body: fc.string({ unit: "grapheme", maxLength: 200 }),
  })
  .map((parts) =>
    buildRequest({
      method: "INVITE",
      uri: `sip:${parts.user}@${parts.host}`,
      headers: [
        ["Via", `SIP/2.0/UDP ${parts.host}:5060;branch=z9hG4bK${parts.branch};rport`],
        ["From", `<sip:${parts.user}@${parts.host}>;tag=${parts.tag}`],
        ["To", `<sip:${parts.user}@${parts.host}>`],
        ["Call-ID", parts.callId],
        ["CSeq", `${parts.cseq} INVITE`],
        ["Subject", parts.subject],
      ],
      body: parts.body,
    }),
  );

test("our written messages are read back unchanged", () => {
  fc.assert(
    fc.property(request, (written) => {
      const message = parseMessage(written);
      if (message.kind === "failure") throw new Error(message.reason);
      expect(serialise(message)).toBe(written);
    }),
    { numRuns: 500 },
  );
});

test("no text makes a parser throw", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (junk) => {
      parseMessage(junk);
      parseUri(junk);
      parseNameAddr(junk);
      parseVia(junk);
      const session = { id: 1, version: 1, codecs: ["PCMA" as const] };
      answerOffer(`v=0\r\n${junk}`, { host: "127.0.0.1", port: 4000 }, session);
      acceptAnswer(`v=0\r\nm=audio 4000 RTP/AVP 8\r\n${junk}`, session);
    }),
    { numRuns: 2000 },
  );
});

test("no mutation of a message makes the parser throw", () => {
  const mutation = fc.tuple(fc.nat(2000), fc.nat(40), fc.string({ maxLength: 30 }));
  fc.assert(
    fc.property(request, fc.array(mutation, { maxLength: 4 }), (written, mutations) => {
      const mutated = mutations.reduce((message, [at, length, insert]) => {
        const start = at % (message.length + 1);
        return message.slice(0, start) + insert + message.slice(start + length);
      }, written);
      const message = parseMessage(mutated);
      if (message.kind !== "failure") serialise(message);
    }),
    { numRuns: 2000 },
  );
});
