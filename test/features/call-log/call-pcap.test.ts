/** The capture file of a call's signalling: every byte as the format requires, and tcpdump reads it. */
import { expect, test } from "bun:test";
import type { SipTraceEntry } from "../../../src/call/diagnostics.ts";
import type { PacketHeaders } from "../../../src/core/packet-headers.ts";
import { pcapOf } from "../../../src/features/call-log/call-pcap.ts";

const UUID = "019aa1b2-0000-7000-8000-000000000001";
const AT = Date.UTC(2026, 10, 22, 10, 0, 0, 250);
const ENTRIES: SipTraceEntry[] = [
  { atMs: AT, direction: "in", line: "INVITE (1 INVITE)", detail: "SDP: PCMA" },
  { atMs: AT + 20, direction: "out", line: "180 Ringing (1 INVITE)", detail: null },
  { atMs: AT + 900, direction: "out", line: "200 OK (1 INVITE)", detail: "SDP: PCMA" },
  { atMs: AT + 5_000, direction: "in", line: "BYE (2 BYE)", detail: null },
];

/** Reads the file by the format's definition (draft-ietf-opsawg-pcap). */
function packetsOf(file: Uint8Array) {
  const view = new DataView(file.buffer);
  expect([view.getUint32(0), view.getUint16(4), view.getUint16(6)]).toEqual([0xa1b2c3d4, 2, 4]);
  expect(view.getUint32(20)).toBe(101);
  const packets = [];
  for (let at = 24; at < file.length; ) {
    const length = view.getUint32(at + 8);
    expect(view.getUint32(at + 12)).toBe(length);
    const ip = file.subarray(at + 16, at + 16 + length);
    expect([ip[0], ip[9], (ip[2] ?? 0) * 256 + (ip[3] ?? 0)]).toEqual([0x45, 17, length]);
    let sum = 0;
    for (let byte = 0; byte < 20; byte += 2) sum += (ip[byte] ?? 0) * 256 + (ip[byte + 1] ?? 0);
    expect((sum & 0xffff) + (sum >>> 16)).toBe(0xffff);
    const atMs = view.getUint32(at) * 1000 + view.getUint32(at + 4) / 1000;
    const text = new TextDecoder().decode(ip.subarray(28));
    packets.push({ atMs, from: ip[15], to: ip[19], text });
    at += 16 + length;
  }
  return packets;
}

test("has one packet per message, with its time, direction and stored text", () => {
  const packets = packetsOf(pcapOf(UUID, ENTRIES, null));
  expect(packets.map(({ atMs, from, to }) => [atMs - AT, from, to])).toEqual([
    ...[
      [0, 2, 1],
      [20, 1, 2],
      [900, 1, 2],
      [5_000, 2, 1],
    ],
  ]);
  expect(packets[0]?.text).toStartWith("INVITE sip:called@192.0.2.2 SIP/2.0\r\n");
  expect(packets[1]?.text).toStartWith("SIP/2.0 180 Ringing\r\n");
  for (const { text } of packets) {
    expect(text).toContain(`Call-ID: ${UUID}\r\n`);
    expect(text).toEndWith("Content-Length: 0\r\n\r\n");
  }
  expect(packets[3]?.text).toContain("CSeq: 2 BYE\r\n");
});

test("of nothing is a file without packets", () => {
  expect(packetsOf(pcapOf(UUID, [], null))).toEqual([]);
});

/** One packet each way: sequence numbers 1 and 2, 172 bytes, of which 12 are stored. */
const HEADERS: PacketHeaders = {
  startedAtMs: AT + 1_000,
  localHost: "0.0.0.0",
  paths: [{ localPort: 20_000, host: "198.51.100.7", port: 4_000 }],
  records: Uint8Array.from([
    ...[0, 0, 0, 5, 0, 172, 0, 12, 0x80, 8, 0, 1, 0, 0, 0, 160, 0, 0, 0, 9],
    ...[0, 0, 0, 205, 0, 172, 0x80, 12, 0x80, 8, 0, 2, 0, 0, 0, 160, 0, 0, 0, 9],
  ]),
};

test("RTP packets are in order of time, with their own addresses, cut off after the header", () => {
  const file = pcapOf(UUID, ENTRIES, HEADERS);
  const view = new DataView(file.buffer);
  const packets = [];
  for (let at = 24; at < file.length; at += 16 + view.getUint32(at + 8)) {
    const atMs = view.getUint32(at) * 1000 + view.getUint32(at + 4) / 1000 - AT;
    const lengths = [8, 12, 18, 40].map((offset) =>
      offset < 16 ? view.getUint32(at + offset) : view.getUint16(at + offset),
    );
    const ports = [view.getUint16(at + 36), view.getUint16(at + 38)];
    packets.push({ atMs, lengths, from: [...file.subarray(at + 28, at + 32)], ports });
  }
  expect(packets.map(({ atMs }) => atMs)).toEqual([0, 20, 900, 1_000.5, 1_020.5, 5_000]);
  const lengths = [40, 200, 200, 180];
  expect(packets[3]).toEqual({
    atMs: 1_000.5,
    lengths,
    from: [198, 51, 100, 7],
    ports: [4_000, 20_000],
  });
  expect(packets[4]).toEqual({
    atMs: 1_020.5,
    lengths,
    from: [192, 0, 2, 1],
    ports: [20_000, 4_000],
  });
});

const tcpdump = Bun.which("tcpdump");
if (!tcpdump) console.warn("SKIPPED: tcpdump is not installed; .ci/run installs it.");

test.skipIf(!tcpdump)("is read by tcpdump as SIP", () => {
  const told = Bun.spawnSync([tcpdump ?? "", "-n", "-r", "-"], {
    stdin: pcapOf(UUID, ENTRIES, null),
  });
  const lines = told.stdout.toString().trim().split("\n");
  expect(lines.map((line) => line.replace(/^.*: SIP: /, ""))).toEqual([
    ...["INVITE sip:called@192.0.2.2 SIP/2.0", "SIP/2.0 180 Ringing"],
    ...["SIP/2.0 200 OK", "BYE sip:called@192.0.2.2 SIP/2.0"],
  ]);
});
