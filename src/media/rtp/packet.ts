/**
 * RTP packets as bytes (RFC 3550 5.1, header extension 5.3.1): pure reading and writing.
 *
 * Reading never throws and never copies: `RtpPacketView` is filled in place and points into the
 * datagram, so one view serves a whole stream. For a malformed packet it returns false, and the
 * caller drops it. Sequence numbers and timestamps wrap; use `sequenceDelta` and `timestampDelta`.
 */
export const RTP_HEADER_BYTES = 12;
const VERSION = 2;

export class RtpPacketView {
  marker = false;
  payloadType = 0;
  sequenceNumber = 0;
  timestamp = 0;
  ssrc = 0;
  csrcCount = 0;
  /** Size of the header extension's data; 0 without one. */
  extensionBytes = 0;
  payloadOffset = 0;
  payloadBytes = 0;

  /** Fills the view from a datagram. Returns false for a malformed RTP packet. */
  read(datagram: Uint8Array): boolean {
    const size = datagram.length;
    if (size < RTP_HEADER_BYTES) return false;
    const first = byteAt(datagram, 0);
    if (first >> 6 !== VERSION) return false;
    this.csrcCount = first & 0x0f;
    let offset = RTP_HEADER_BYTES + this.csrcCount * 4;
    this.extensionBytes = 0;
    if ((first & 0x10) !== 0) {
      if (offset + 4 > size) return false;
      this.extensionBytes = readUint16(datagram, offset + 2) * 4;
      offset += 4 + this.extensionBytes;
    }
    if (offset > size) return false;
    let payloadBytes = size - offset;
    if ((first & 0x20) !== 0) {
      const paddingBytes = byteAt(datagram, size - 1);
      if (paddingBytes === 0 || paddingBytes > payloadBytes) return false;
      payloadBytes -= paddingBytes;
    }
    const second = byteAt(datagram, 1);
    this.marker = (second & 0x80) !== 0;
    this.payloadType = second & 0x7f;
    this.sequenceNumber = readUint16(datagram, 2);
    this.timestamp = readUint32(datagram, 4);
    this.ssrc = readUint32(datagram, 8);
    this.payloadOffset = offset;
    this.payloadBytes = payloadBytes;
    return true;
  }
}

export interface RtpHeader {
  readonly marker: boolean;
  /** 0–127. */
  readonly payloadType: number;
  /** 16 bits; higher bits are dropped. */
  readonly sequenceNumber: number;
  /** 32 bits; higher bits are dropped. */
  readonly timestamp: number;
  readonly ssrc: number;
}

/** Writes the plain 12-byte header (no CSRC, extension or padding); the payload follows at 12. */
export function writeRtpHeader(into: Uint8Array, header: RtpHeader): void {
  into[0] = VERSION << 6;
  into[1] = (header.marker ? 0x80 : 0) | (header.payloadType & 0x7f);
  writeUint16(into, 2, header.sequenceNumber);
  writeUint32(into, 4, header.timestamp);
  writeUint32(into, 8, header.ssrc);
}

/** True for RTCP on the RTP port (RFC 5761 4: packet types 192–223). */
export function looksLikeRtcp(datagram: Uint8Array): boolean {
  if (datagram.length < 8 || byteAt(datagram, 0) >> 6 !== VERSION) return false;
  const packetType = byteAt(datagram, 1);
  return packetType >= 192 && packetType <= 223;
}

/** Steps from `from` to `to` in 16-bit sequence space: −32768 … 32767. */
export function sequenceDelta(to: number, from: number): number {
  return ((to - from) << 16) >> 16;
}

/** Steps from `from` to `to` in 32-bit timestamp space: −2³¹ … 2³¹ − 1. */
export function timestampDelta(to: number, from: number): number {
  return (to - from) | 0;
}

export function readUint16(bytes: Uint8Array, offset: number): number {
  return (byteAt(bytes, offset) << 8) | byteAt(bytes, offset + 1);
}

export function readUint32(bytes: Uint8Array, offset: number): number {
  return ((readUint16(bytes, offset) << 16) | readUint16(bytes, offset + 2)) >>> 0;
}

export function writeUint16(into: Uint8Array, offset: number, value: number): void {
  into[offset] = value >>> 8;
  into[offset + 1] = value;
}

export function writeUint32(into: Uint8Array, offset: number, value: number): void {
  writeUint16(into, offset, value >>> 16);
  writeUint16(into, offset + 2, value);
}

function byteAt(bytes: Uint8Array, offset: number): number {
  return bytes[offset] ?? 0;
}
