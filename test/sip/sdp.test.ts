import { describe, expect, test } from "bun:test";
import type { MediaPlan } from "../../src/core/media-plan.ts";
import { acceptAnswer, answerOffer, buildOffer, type SdpSession } from "../../src/sip/sdp.ts";

const MEDIA = { host: "127.0.0.1", port: 4000 };
const G711: SdpSession = { id: 7, version: 2, codecs: ["PCMA", "PCMU"] };

interface Offer {
  readonly host?: string;
  readonly audio?: string;
  readonly lines?: readonly string[];
}

function sdp({
  host = "192.0.2.5",
  audio = "m=audio 30000 RTP/AVP 0 8 101",
  lines,
}: Offer): string {
  const description = ["v=0", "o=- 1 1 IN IP4 x", "s=-", `c=IN IP4 ${host}`, "t=0 0", audio];
  const attributes = lines ?? ["a=rtpmap:101 telephone-event/8000"];
  return `${[...description, ...attributes].join("\r\n")}\r\n`;
}

function answered(offer: Offer, session = G711): { sdp: string; plan: MediaPlan } {
  const answer = answerOffer(sdp(offer), MEDIA, session);
  if (!answer.ok) throw new Error(answer.reason);
  return answer;
}

describe("buildOffer", () => {
  test("lists our codecs in our order, telephone-event last", () => {
    const offer = buildOffer(MEDIA, G711);
    expect(offer).toContain("o=- 7 2 IN IP4 127.0.0.1\r\n");
    expect(offer).toContain("m=audio 4000 RTP/AVP 8 0 101\r\n");
    expect(offer).toContain("a=fmtp:101 0-16\r\n");
    expect(offer).toEndWith("a=sendrecv\r\n");
  });

  test("an offer can be answered by our own parser", () => {
    const answer = answerOffer(buildOffer(MEDIA, G711), MEDIA, G711);
    if (!answer.ok) throw new Error(answer.reason);
    const accepted = acceptAnswer(answer.sdp, G711);
    expect(accepted.ok && accepted.plan).toEqual(answer.plan);
  });
});

describe("answerOffer", () => {
  test("uses the first of our codecs in the offer, with the offerer's payload types", () => {
    const { sdp: text, plan } = answered({});
    expect(plan.codec).toEqual({ name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 });
    expect(plan.telephoneEvent).toEqual({ send: 101, receive: 101 });
    expect(plan.remote).toEqual({ host: "192.0.2.5", port: 30_000 });
    expect(text).toContain("m=audio 4000 RTP/AVP 8 101\r\n");
  });

  test("writes an IPv6 address as the kernel writes the source of packets", () => {
    for (const [host, remote] of [
      ["2001:DB8:0:0:0:0:0:5", "2001:db8::5"],
      ["2001:db8::5", "2001:db8::5"],
      ["::ffff:192.0.2.5", "192.0.2.5"],
      ["media.example", "media.example"],
      ["2001:db8:::5", "2001:db8:::5"],
    ] as const)
      expect(answered({ host }).plan.remote.host).toBe(remote);
  });

  test("follows dynamic payload types", () => {
    const { plan } = answered({
      audio: "m=audio 30000 RTP/AVP 97 96",
      lines: ["a=rtpmap:97 pcma/8000", "a=rtpmap:96 telephone-event/8000"],
    });
    expect(plan.codec).toMatchObject({ name: "PCMA", sendPayloadType: 97 });
    expect(plan.telephoneEvent).toEqual({ send: 96, receive: 96 });
  });

  test("a supported but disabled codec is not chosen", () => {
    const offer = { audio: "m=audio 30000 RTP/AVP 9 8" };
    expect(answered(offer).plan.codec.name).toBe("PCMA");
    const wide: SdpSession = { ...G711, codecs: ["G722", "PCMA"] };
    expect(answered(offer, wide).plan.codec.name).toBe("G722");
  });

  test.each([
    ["sendonly", "192.0.2.5", "recvonly"],
    ["recvonly", "192.0.2.5", "sendonly"],
    ["inactive", "192.0.2.5", "inactive"],
    ["sendrecv", "192.0.2.5", "sendrecv"],
    ["sendrecv", "0.0.0.0", "inactive"],
    ["sendonly", "0.0.0.0", "recvonly"],
  ] as const)("%s at %s is answered %s", (direction, host, expected) => {
    const { plan, sdp: text } = answered({ host, lines: [`a=${direction}`] });
    expect(plan.direction).toBe(expected);
    expect(text).toContain(`a=${expected}\r\n`);
  });

  test.each([
    [["a=ptime:30"], 30],
    [["a=ptime:40", "a=maxptime:20"], 20],
    [["a=ptime:200"], 60],
    [["a=ptime:0"], 20],
    [[], 20],
  ] as const)("%p sets packets of %d ms", (lines, ptimeMs) => {
    expect(answered({ lines }).plan.ptimeMs).toBe(ptimeMs);
  });

  test.each([
    ["223.255.255.255", true],
    ["224.0.0.1/127", false],
    ["239.255.255.255", false],
    ["240.0.0.1", true],
    ["255.255.255.255", false],
    ["ff02::1", false],
    ["fe80::1", true],
  ])("audio for %s (possibly multicast) is sent: %p", (host, isSent) => {
    expect(answerOffer(sdp({ host }), MEDIA, G711).ok).toBe(isSent);
  });

  test("a number of ports and a TTL are ignored", () => {
    const lines = ["m=video 5000/2 RTP/AVP 99", "a=inactive"];
    const audio = "m=audio 30000/1 RTP/AVP 8";
    const { sdp: text, plan } = answered({ host: "192.0.2.5/127", audio, lines });
    expect(plan.remote).toEqual({ host: "192.0.2.5", port: 30_000 });
    expect(plan.direction).toBe("sendrecv");
    expect(text).toContain("m=video 0 RTP/AVP 99\r\n");
  });

  test("of several audio streams the first with one of our codecs is used", () => {
    const lines = ["m=audio 30002 RTP/AVP 8", "m=audio 30004 RTP/AVP 0"];
    const { sdp: text, plan } = answered({ audio: "m=audio 30000 RTP/AVP 18", lines });
    expect(plan.remote.port).toBe(30_002);
    expect(text.match(/^m=.*$/gm)).toEqual([
      "m=audio 0 RTP/AVP 18",
      "m=audio 4000 RTP/AVP 8",
      "m=audio 0 RTP/AVP 0",
    ]);
  });

  test("other streams are rejected at their position", () => {
    const lines = ["m=video 5000 RTP/AVP 99", "a=rtpmap:99 H264/90000"];
    const { sdp: text } = answered({ lines });
    expect(text).toContain("m=video 0 RTP/AVP 99\r\n");
  });

  test.each([
    ["no_common_codec", sdp({ audio: "m=audio 30000 RTP/AVP 18 3" })],
    ["no_audio", sdp({ audio: "m=audio 0 RTP/AVP 0" })],
    ["no_audio", sdp({ audio: "m=audio 30000 RTP/SAVP 0" })],
    ["no_audio", sdp({ audio: "m=video 30000 RTP/AVP 99" })],
    ["malformed", "hello"],
    ["malformed", "v=0\r\nm=audio 30000 RTP/AVP 0\r\n"],
  ] as const)("refuses with %s", (reason, offer) => {
    expect(answerOffer(offer, MEDIA, G711)).toEqual({ ok: false, reason });
  });
});

describe("acceptAnswer", () => {
  test("sends with the answerer's payload types and receives with ours", () => {
    const accepted = acceptAnswer(
      sdp({
        audio: "m=audio 30000 RTP/AVP 97 100",
        lines: ["a=rtpmap:97 PCMA/8000", "a=rtpmap:100 telephone-event/8000"],
      }),
      G711,
    );
    if (!accepted.ok) throw new Error(accepted.reason);
    expect(accepted.plan.codec).toEqual({
      name: "PCMA",
      sendPayloadType: 97,
      receivePayloadType: 8,
    });
    expect(accepted.plan.telephoneEvent).toEqual({ send: 100, receive: 101 });
  });

  test.each([
    ["sendrecv", "sendrecv"],
    ["sendonly", "recvonly"],
    ["recvonly", "sendonly"],
    ["inactive", "inactive"],
  ] as const)("an answer of %s sets our direction to %s", (answered, ours) => {
    const accepted = acceptAnswer(sdp({ lines: [`a=${answered}`] }), G711);
    expect(accepted.ok && accepted.plan.direction).toBe(ours);
  });
});
