/** Offer/answer beyond codecs and directions: SDES, rtcp-mux, clocks of events, several streams. */
import { describe, expect, test } from "bun:test";
import type { CodecName } from "../../src/core/codecs.ts";
import type { MediaPlan } from "../../src/core/media-plan.ts";
import { seededRandom } from "../../src/core/random.ts";
import { createSrtpPolicy, type SrtpMode } from "../../src/sip/sdes.ts";
import { acceptAnswer, answerOffer, buildOffer, type SdpSession } from "../../src/sip/sdp.ts";
import { MediaNegotiator, UNANSWERED } from "../../src/sip/session/media-negotiator.ts";

const MEDIA = { host: "127.0.0.1", port: 4000 };
const KEY = Buffer.alloc(30, 5).toString("base64");

function session(mode: SrtpMode, codecs: readonly CodecName[] = ["PCMA", "PCMU"]): SdpSession {
  return { id: 7, version: 1, codecs, srtp: createSrtpPolicy(mode, seededRandom(mode.length)) };
}

function sdp(...media: readonly string[]): string {
  const lines = ["v=0", "o=- 1 1 IN IP4 x", "s=-", "c=IN IP4 192.0.2.5", "t=0 0", ...media];
  return `${lines.join("\r\n")}\r\n`;
}

function planOf(offer: string, ours: SdpSession) {
  const answer = answerOffer(offer, MEDIA, ours);
  if (!answer.ok) throw new Error(answer.reason);
  return answer;
}

const crypto = (tag: number, suite = "AES_CM_128_HMAC_SHA1_80", rest = "", key = KEY) =>
  `a=crypto:${tag} ${suite} inline:${key}${rest}`;
const KEY_256 = Buffer.alloc(46, 3).toString("base64");
const SECURE = "m=audio 3000 RTP/SAVP 8";
const PLAIN = "m=audio 3000 RTP/AVP 8";

describe("SDES", () => {
  test("optional: an offer is RTP/AVP with both suites' keys; required: RTP/SAVP; off: no key", () => {
    const optional = buildOffer(MEDIA, session("optional"));
    expect(optional).toContain("m=audio 4000 RTP/AVP 8 0 101\r\n");
    expect(optional).toMatch(/a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:[A-Za-z0-9+/]{40}\r\n/);
    expect(optional).toMatch(/a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:[A-Za-z0-9+/]{40}\r\n/);
    expect(buildOffer(MEDIA, session("required"))).toContain("m=audio 4000 RTP/SAVP 8 0 101\r\n");
    expect(buildOffer(MEDIA, session("off"))).not.toContain("crypto");
  });

  test("both ends of an agreement have the same keys, with send and receive swapped", () => {
    for (const mode of ["optional", "required"] as const) {
      const caller = session(mode);
      const callee = { ...session(mode), srtp: createSrtpPolicy(mode, seededRandom(99)) };
      const answer = planOf(buildOffer(MEDIA, caller), callee);
      const accepted = acceptAnswer(answer.sdp, caller);
      if (!accepted.ok) throw new Error(accepted.reason);
      expect(accepted.plan.srtp?.sendKey).toBe(answer.plan.srtp?.receiveKey ?? "none");
      expect(accepted.plan.srtp?.receiveKey).toBe(answer.plan.srtp?.sendKey ?? "none");
      expect(answer.plan.srtp?.suite).toBe("AES_CM_128_HMAC_SHA1_80");
    }
  });

  test("an answer repeats the offer's profile, tag and first supported suite", () => {
    const lines = [crypto(1, "AEAD_AES_256_GCM"), crypto(5, "AES_CM_128_HMAC_SHA1_32"), crypto(6)];
    const { sdp: text, plan } = planOf(sdp(SECURE, ...lines), session("optional"));
    expect(text).toContain("m=audio 4000 RTP/SAVP 8\r\n");
    expect(text).toMatch(/a=crypto:5 AES_CM_128_HMAC_SHA1_32 inline:/);
    expect(text).not.toContain("a=crypto:6");
    expect(plan.srtp).toMatchObject({ suite: "AES_CM_128_HMAC_SHA1_32", receiveKey: KEY });
  });

  test.each([
    ["a lifetime is taken", crypto(1, undefined, "|2^31"), true],
    ["a key derivation rate of 0 is taken", `${crypto(1)} KDR=0`, true],
    ["an MKI is taken", crypto(1, undefined, "|2^20|1:4"), true],
    ["an MKI without a lifetime is taken", crypto(1, undefined, "|1:128"), true],
    ["an MKI that does not fit its length is not", crypto(1, undefined, "|256:1"), false],
    ["an MKI without octets is not", crypto(1, undefined, "|0:0"), false],
    ["an MKI of more than 128 octets is not", crypto(1, undefined, "|1:129"), false],
    ["several keys are not", crypto(1, undefined, `|1:4;inline:${KEY}|2:4`), false],
    ["unencrypted RTP is not", `${crypto(1)} UNENCRYPTED_SRTP`, false],
    ["a short key is not", "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAAA", false],
    ["AES_256_CM_HMAC_SHA1_80 is taken", crypto(1, "AES_256_CM_HMAC_SHA1_80", "", KEY_256), true],
    ["AES_256_CM_HMAC_SHA1_32 is taken", crypto(1, "AES_256_CM_HMAC_SHA1_32", "", KEY_256), true],
    ["AES_256 with a key of 128 bits is not", crypto(1, "AES_256_CM_HMAC_SHA1_80"), false],
    ["AES_128 with a key of 256 bits is not", crypto(1, undefined, "", KEY_256), false],
    ["a suite that we lack is not", crypto(1, "F8_128_HMAC_SHA1_80"), false],
  ])("%s", (_, line, taken) => {
    expect(answerOffer(sdp(SECURE, line), MEDIA, session("required")).ok).toBe(taken);
  });

  test("an offered MKI is repeated in the answer and in the plan; our offers have none", () => {
    const { sdp: text, plan } = planOf(
      sdp(SECURE, crypto(3, undefined, "|2^31|258:4")),
      session("required"),
    );
    expect(text).toMatch(/a=crypto:3 AES_CM_128_HMAC_SHA1_80 inline:[A-Za-z0-9+/]{40}\|258:4\r\n/);
    expect(plan.srtp).toMatchObject({ sendMki: "00000102", receiveMki: "00000102" });
    expect(
      planOf(sdp(SECURE, crypto(3)), session("required")).plan.srtp?.receiveMki,
    ).toBeUndefined();
    const accepted = acceptAnswer(sdp(SECURE, crypto(1, undefined, "|7:1")), session("required"));
    if (!accepted.ok) throw new Error(accepted.reason);
    expect(accepted.plan.srtp?.receiveMki).toBe("07");
    expect(accepted.plan.srtp?.sendMki).toBeUndefined();
  });

  test("required: an offer or answer without a key is refused", () => {
    const refused = { ok: false, reason: "srtp_required" } as const;
    expect(answerOffer(sdp(PLAIN), MEDIA, session("required"))).toEqual(refused);
    expect(acceptAnswer(sdp(PLAIN), session("required"))).toEqual(refused);
    const keyed = planOf(sdp(PLAIN, crypto(1)), session("required"));
    expect(keyed.plan.srtp).toBeTruthy();
  });

  test("off: keys in RTP/AVP are ignored, RTP/SAVP is refused", () => {
    const { plan, sdp: text } = planOf(sdp(PLAIN, crypto(1)), session("off"));
    expect(plan.srtp).toBeUndefined();
    expect(text).not.toContain("crypto");
    const secure = answerOffer(sdp(SECURE, crypto(1)), MEDIA, session("off"));
    expect(secure).toEqual({ ok: false, reason: "no_audio" });
  });

  test("of a protected and a plain stream the answer takes the one that the mode requires", () => {
    const both = sdp(PLAIN, "m=audio 3002 RTP/SAVP 8", crypto(1));
    const { plan, sdp: text } = planOf(both, session("optional"));
    expect(plan.remote.port).toBe(3002);
    expect(text).toMatch(/m=audio 0 RTP\/AVP 8\r\nm=audio 4000 RTP\/SAVP 8\r\n/);
    expect(planOf(both, session("off")).plan.remote.port).toBe(3000);
  });

  test("an answer is accepted only with a crypto line of our offer", () => {
    const taken = acceptAnswer(
      sdp(PLAIN, crypto(2, "AES_CM_128_HMAC_SHA1_32")),
      session("optional"),
    );
    expect(taken.ok && taken.plan.srtp?.suite).toBe("AES_CM_128_HMAC_SHA1_32");
    const swapped = acceptAnswer(sdp(PLAIN, crypto(2)), session("required"));
    expect(swapped).toEqual({ ok: false, reason: "srtp_required" });
  });
});

describe("RTCP, events and comfort noise", () => {
  test("RTCP shares the RTP port only if both sides want it", () => {
    expect(buildOffer(MEDIA, session("off"))).toContain("a=rtcp-mux\r\n");
    const muxed = planOf(sdp(PLAIN, "a=rtcp-mux"), session("off"));
    expect(muxed.plan.rtcpMux).toBe(true);
    expect(muxed.sdp).toContain("a=rtcp-mux\r\n");
    const apart = planOf(sdp(PLAIN), session("off"));
    expect(apart.plan.rtcpMux).toBeUndefined();
    expect(apart.sdp).not.toContain("rtcp-mux");
  });

  test("RTCP goes to the port in a=rtcp, by default one above RTP", () => {
    expect(planOf(sdp(PLAIN, "a=rtcp:53020"), session("off")).plan.rtcpPort).toBe(53_020);
    expect(planOf(sdp(PLAIN, "a=rtcp:3001"), session("off")).plan.rtcpPort).toBeUndefined();
    expect(planOf(sdp(PLAIN, "a=rtcp:99999"), session("off")).plan.rtcpPort).toBeUndefined();
  });

  test("events use the codec's clock if offered, otherwise the available one", () => {
    const events = ["a=rtpmap:100 telephone-event/16000", "a=rtpmap:101 telephone-event/8000"];
    const g722 = planOf(sdp("m=audio 3000 RTP/AVP 9 100 101", ...events), session("off", ["G722"]));
    expect(g722.plan.telephoneEvent).toEqual({ send: 101, receive: 101 });
    const only = planOf(
      sdp("m=audio 3000 RTP/AVP 9 100", "a=rtpmap:100 telephone-event/16000"),
      session("off", ["G722"]),
    );
    expect(only.plan.telephoneEvent).toEqual({ send: 100, receive: 100, clockRateHz: 16_000 });
    expect(only.sdp).toContain("a=rtpmap:100 telephone-event/16000\r\n");
  });

  test("Opus is offered with events in its own clock, which its answer may accept", () => {
    const ours = session("off", ["opus", "PCMA"]);
    const offer = buildOffer(MEDIA, ours);
    expect(offer).toContain("m=audio 4000 RTP/AVP 111 8 101 110\r\n");
    expect(offer).toContain("a=fmtp:111 maxplaybackrate=16000");
    const answer = sdp(
      ...["m=audio 3000 RTP/AVP 96 97", "a=rtpmap:96 opus/48000/2"],
      "a=rtpmap:97 telephone-event/48000",
    );
    const accepted = acceptAnswer(answer, ours);
    if (!accepted.ok) throw new Error(accepted.reason);
    expect(accepted.plan.codec).toEqual({
      name: "opus",
      sendPayloadType: 96,
      receivePayloadType: 111,
    });
    expect(accepted.plan.telephoneEvent).toEqual({ send: 97, receive: 110, clockRateHz: 48_000 });
  });

  test("comfort noise is agreed on only if it was offered", () => {
    const offer = sdp("m=audio 3000 RTP/AVP 8 13");
    expect(planOf(offer, session("off")).plan.comfortNoise).toBeUndefined();
    const agreed = planOf(offer, { ...session("off"), comfortNoise: true });
    expect(agreed.plan.comfortNoise).toBe(13);
    expect(agreed.sdp).toContain("m=audio 4000 RTP/AVP 8 13\r\n");
  });

  test("G722/16000, a common mistake, is G.722", () => {
    const offer = sdp("m=audio 3000 RTP/AVP 96", "a=rtpmap:96 G722/16000");
    expect(planOf(offer, session("off", ["G722"])).plan.codec.name).toBe("G722");
  });

  test("an answer with several codecs lists those to which the remote party may change", () => {
    const accepted = acceptAnswer(sdp("m=audio 3000 RTP/AVP 8 0"), session("off"));
    expect(accepted.ok && accepted.plan.otherCodecs).toEqual([{ name: "PCMU", payloadType: 0 }]);
  });
});

describe("further descriptions of a session", () => {
  const offer = sdp("m=video 5000 RTP/AVP 99", PLAIN, "m=text 5002 RTP/AVP 98");

  test("our later offers keep the order of all media lines", async () => {
    const negotiator = new MediaNegotiator(3, ["PCMA"], () => {});
    negotiator.setMedia(MEDIA);
    await negotiator.setDescription(offer);
    await negotiator.getDescription();
    const { body } = await negotiator.getDescription();
    const media = body.split("\r\n").filter((line) => line.startsWith("m="));
    expect(media).toEqual([
      "m=video 0 RTP/AVP 99",
      "m=audio 4000 RTP/AVP 8 101",
      "m=text 0 RTP/AVP 98",
    ]);
    expect(body).toContain("o=- 3 2 IN IP4 127.0.0.1\r\n");
  });

  test("our keys stay the same over all descriptions of a leg while the remote key does", async () => {
    const srtp = createSrtpPolicy("optional", seededRandom(4));
    const plans: (string | undefined)[] = [];
    const negotiator = new MediaNegotiator(3, ["PCMA"], (plan) => plans.push(plan.srtp?.sendKey), {
      srtp,
    });
    negotiator.setMedia(MEDIA);
    for (const hold of ["a=sendonly", "a=inactive", "a=sendrecv"]) {
      await negotiator.setDescription(sdp(PLAIN, crypto(1), hold));
      await negotiator.getDescription();
    }
    expect(plans).toHaveLength(3);
    expect(new Set(plans).size).toBe(1);
  });

  describe("a remote party whose packet counters may restart gets new keys from us", () => {
    const OTHER = Buffer.alloc(30, 6).toString("base64");
    function negotiating() {
      const srtp = createSrtpPolicy("optional", seededRandom(4));
      const keys: (string | undefined)[] = [];
      const onPlan = (plan: MediaPlan) => keys.push(plan.srtp?.sendKey);
      const negotiator = new MediaNegotiator(3, ["PCMA"], onPlan, { srtp });
      negotiator.setMedia(MEDIA);
      const offered = async (key: string) => {
        await negotiator.setDescription(sdp(PLAIN, crypto(1, undefined, "", key)));
        const { body } = await negotiator.getDescription();
        expect(body).toContain(`inline:${keys.at(-1)}`);
      };
      return { negotiator, keys, offered };
    }

    test("if it offers a new key", async () => {
      const { keys, offered } = negotiating();
      for (const key of [KEY, OTHER, OTHER, KEY]) await offered(key);
      expect(keys[1]).not.toBe(keys[0]);
      expect(keys[2]).toBe(keys[1]);
      expect(new Set(keys).size).toBe(3);
    });

    test("if it asks for an offer; they apply after its answer", async () => {
      const { negotiator, keys, offered } = negotiating();
      await offered(KEY);
      negotiator.offerAnew();
      await negotiator.getDescription();
      await negotiator.setDescription(UNANSWERED);
      await offered(KEY);
      expect(keys[1]).toBe(keys[0]);
      negotiator.offerAnew();
      const offer = (await negotiator.getDescription()).body;
      await negotiator.setDescription(sdp(PLAIN, crypto(1, undefined, "", OTHER)));
      expect(keys[2]).not.toBe(keys[0]);
      expect(offer).toContain(`inline:${keys[2]}`);
      const later = (await negotiator.getDescription()).body;
      expect(later).toContain(`inline:${keys[2]}`);
    });
  });

  test("hold in each of its forms, and resume", async () => {
    const directions: string[] = [];
    const negotiator = new MediaNegotiator(3, ["PCMA"], (plan) => directions.push(plan.direction));
    negotiator.setMedia(MEDIA);
    const old = (line: string) => sdp(line).replace("192.0.2.5", "0.0.0.0");
    const forms = [
      ...[sdp(PLAIN), sdp(PLAIN, "a=sendonly"), sdp(PLAIN, "a=sendrecv")],
      ...[sdp(PLAIN, "a=inactive"), sdp(PLAIN), old(PLAIN), sdp(PLAIN)],
      ...[sdp(PLAIN, "a=recvonly"), sdp(PLAIN)],
    ];
    for (const form of forms) {
      await negotiator.setDescription(form);
      await negotiator.getDescription();
    }
    expect(directions).toEqual([
      ...["sendrecv", "recvonly", "sendrecv", "inactive", "sendrecv", "inactive", "sendrecv"],
      ...["sendonly", "sendrecv"],
    ]);
  });
});
