/**
 * A call's signalling as a capture file (classic pcap, raw IPv4), for the tools of those who know SIP. It
 * is made of what is kept of each message: start line, CSeq and the noted details. Addresses are examples
 * (RFC 5737), 192.0.2.1 is the appliance; bodies, numbers and names were never kept. RTP headers are not
 * kept: a ring of them costs a copy for each packet of each call, and the figures every 5 s tell more.
 */
import type { SipTraceEntry } from "../../../domain/call/diagnostics.ts";

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
const OURS = [192, 0, 2, 1] as const;
const THEIRS = [192, 0, 2, 2] as const;

const LINE = /^(.*) \((\d+ [A-Z]+)\)$/;

export function pcapOf(
  callUuid: string,
  entries: readonly SipTraceEntry[],
): Uint8Array<ArrayBuffer> {
  const packets = entries.map((entry) => packetOf(callUuid, entry));
  const size = packets.reduce((sum, { bytes }) => sum + RECORD_HEADER + bytes.length, FILE_HEADER);
  const file = new Uint8Array(size);
  const view = new DataView(file.buffer);
  view.setUint32(0, MAGIC);
  view.setUint16(4, 2);
  view.setUint16(6, 4);
  view.setUint32(16, SNAPLEN);
  view.setUint32(20, LINKTYPE);
  let at = FILE_HEADER;
  for (const { atMs, bytes } of packets) {
    view.setUint32(at, Math.floor(atMs / 1000));
    view.setUint32(at + 4, Math.floor(atMs % 1000) * 1000);
    view.setUint32(at + 8, bytes.length);
    view.setUint32(at + 12, bytes.length);
    file.set(bytes, at + RECORD_HEADER);
    at += RECORD_HEADER + bytes.length;
  }
  return file;
}

function packetOf(callUuid: string, entry: SipTraceEntry): { atMs: number; bytes: Uint8Array } {
  const message = new TextEncoder().encode(messageOf(callUuid, entry));
  const bytes = new Uint8Array(IP_HEADER + UDP_HEADER + message.length);
  const view = new DataView(bytes.buffer);
  const [from, to] = entry.direction === "out" ? [OURS, THEIRS] : [THEIRS, OURS];
  bytes[0] = 0x45;
  view.setUint16(2, bytes.length);
  bytes[8] = 64;
  bytes[9] = UDP;
  bytes.set(from, 12);
  bytes.set(to, 16);
  view.setUint16(10, checksumOf(view, IP_HEADER));
  view.setUint16(IP_HEADER, SIP_PORT);
  view.setUint16(IP_HEADER + 2, SIP_PORT);
  view.setUint16(IP_HEADER + 4, UDP_HEADER + message.length);
  // A UDP checksum of 0 means that there is none (RFC 768).
  bytes.set(message, IP_HEADER + UDP_HEADER);
  return { atMs: entry.atMs, bytes };
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
    : `${start} sip:called@${THEIRS.join(".")} SIP/2.0`;
  const ours = OURS.join(".");
  return [
    first,
    `Via: SIP/2.0/UDP ${ours}:${SIP_PORT};branch=z9hG4bK-${cseq.replace(" ", "-")}`,
    `From: <sip:caller@${ours}>;tag=1`,
    `To: <sip:called@${THEIRS.join(".")}>`,
    `Call-ID: ${callUuid}`,
    `CSeq: ${cseq}`,
    ...(detail === null ? [] : [`X-Kept-Details: ${detail}`]),
    "Content-Length: 0",
    "",
    "",
  ].join("\r\n");
}
