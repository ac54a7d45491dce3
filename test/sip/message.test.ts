import { describe, expect, test } from "bun:test";
import {
  buildRequest,
  buildResponse,
  Headers,
  parseMessage,
  parseNameAddr,
  parseUri,
  parseVia,
  rejectMalformed,
  responseDestination,
  type SipRequest,
  serialise,
  stampSource,
  userOf,
  withPlainSdp,
} from "../../src/sip/message/index.ts";

const INVITE = [
  "INVITE sip:+37061234567@10.0.0.1;user=phone SIP/2.0",
  "Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKa;rport, SIP/2.0/TCP proxy.test;branch=z9hG4bKb",
  'f: "A, \\"quoted\\" <name>" <sip:a@b.test>;tag=1',
  "t: <sip:+37061234567@b.test>",
  "i: call-1@b.test",
  "CSeq: 1 INVITE",
  "m: <sip:a@192.0.2.1;transport=udp>;expires=60, <sip:b@192.0.2.1>",
  "k: 100rel,",
  "  timer",
  "Max-Forwards: 70",
  "l: 4",
  "",
  "äö",
].join("\r\n");

function parsedRequest(text: string): SipRequest {
  const message = parseMessage(text);
  if (message.kind !== "request") throw new Error(JSON.stringify(message));
  return message;
}

describe("parseMessage", () => {
  test("reads compact names, folded lines, quoted commas and list fields", () => {
    const request = parsedRequest(INVITE);
    expect(request.method).toBe("INVITE");
    expect(userOf(request.uri)).toBe("+37061234567");
    expect(request.headers.all("Via")).toHaveLength(2);
    expect(request.headers.all("contact")).toHaveLength(2);
    expect(request.headers.hasToken("Supported", "TIMER")).toBe(true);
    expect(request.from.displayName).toBe('A, "quoted" <name>');
    expect(request.callId).toBe("call-1@b.test");
  });

  test("counts Content-Length in bytes and drops the rest", () => {
    expect(parsedRequest(INVITE).body).toBe("äö");
    expect(parsedRequest(`${INVITE}trailing`).body).toBe("äö");
    expect(parseMessage(INVITE.replace("l: 4", "l: 5")).kind).toBe("failure");
  });

  test("skips CRLFs before the start line", () => {
    expect(parseMessage(`\r\n\r\n${INVITE}`).kind).toBe("request");
  });

  test.each([
    ["no header end", "INVITE sip:a@b SIP/2.0\r\n"],
    ["another version", INVITE.replace("SIP/2.0\r\n", "SIP/7.0\r\n")],
    ["no Via", INVITE.replace(/Via:.*\r\n/, "")],
    ["no From", INVITE.replace(/f: .*\r\n/, "")],
    ["no Call-ID", INVITE.replace(/i: .*\r\n/, "")],
    ["a CSeq of another method", INVITE.replace("1 INVITE", "1 BYE")],
    ["a CSeq number out of range", INVITE.replace("1 INVITE", "36893488147419103232 INVITE")],
    ["two From", INVITE.replace("t: ", "f: <sip:x@y>;tag=2\r\nt: ")],
    ["two Content-Length", INVITE.replace("l: 4", "l: 4\r\nContent-Length: 4")],
    ["a negative Content-Length", INVITE.replace("l: 4", "l: -999")],
    ["an unclosed quote", INVITE.replace('<name>"', "<name>")],
    ["a space in the Request-URI", INVITE.replace("sip:+37061234567@", "sip:+370 61@")],
    [
      "brackets around the Request-URI",
      INVITE.replace(/sip:\+37061234567@10\.0\.0\.1/, "<sip:a@b>"),
    ],
    ["more than 32 KB", INVITE.replace("k: ", `X: ${"a".repeat(40_000)}\r\nk: `)],
    ["too many header lines", INVITE.replace("k: ", `${"X: a\r\n".repeat(200)}k: `)],
    ["too many header values", INVITE.replace("k: ", `Supported: ${"a,".repeat(250)}b\r\nk: `)],
    ["a NUL in a header", INVITE.replace("100rel", "100\0rel")],
    ["STUN", "\x00\x01\x00\x08\x21\x12\xa4\x42aaaaaaaaaaaa"],
  ])("refuses %s", (_, text) => {
    expect(parseMessage(text)).toMatchObject({ kind: "failure" });
  });

  test("an unclosed quote in an optional list header invalidates that list only", () => {
    const lines = ['Warning: 399 x "a, b', 'P-Asserted-Identity: "Smith, J <sip:+37061234567@x>'];
    const request = parsedRequest(INVITE.replace("k: ", `${lines.join("\r\n")}\r\nk: `));
    expect(request.headers.all("warning")).toEqual(['399 x "a, b']);
    expect(request.headers.all("p-asserted-identity").map(parseNameAddr)).toEqual([undefined]);
    for (const name of ["Via", "Contact", "Route", "Record-Route", "Require"]) {
      const text = INVITE.replace("k: ", `${name}: "a, b\r\nk: `);
      expect(parseMessage(text)).toMatchObject({ kind: "failure" });
    }
  });

  test("reads a response with and without a reason phrase", () => {
    for (const line of ["SIP/2.0 200 OK", "SIP/2.0 200 ", "SIP/2.0 200"]) {
      const text = INVITE.replace(/^.*\r\n/, `${line}\r\n`);
      expect(parseMessage(text)).toMatchObject({ kind: "response", statusCode: 200 });
    }
  });

  test("is linear in hostile input", () => {
    const hostile = [`"${"\\".repeat(30_000)}`, "<".repeat(30_000), ";a".repeat(15_000)];
    const before = performance.now();
    for (const value of hostile) {
      for (let round = 0; round < 20; round++) {
        parseMessage(INVITE.replace("k: ", `Contact: ${value}\r\nk: `));
      }
    }
    // 60 messages of 30 KB; quadratic work would take minutes.
    expect(performance.now() - before).toBeLessThan(5000);
  });
});

describe("values", () => {
  test("URIs of every scheme keep their parts", () => {
    expect(parseUri("sip:a:pw@[2001:db8::1]:5070;lr?x=y")).toMatchObject({
      user: "a",
      password: "pw",
      host: "[2001:db8::1]",
      port: 5070,
      headers: "x=y",
    });
    const tel = parseUri("tel:+370-612-34567;phone-context=x");
    expect(tel && userOf(tel)).toBe("+37061234567");
    expect(parseUri("nobodyknows:x")).toMatchObject({ scheme: "other" });
    for (const bad of ["", "sip:", "sip:@b", "sip:a@b:0", "sip:a@b:99999", "sip:a b@c"]) {
      expect(parseUri(bad)).toBeUndefined();
    }
  });

  test("without brackets, parameters belong to the header", () => {
    const value = parseNameAddr("sip:a@b;tag=5");
    expect(value?.parameters.get("tag")).toBe("5");
    expect(value?.uri).toMatchObject({ parameters: new Map() });
  });

  test("answers go to the source of the request", () => {
    const via = parseVia("SIP / 2.0 / UDP 10.1.1.1:5062 ;rport;branch=z9hG4bKx");
    if (!via) throw new Error("no Via");
    expect(responseDestination(via)).toEqual({ host: "10.1.1.1", port: 5062 });
    const stamped = stampSource(via, { host: "192.0.2.9", port: 1024 });
    expect(responseDestination(stamped)).toEqual({ host: "192.0.2.9", port: 1024 });
  });

  test("a received parameter written by the sender is ignored", () => {
    const via = parseVia("SIP/2.0/UDP 10.1.1.1;received=127.0.0.1;branch=z9hG4bKx");
    if (!via) throw new Error("no Via");
    const stamped = stampSource(via, { host: "10.1.1.1", port: 5060 });
    expect(stamped.parameters.has("received")).toBe(false);
  });
});

describe("builders", () => {
  test("a response copies the headers of RFC 3261 8.2.6", () => {
    const request = parsedRequest(INVITE);
    const text = buildResponse(request, { statusCode: 180, toTag: "t1" });
    expect(parseMessage(text)).toMatchObject({ kind: "response", reasonPhrase: "Ringing" });
    expect(text).toContain("To: <sip:+37061234567@b.test>;tag=t1\r\n");
    expect(text.match(/^Via: /gm)).toHaveLength(2);
  });

  test("Content-Length is computed by us and counts bytes", () => {
    const text = serialise({ ...parsedRequest(INVITE), body: "äöü" });
    expect(text).toContain("Content-Length: 6\r\n\r\näöü");
  });

  test("a line break cannot insert a header", () => {
    const injected = "x\r\nEvil: 1";
    expect(() => Headers.from([["Subject", injected]])).toThrow(RangeError);
    expect(() => buildRequest({ method: "INVITE", uri: `sip:${injected}`, headers: [] })).toThrow();
  });
});

describe("bodies of several parts (RFC 5621)", () => {
  const invite = (contentType: string, body: string) => {
    const message = parseMessage(
      buildRequest({
        method: "INVITE",
        uri: "sip:a@b",
        headers: [
          ["Via", "SIP/2.0/UDP h;branch=z9hG4bKm"],
          ["From", "<sip:a@b>;tag=1"],
          ["To", "<sip:b@b>"],
          ["Call-ID", "c"],
          ["CSeq", "1 INVITE"],
          ["Content-Type", contentType],
        ],
        body,
      }),
    );
    if (message.kind !== "request") throw new Error("no request");
    return withPlainSdp(message);
  };
  const part = (type: string, text: string) => `--b1\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`;

  test("SDP next to ISUP is the body, the rest is left out", () => {
    const body = `${part("application/isup;version=x", "\u0001")}${part("application/sdp", "v=0")}--b1--`;
    const message = invite('multipart/mixed;boundary="b1"', body);
    expect(message.body).toBe("v=0\r\n");
    expect(message.headers.all("content-type")).toEqual(["application/sdp"]);
  });

  test("of two descriptions the session's is the body, not that of early media (RFC 3959)", () => {
    const of = (disposition: string, text: string) =>
      part(`application/sdp\r\nContent-Disposition: ${disposition}`, text);
    const [early, session] = [of("early-session", "v=1"), of("Session;handling=required", "v=0")];
    for (const body of [`${early}${session}--b1--`, `${session}${early}--b1--`])
      expect(invite("multipart/mixed;boundary=b1", body).body).toBe("v=0\r\n");
  });

  test("without SDP, or without a boundary, it stays unchanged", () => {
    const body = `${part("text/plain", "hello")}--b1--`;
    expect(invite("multipart/mixed;boundary=b1", body).body).toBe(body);
    expect(invite("multipart/mixed", body).body).toBe(body);
  });
});

describe("refusals of unparsable messages", () => {
  const source = { host: "192.0.2.9", port: 5060 };
  const refusal = (text: string) => {
    const failure = parseMessage(text);
    if (failure.kind !== "failure") throw new Error("it parses");
    return rejectMalformed(text, failure, source);
  };
  const lines = (...more: string[]) =>
    [
      "OPTIONS sip:a@b SIP/2.0",
      "Via: SIP/2.0/UDP h:5070;branch=z9hG4bKx;rport",
      ...more,
      "",
      "",
    ].join("\r\n");

  test("go to the source of the request, with its headers and a tag", () => {
    const found = refusal(lines("From: <sip:a@b>;tag=1", "To: <sip:b@b>", "Call-ID: c", "CSeq: x"));
    expect(found?.destination).toEqual(source);
    expect(found?.text).toStartWith("SIP/2.0 400 Bad Request");
    expect(found?.text).toContain("rport=5060;received=192.0.2.9");
    expect(found?.text).toContain("To: <sip:b@b>;tag=malformed");
    expect(found?.text).toContain("CSeq: x");
  });

  test("are not made for responses, ACKs, and messages without a return address", () => {
    expect(refusal("SIP/2.0 200 OK\r\n\r\n")).toBeUndefined();
    expect(refusal("ACK sip:a@b SIP/2.0\r\nVia: SIP/2.0/UDP h\r\n\r\n")).toBeUndefined();
    expect(refusal("OPTIONS sip:a@b SIP/2.0\r\nVia: nonsense\r\n\r\n")).toBeUndefined();
    expect(refusal("junk")).toBeUndefined();
  });
});
