import { expect, test } from "bun:test";
import {
  looksLikeRtcp,
  RtpPacketView,
  sequenceDelta,
  timestampDelta,
} from "../../../src/media/rtp/packet.ts";
import { buildRtpPacket } from "../../support/media/rtp-packet.ts";

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));

test("a packet with CSRC, extension, padding and marker is read field by field", () => {
  const view = new RtpPacketView();
  const bytes = hex(
    "b288 fffe 000000a0 deadbeef 00000001 00000002 bede0001 10aa0000 0102030405 000003",
  );
  expect(view.read(bytes)).toBe(true);
  expect({ ...view }).toEqual({
    marker: true,
    payloadType: 8,
    sequenceNumber: 0xfffe,
    timestamp: 160,
    ssrc: 0xdeadbeef,
    csrcCount: 2,
    extensionBytes: 4,
    payloadOffset: 28,
    payloadBytes: 5,
  });
});

test("a built packet has the expected bytes", () => {
  const header = { marker: false, payloadType: 0, sequenceNumber: 1, timestamp: 2, ssrc: 3 };
  const packet = buildRtpPacket(header, Uint8Array.of(0xff, 0x7f));
  expect(packet).toEqual(hex("8000 0001 00000002 00000003 ff7f"));
});

for (const [reason, text] of [
  ["too short", "8000 0001 00000002 000000"],
  ["version 1", "4000 0001 00000002 00000003"],
  ["CSRC list beyond the end", "8f00 0001 00000002 00000003 00000001"],
  ["extension beyond the end", "9000 0001 00000002 00000003 bede00ff 00000000"],
  ["padding longer than the payload", "a000 0001 00000002 00000003 0009"],
  ["padding of zero", "a000 0001 00000002 00000003 0000"],
] as const) {
  test(`refused: ${reason}`, () => {
    expect(new RtpPacketView().read(hex(text))).toBe(false);
  });
}

test("RTCP on the RTP port is distinguished from RTP", () => {
  expect(looksLikeRtcp(hex("80c8 0006 00000001"))).toBe(true);
  expect(looksLikeRtcp(hex("8008 0006 00000001 00000000"))).toBe(false);
});

test("sequence numbers and timestamps wrap around", () => {
  expect(sequenceDelta(1, 0xffff)).toBe(2);
  expect(sequenceDelta(0xffff, 1)).toBe(-2);
  expect(timestampDelta(100, 0xffffff00)).toBe(356);
  expect(timestampDelta(0xffffff00, 100)).toBe(-356);
});
