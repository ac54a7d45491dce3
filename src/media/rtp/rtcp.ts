/**
 * RTCP as bytes (RFC 3550 6): sender and receiver reports with a CNAME, and BYE. Pure. Reading
 * accepts any compound packet, skips unknown types, and returns null for a malformed one.
 */
import { readUint16, readUint32, writeUint16, writeUint32 } from "./packet.ts";

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;
const GOODBYE = 203;
const REPORT_BLOCK_BYTES = 24;
const NTP_EPOCH_OFFSET_S = 2_208_988_800;
/** Larger than our own compound packets. */
const RTCP_BYTES_MAX = 128;

export interface ReportBlock {
  readonly ssrc: number;
  /** In 1/256. */
  readonly fractionLost: number;
  readonly packetsLost: number;
  readonly highestSequence: number;
  readonly jitterTicks: number;
  /** Middle 32 bits of the NTP time of the last SR, and the time since it in 1/65536 s. */
  readonly lastSenderReport: number;
  readonly delaySinceLastSenderReport: number;
}

export interface RtcpReport {
  readonly ssrc: number;
  /** Null in an RR: the sender has sent no RTP recently. */
  readonly sender: {
    readonly nowMs: number;
    readonly rtpTimestamp: number;
    readonly packetsSent: number;
    readonly octetsSent: number;
  } | null;
  readonly block: ReportBlock | null;
}

export interface RtcpReceived {
  readonly ssrc: number;
  /** Middle 32 bits of the SR's NTP time; null without SR. */
  readonly senderReportNtp: number | null;
  readonly blocks: readonly ReportBlock[];
  readonly goodbye: boolean;
}

function ntpFraction(nowMs: number): number {
  return Math.floor(((nowMs % 1000) / 1000) * 2 ** 32) >>> 0;
}

/** The middle 32 bits of the NTP time that a sender report of that moment has. */
export const middleOfNtp = (nowMs: number): number =>
  (((Math.floor(nowMs / 1000) + NTP_EPOCH_OFFSET_S) << 16) | (ntpFraction(nowMs) >>> 16)) >>> 0;

/** A compound packet: SR or RR, SDES with CNAME, and BYE at the end of the stream. */
export function buildRtcp(report: RtcpReport, cname: string, goodbye = false): Uint8Array {
  const bytes = new Uint8Array(RTCP_BYTES_MAX);
  let offset = writeReport(bytes, report);
  offset = writeCname(bytes, offset, report.ssrc, cname);
  if (goodbye) {
    writeHeader(bytes, offset, 1, GOODBYE, 8);
    writeUint32(bytes, offset + 4, report.ssrc);
    offset += 8;
  }
  return bytes.subarray(0, offset);
}

function writeReport(bytes: Uint8Array, report: RtcpReport): number {
  const senderBytes = report.sender ? 20 : 0;
  const size = 8 + senderBytes + (report.block ? REPORT_BLOCK_BYTES : 0);
  const type = report.sender ? SENDER_REPORT : RECEIVER_REPORT;
  writeHeader(bytes, 0, report.block ? 1 : 0, type, size);
  writeUint32(bytes, 4, report.ssrc);
  if (report.sender) {
    const { nowMs, rtpTimestamp, packetsSent, octetsSent } = report.sender;
    writeUint32(bytes, 8, Math.floor(nowMs / 1000) + NTP_EPOCH_OFFSET_S);
    writeUint32(bytes, 12, ntpFraction(nowMs));
    writeUint32(bytes, 16, rtpTimestamp);
    writeUint32(bytes, 20, packetsSent);
    writeUint32(bytes, 24, octetsSent);
  }
  if (report.block) writeBlock(bytes, 8 + senderBytes, report.block);
  return size;
}

function writeHeader(into: Uint8Array, at: number, count: number, type: number, size: number) {
  into[at] = 0x80 | count;
  into[at + 1] = type;
  writeUint16(into, at + 2, size / 4 - 1);
}

function writeBlock(into: Uint8Array, at: number, block: ReportBlock): void {
  writeUint32(into, at, block.ssrc);
  writeUint32(into, at + 4, Math.min(block.packetsLost, 0x7fffff));
  into[at + 4] = block.fractionLost;
  writeUint32(into, at + 8, block.highestSequence);
  writeUint32(into, at + 12, block.jitterTicks);
  writeUint32(into, at + 16, block.lastSenderReport);
  writeUint32(into, at + 20, block.delaySinceLastSenderReport);
}

function writeCname(into: Uint8Array, at: number, ssrc: number, cname: string): number {
  const name = new TextEncoder().encode(cname.slice(0, 32));
  const size = Math.ceil((8 + 2 + name.length + 1) / 4) * 4;
  writeHeader(into, at, 1, SOURCE_DESCRIPTION, size);
  writeUint32(into, at + 4, ssrc);
  into[at + 8] = 1;
  into[at + 9] = name.length;
  into.set(name, at + 10);
  return at + size;
}

/** Null if it is not RTCP, or if a length exceeds the datagram. */
export function readRtcp(bytes: Uint8Array): RtcpReceived | null {
  let ssrc: number | null = null;
  let senderReportNtp: number | null = null;
  let goodbye = false;
  const blocks: ReportBlock[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    if (offset + 4 > bytes.length || (bytes[offset] ?? 0) >> 6 !== 2) return null;
    const count = (bytes[offset] ?? 0) & 0x1f;
    const type = bytes[offset + 1] ?? 0;
    const size = (readUint16(bytes, offset + 2) + 1) * 4;
    if (offset + size > bytes.length) return null;
    if (type === SENDER_REPORT || type === RECEIVER_REPORT) {
      const blocksAt = type === SENDER_REPORT ? 28 : 8;
      if (size < blocksAt + count * REPORT_BLOCK_BYTES) return null;
      ssrc ??= readUint32(bytes, offset + 4);
      if (type === SENDER_REPORT) senderReportNtp = readUint32(bytes, offset + 10);
      for (let index = 0; index < count; index++) {
        blocks.push(readBlock(bytes, offset + blocksAt + index * REPORT_BLOCK_BYTES));
      }
    }
    if (type === GOODBYE) goodbye = true;
    offset += size;
  }
  return ssrc === null ? null : { ssrc, senderReportNtp, blocks, goodbye };
}

function readBlock(bytes: Uint8Array, at: number): ReportBlock {
  // 24 bits, signed: duplicates can make it negative.
  const packetsLost = (readUint32(bytes, at + 4) << 8) >> 8;
  return {
    ssrc: readUint32(bytes, at),
    fractionLost: bytes[at + 4] ?? 0,
    packetsLost,
    highestSequence: readUint32(bytes, at + 8),
    jitterTicks: readUint32(bytes, at + 12),
    lastSenderReport: readUint32(bytes, at + 16),
    delaySinceLastSenderReport: readUint32(bytes, at + 20),
  };
}
