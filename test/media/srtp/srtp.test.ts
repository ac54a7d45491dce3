import { describe, expect, test } from "bun:test";
import { SRTP_KEY_BYTES, type SrtpSuite } from "../../../src/core/media-plan.ts";
import { buildRtcp } from "../../../src/media/rtp/rtcp.ts";
import { SrtpInbound } from "../../../src/media/srtp/inbound.ts";
import { derive } from "../../../src/media/srtp/keys.ts";
import { SrtpOutbound } from "../../../src/media/srtp/outbound.ts";
import { SrtpSession } from "../../../src/media/srtp/session.ts";
import { SrtpTransform } from "../../../src/media/srtp/transform.ts";
import { buildRtpPacket } from "../../support/media/rtp-packet.ts";

const hex = (text: string) => new Uint8Array(Buffer.from(text.replace(/\s/g, ""), "hex"));
const hexOf = (bytes: Uint8Array | null) => (bytes ? toHex(bytes) : null);
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex").toUpperCase();

describe("the test vectors of RFC 3711 appendix B", () => {
  test("B.2: the key stream of AES in counter mode", () => {
    const transform = new SrtpTransform({
      cipherKey: hex("2B7E151628AED2A6ABF7158809CF4F3C"),
      authenticationKey: new Uint8Array(20),
      salt: hex("F0F1F2F3F4F5F6F7F8F9FAFBFCFD"),
    });
    const stream = new Uint8Array(48);
    transform.crypt(stream, 0, 48, 0, 0);
    expect(toHex(stream)).toBe(
      "E03EAD0935C95E80E166B16DD92B4EB4D23513162B02D0F72A43A2FE4A5F97AB41E95B3BB0A2E8DD477901E4FCA894C0",
    );
  });

  test("B.3: session keys from the master key", () => {
    const key = hex("E1F97A0D3E018BE0D64FA32C06DE4139");
    const salt = hex("0EC675AD498AFEEBB6960B3AABE6");
    expect(toHex(derive(key, salt, 0, 16))).toBe("C61E7A93744F39EE10734AFE3FF7A087");
    expect(toHex(derive(key, salt, 2, 14))).toBe("30CBBC08863D8C85D49DB34A9AE1");
    expect(toHex(derive(key, salt, 1, 94))).toBe(
      "CEBE321F6FF7716B6FD4AB49AF256A156D38BAA48F0A0ACF3C34E2359E6CDBCEE049646C43D9327AD175578EF7227098" +
        "6371C10C9A369AC2F94A8C5FBCDDDC256D6E919A48B610EF17C2041E474035766B68642C59BBFC2F34DB60DBDFB2",
    );
  });
});

test("RFC 6188 7.2: session keys from a master key of 256 bits", () => {
  const key = hex("f0f04914b513f2763a1b1fa130f10e2998f6f6e43e4309d1e622a0e332b9f1b6");
  const salt = hex("3b04803de51ee7c96423ab5b78d2");
  expect(toHex(derive(key, salt, 0, 32))).toBe(
    "5BA1064E30EC51613CAD926C5A28EF731EC7FB397F70A960653CAF06554CD8C4",
  );
  expect(toHex(derive(key, salt, 2, 14))).toBe("FA31791685CA444A9E07C6C64E93");
  expect(toHex(derive(key, salt, 1, 20))).toBe("FD9C32D39ED5FBB5A9DC96B30818454D1313DC05");
});

/** The packet and the key of libsrtp's own self-test (test/srtp_driver.c, srtp_validate). */
test("a packet is protected octet for octet as libsrtp protects it", () => {
  const key = Buffer.from(hex("E1F97A0D3E018BE0D64FA32C06DE41390EC675AD498AFEEBB6960B3AABE6"));
  const plain = hex("800F1234DECAFBADCAFEBABEABABABABABABABABABABABABABABABAB");
  const datagram = new Uint8Array(64);
  datagram.set(plain);
  const outbound = new SrtpOutbound("AES_CM_128_HMAC_SHA1_80", key.toString("base64"));
  const size = outbound.protectRtp(datagram, plain.length);
  expect(toHex(datagram.subarray(0, size))).toBe(
    "800F1234DECAFBADCAFEBABE4E55DC4CE79978D88CA4D215949D2402B78D6ACC99EA179B8DBB",
  );
});

const KEY = Buffer.from(Array.from({ length: 30 }, (_, index) => index + 1)).toString("base64");
const OTHER_KEY = Buffer.alloc(30, 9).toString("base64");
const SUITES = Object.keys(SRTP_KEY_BYTES) as SrtpSuite[];

function plainPacket(sequenceNumber: number, ssrc = 7): Uint8Array {
  const header = { marker: false, payloadType: 8, sequenceNumber, timestamp: 160, ssrc };
  return buildRtpPacket(header, new Uint8Array(160).fill(sequenceNumber & 0xff));
}

function protect(outbound: SrtpOutbound, plain: Uint8Array): Uint8Array {
  const datagram = new Uint8Array(plain.length + 16);
  datagram.set(plain);
  return datagram.slice(0, outbound.protectRtp(datagram, plain.length));
}

for (const suite of SUITES) {
  describe(suite, () => {
    const bytes = SRTP_KEY_BYTES[suite];
    const KEY = Buffer.from(Array.from({ length: bytes }, (_, at) => at + 1)).toString("base64");
    const OTHER_KEY = Buffer.alloc(bytes, 9).toString("base64");
    test("a protected packet is unreadable on the way and read back at the end", () => {
      const outbound = new SrtpOutbound(suite, KEY);
      const inbound = new SrtpInbound(suite, KEY);
      const plain = plainPacket(5);
      const sent = protect(outbound, plain);
      expect(sent.length - plain.length).toBe(suite.endsWith("80") ? 10 : 4);
      expect(toHex(sent.slice(0, 12))).toBe(toHex(plain.slice(0, 12)));
      expect(toHex(sent.slice(12, 172))).not.toBe(toHex(plain.slice(12)));
      expect(hexOf(inbound.unprotectRtp(sent))).toBe(toHex(plain));
    });

    test("a changed octet, another key or a cut packet is rejected", () => {
      const sent = protect(new SrtpOutbound(suite, KEY), plainPacket(5));
      for (let at = 0; at < sent.length; at++) {
        const changed = sent.slice();
        changed[at] = (changed[at] ?? 0) ^ 1;
        expect(new SrtpInbound(suite, KEY).unprotectRtp(changed)).toBeNull();
      }
      expect(new SrtpInbound(suite, OTHER_KEY).unprotectRtp(sent.slice())).toBeNull();
      for (let size = 0; size < sent.length; size++) {
        expect(new SrtpInbound(suite, KEY).unprotectRtp(sent.slice(0, size))).toBeNull();
      }
    });

    test("a packet is accepted once; reordered ones are, those out of the window are not", () => {
      const outbound = new SrtpOutbound(suite, KEY);
      const inbound = new SrtpInbound(suite, KEY);
      const sent = Array.from({ length: 700 }, (_, index) => protect(outbound, plainPacket(index)));
      const arrives = (index: number) =>
        inbound.unprotectRtp((sent[index] ?? plainPacket(0)).slice());
      expect(arrives(100)).not.toBeNull();
      expect(arrives(100)).toBeNull();
      expect(arrives(99)).not.toBeNull();
      expect(arrives(99)).toBeNull();
      expect(arrives(699)).not.toBeNull();
      expect(arrives(150)).toBeNull();
      expect(arrives(250)).not.toBeNull();
    });

    test("the sequence number wraps three times, with loss and reordering, and all packets are read", () => {
      const outbound = new SrtpOutbound(suite, KEY);
      const inbound = new SrtpInbound(suite, KEY);
      let failed = 0;
      let held: Uint8Array | null = null;
      for (let index = 0; index < 3 * 65_536; index += 50) {
        const sent = protect(outbound, plainPacket((65_500 + index) & 0xffff));
        if (index % 350 === 0) continue;
        if (index % 500 === 0) {
          held = sent;
          continue;
        }
        if (!inbound.unprotectRtp(sent)) failed++;
        if (held && !inbound.unprotectRtp(held)) failed++;
        held = null;
      }
      expect(failed).toBe(0);
    });
  });
}

test("each SSRC has its own counters, and a fifth replaces the first", () => {
  const outbound = new SrtpOutbound("AES_CM_128_HMAC_SHA1_80", KEY);
  const inbound = new SrtpInbound("AES_CM_128_HMAC_SHA1_80", KEY);
  const first = protect(outbound, plainPacket(9, 1));
  expect(inbound.unprotectRtp(first.slice())).not.toBeNull();
  expect(inbound.unprotectRtp(first.slice())).toBeNull();
  for (let ssrc = 2; ssrc <= 4; ssrc++) {
    expect(inbound.unprotectRtp(protect(outbound, plainPacket(9, ssrc)))).not.toBeNull();
  }
  const fifth = protect(outbound, plainPacket(9, 5));
  expect(inbound.unprotectRtp(fifth)).not.toBeNull();
  expect(inbound.unprotectRtp(first.slice())).not.toBeNull();
});

test("RTCP is encrypted except for its header, authenticated, and accepted once", () => {
  const outbound = new SrtpOutbound("AES_CM_128_HMAC_SHA1_32", KEY);
  const inbound = new SrtpInbound("AES_CM_128_HMAC_SHA1_32", KEY);
  const plain = buildRtcp({ ssrc: 5, sender: null, block: null }, "name@host", true);
  const sent = outbound.protectRtcp(plain);
  expect(sent.length).toBe(plain.length + 14);
  expect(toHex(sent.slice(0, 8))).toBe(toHex(plain.slice(0, 8)));
  expect(Buffer.from(sent).includes("name@host")).toBe(false);
  const changed = sent.slice();
  changed[10] = (changed[10] ?? 0) ^ 1;
  expect(inbound.unprotectRtcp(changed)).toBeNull();
  expect(hexOf(inbound.unprotectRtcp(sent.slice()))).toBe(toHex(plain));
  expect(inbound.unprotectRtcp(sent.slice())).toBeNull();
  expect(hexOf(inbound.unprotectRtcp(outbound.protectRtcp(plain)))).toBe(toHex(plain));
});

test("a re-INVITE with the same keys continues; a new remote key does not change ours", () => {
  const suite = "AES_CM_128_HMAC_SHA1_80";
  const ours = new SrtpSession();
  ours.use({ suite, sendKey: KEY, receiveKey: OTHER_KEY });
  const theirs = new SrtpInbound(suite, KEY);
  const send = (sequence: number) => {
    const datagram = new Uint8Array(200);
    const plain = plainPacket(sequence);
    datagram.set(plain);
    return theirs.unprotectRtp(datagram.slice(0, ours.protectRtp(datagram, plain.length)));
  };
  expect(send(65_535)).not.toBeNull();
  expect(send(0)).not.toBeNull();
  ours.use({ suite, sendKey: KEY, receiveKey: OTHER_KEY });
  expect(send(1)).not.toBeNull();
  ours.use({ suite, sendKey: KEY, receiveKey: KEY });
  expect(send(2)).not.toBeNull();
});

test("plain RTP in between does not restart a key: no index is used twice", () => {
  const suite = "AES_CM_128_HMAC_SHA1_80";
  const ours = new SrtpSession();
  const keys = { suite, sendKey: KEY, receiveKey: OTHER_KEY } as const;
  const report = buildRtcp({ ssrc: 5, sender: null, block: null }, "name");
  ours.use(keys);
  const first = toHex(ours.protectRtcp(report));
  ours.use(null);
  expect(toHex(ours.protectRtcp(report))).toBe(toHex(report));
  ours.use(keys);
  expect(toHex(ours.protectRtcp(report))).not.toBe(first);
});

describe("with an MKI (RFC 3711 3.1)", () => {
  const suite = "AES_CM_128_HMAC_SHA1_80";
  const mki = "E1F97A0D";

  test("the MKI precedes the tag, which does not cover it, in RTP and RTCP", () => {
    const plain = plainPacket(5);
    const report = buildRtcp({ ssrc: 5, sender: null, block: null }, "name");
    const bare = new SrtpSession();
    bare.use({ suite, sendKey: KEY, receiveKey: KEY });
    const marked = new SrtpSession();
    marked.use({ suite, sendKey: KEY, receiveKey: KEY, sendMki: mki, receiveMki: mki });
    const rtpOf = (session: SrtpSession) => {
      const datagram = new Uint8Array(plain.length + 138);
      datagram.set(plain);
      return datagram.slice(0, session.protectRtp(datagram, plain.length));
    };
    const withMki = (sent: Uint8Array) =>
      `${toHex(sent.slice(0, -10))}${mki}${toHex(sent.slice(-10))}`;
    const [rtp, rtcp] = [rtpOf(marked), marked.protectRtcp(report)];
    expect(toHex(rtp)).toBe(withMki(rtpOf(bare)));
    expect(toHex(rtcp)).toBe(withMki(bare.protectRtcp(report)));
    for (let size = 0; size < rtp.length; size++)
      expect(marked.unprotectRtp(rtp.slice(0, size))).toBeNull();
    const otherMki = rtp.slice();
    otherMki[rtp.length - 11] = 0;
    expect(marked.unprotectRtp(otherMki)).toBeNull();
    expect(hexOf(marked.unprotectRtp(rtp))).toBe(toHex(plain));
    const otherRtcpMki = rtcp.slice();
    otherRtcpMki[rtcp.length - 11] = 0;
    expect(marked.unprotectRtcp(otherRtcpMki)).toBeNull();
    expect(hexOf(marked.unprotectRtcp(rtcp))).toBe(toHex(report));
  });

  test("a key that loses or gets its MKI continues: no index is used twice", () => {
    const ours = new SrtpSession();
    const report = buildRtcp({ ssrc: 5, sender: null, block: null }, "name");
    ours.use({ suite, sendKey: KEY, receiveKey: KEY, sendMki: mki, receiveMki: mki });
    const first = toHex(ours.protectRtcp(report)).slice(0, report.length * 2);
    ours.use({ suite, sendKey: KEY, receiveKey: KEY });
    const second = ours.protectRtcp(report);
    expect(toHex(second).slice(0, report.length * 2)).not.toBe(first);
    expect(hexOf(ours.unprotectRtcp(second))).toBe(toHex(report));
  });
});
