/**
 * Exports a call as a capture file (classic pcap, raw IPv4) for SIP and RTP tools.
 *
 * SIP messages are rebuilt from the stored parts: start line, CSeq and selected details. Their addresses are
 * examples (RFC 5737), with 192.0.2.1 for the appliance. Bodies, numbers and names are never stored. RTP and
 * RTCP packets are included if their headers were stored. They have real addresses and are truncated after
 * the header, like with `tcpdump -s`. Wildcard sockets and IPv6 use example addresses.
 */
import { isIPv4 } from "node:net";
import type { SipTraceEntry } from "../../call/diagnostics.ts";
import { type PacketHeaders, packetsOf } from "../../core/packet-headers.ts";
import type { HostPort } from "../../platform/config/formats.ts";

const MAGIC = 0xa1b2c3d4;
const SNAPLEN = 65_535;
/** LINKTYPE_RAW: the packet begins with the IP header. */
const LINKTYPE = 101;
const FILE_HEADER = 24;
const RECORD_HEADER = 16;
const IP_HEADER = 20;
const UDP_HEADER = 8;
const UDP = 17;
const SIP_PORT = 5060;
const OURS = "192.0.2.1";
const THEIRS = "192.0.2.2";

const LINE = /^(.*) \((\d+ [A-Z]+)\)$/;

interface Packet {
  /** Epoch milliseconds with a fraction. */
  readonly atMs: number;
  readonly direction: "in" | "out";
  readonly ours: HostPort;
  readonly theirs: HostPort;
  readonly payload: Uint8Array;
  /** Bytes of the whole payload, even if it is truncated. */
  readonly payloadBytes: number;
}

export function pcapOf(
  callUuid: string,
  entries: readonly SipTraceEntry[],
  headers: PacketHeaders | null,
): Uint8Array<ArrayBuffer> {
  const packets = [
    ...entries.map((entry) => signallingPacket(callUuid, entry)),
    ...(headers ? mediaPackets(headers) : []),
  ].toSorted((one, other) => one.atMs - other.atMs);
  const size = packets.reduce(
    (sum, { payload }) => sum + RECORD_HEADER + IP_HEADER + UDP_HEADER + payload.length,
    FILE_HEADER,
  );
  const file = new Uint8Array(size);
  const view = new DataView(file.buffer);
  view.setUint32(0, MAGIC);
  view.setUint16(4, 2);
  view.setUint16(6, 4);
  view.setUint32(16, SNAPLEN);
  view.setUint32(20, LINKTYPE);
  let at = FILE_HEADER;
  for (const packet of packets) at += writePacket(view, at, packet);
  return file;
}

/** Returns the size of the record. */
function writePacket(view: DataView<ArrayBuffer>, at: number, packet: Packet): number {
  const { payload, payloadBytes } = packet;
  const [from, to] =
    packet.direction === "out" ? [packet.ours, packet.theirs] : [packet.theirs, packet.ours];
  const headerBytes = IP_HEADER + UDP_HEADER;
  const atUs = Math.round(packet.atMs * 1000);
  view.setUint32(at, Math.floor(atUs / 1_000_000));
  view.setUint32(at + 4, atUs % 1_000_000);
  view.setUint32(at + 8, headerBytes + payload.length);
  view.setUint32(at + 12, headerBytes + payloadBytes);
  const ip = new DataView(view.buffer, at + RECORD_HEADER);
  ip.setUint8(0, 0x45);
  ip.setUint16(2, headerBytes + payloadBytes);
  ip.setUint8(8, 64);
  ip.setUint8(9, UDP);
  const bytes = new Uint8Array(ip.buffer, ip.byteOffset);
  bytes.set(from.host.split(".").map(Number), 12);
  bytes.set(to.host.split(".").map(Number), 16);
  ip.setUint16(10, checksumOf(ip, IP_HEADER));
  ip.setUint16(IP_HEADER, from.port);
  ip.setUint16(IP_HEADER + 2, to.port);
  ip.setUint16(IP_HEADER + 4, UDP_HEADER + payloadBytes);
  // A UDP checksum of 0 means no checksum (RFC 768).
  bytes.set(payload, headerBytes);
  return RECORD_HEADER + headerBytes + payload.length;
}

function signallingPacket(callUuid: string, entry: SipTraceEntry): Packet {
  const payload = new TextEncoder().encode(messageOf(callUuid, entry));
  return {
    atMs: entry.atMs,
    direction: entry.direction,
    payload,
    payloadBytes: payload.length,
    ours: { host: OURS, port: SIP_PORT },
    theirs: { host: THEIRS, port: SIP_PORT },
  };
}

function mediaPackets(headers: PacketHeaders): Packet[] {
  const ours = shownHost(headers.localHost, OURS);
  return packetsOf(headers).map(({ atMs, direction, path, length, header }) => ({
    atMs,
    direction,
    payload: header,
    payloadBytes: length,
    ours: { host: ours, port: path.localPort },
    theirs: { host: shownHost(path.host, THEIRS), port: path.port },
  }));
}

function shownHost(host: string, example: string): string {
  const mapped = host.slice(host.lastIndexOf(":") + 1);
  return isIPv4(mapped) && mapped !== "0.0.0.0" ? mapped : example;
}

/** RFC 1071. */
function checksumOf(view: DataView, length: number): number {
  let sum = 0;
  for (let at = 0; at < length; at += 2) sum += view.getUint16(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

function messageOf(callUuid: string, { line, detail }: SipTraceEntry): string {
  const [, start = line, cseq = "0 UNKNOWN"] = LINE.exec(line) ?? [];
  const first = /^\d{3} /.test(`${start} `)
    ? `SIP/2.0 ${start}`
    : `${start} sip:called@${THEIRS} SIP/2.0`;
  return [
    first,
    `Via: SIP/2.0/UDP ${OURS}:${SIP_PORT};branch=z9hG4bK-${cseq.replace(" ", "-")}`,
    `From: <sip:caller@${OURS}>;tag=1`,
    `To: <sip:called@${THEIRS}>`,
    `Call-ID: ${callUuid}`,
    `CSeq: ${cseq}`,
    ...(detail === null ? [] : [`X-Kept-Details: ${detail}`]),
    "Content-Length: 0",
    "",
    "",
  ].join("\r\n");
}
