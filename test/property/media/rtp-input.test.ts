import { expect, test } from "bun:test";
import fc from "fast-check";
import { RtpPacketView } from "../../../src/media/rtp/packet.ts";
import { RtpReceiver } from "../../../src/media/rtp/receiver.ts";
import { ReceptionStatistics } from "../../../src/media/rtp/reception.ts";
import { buildRtcp, readRtcp } from "../../../src/media/rtp/rtcp.ts";
import { buildRtpPacket } from "../../support/media/rtp-packet.ts";

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });

test("a built packet is read back unchanged, with any optional parts", () => {
  const header = fc.record({
    marker: fc.boolean(),
    payloadType: fc.integer({ min: 0, max: 127 }),
    sequenceNumber: fc.nat({ max: 0xffff }),
    timestamp: fc.nat({ max: 0xffffffff }),
    ssrc: fc.nat({ max: 0xffffffff }),
  });
  const optional = fc.record(
    {
      csrc: fc.array(fc.nat({ max: 0xffffffff }), { maxLength: 15 }),
      extension: fc.record({ profile: fc.nat({ max: 0xffff }), data: bytes(64) }),
      paddingBytes: fc.integer({ min: 1, max: 255 }),
    },
    { requiredKeys: [] },
  );
  const view = new RtpPacketView();
  fc.assert(
    fc.property(header, bytes(300), optional, (fields, payload, extras) => {
      const packet = buildRtpPacket(fields, payload, extras);
      expect(view.read(packet)).toBe(true);
      expect(view).toMatchObject(fields);
      const read = packet.subarray(view.payloadOffset, view.payloadOffset + view.payloadBytes);
      expect(read).toEqual(payload);
    }),
  );
});

test("no datagram makes the receiver throw, and it still fills frames", () => {
  const receiver = new RtpReceiver({ jitterMsMax: 200, onDigit: () => {} });
  receiver.configure({ codec: "PCMU", payloadType: 0, telephoneEventType: 101 });
  receiver.source.signal({ host: "192.0.2.1", port: 4000 });
  const frame = new Int16Array(160);
  let nowMs = 0;
  const rtpLike = bytes(400).map((tail) => Uint8Array.of(0x80, tail.length % 2 ? 0 : 101, ...tail));
  fc.assert(
    fc.property(fc.oneof(bytes(1500), rtpLike), (datagram) => {
      nowMs += 20;
      receiver.receive(datagram, "192.0.2.1", 4000, nowMs);
      receiver.takeFrame(frame, nowMs);
    }),
    { numRuns: 2000 },
  );
});

test("any RTCP is read or refused, and our own is read back", () => {
  fc.assert(
    fc.property(bytes(300), (datagram) => {
      readRtcp(datagram);
    }),
    { numRuns: 2000 },
  );
  const block = {
    ssrc: 9,
    fractionLost: 64,
    packetsLost: 1234,
    highestSequence: 70_000,
    jitterTicks: 17,
    lastSenderReport: 0xcafe,
    delaySinceLastSenderReport: 65_536,
  };
  const sender = { nowMs: 1_700_000_000_500, rtpTimestamp: 1, packetsSent: 2, octetsSent: 3 };
  const compound = buildRtcp({ ssrc: 5, sender, block }, "name", true);
  expect(compound.length % 4).toBe(0);
  expect(readRtcp(compound)).toMatchObject({ ssrc: 5, goodbye: true, blocks: [block] });
});

test("loss counts only packets that never came: reordering and duplicates change nothing", () => {
  const packets = fc.array(fc.record({ lost: fc.boolean(), twice: fc.boolean() }), {
    minLength: 2,
    maxLength: 400,
  });
  fc.assert(
    fc.property(packets, fc.nat({ max: 0xffff }), (sent, first) => {
      const kept = sent.map((packet, index) =>
        index === 0 || index === sent.length - 1 ? { ...packet, lost: false } : packet,
      );
      const arrivals = kept.flatMap(({ lost, twice }, index) =>
        lost ? [] : twice ? [index, index] : [index],
      );
      // Swaps neighbours, but not the ends, because the expected number is computed from them.
      for (let index = 2; index < arrivals.length - 2; index += 3) {
        const [a, b] = [arrivals[index], arrivals[index + 1]];
        if (a !== undefined && b !== undefined && index + 1 < arrivals.length - 1) {
          arrivals[index] = b;
          arrivals[index + 1] = a;
        }
      }
      const statistics = new ReceptionStatistics();
      for (const index of arrivals) {
        statistics.receive((first + index) & 0xffff, index * 160, index * 20);
      }
      const lost = kept.filter((packet) => packet.lost).length;
      expect(statistics.packetsLost).toBe(lost);
      expect(statistics.packetsReceived).toBe(kept.length - lost);
    }),
  );
});
