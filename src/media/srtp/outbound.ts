/**
 * Outbound SRTP and SRTCP (RFC 3711 3.1, 3.4), with one SDES key for the life of a call. The
 * rollover counter and the SRTCP index continue over holds and changes of codec.
 */
import type { SrtpSuite } from "../../core/media-plan.ts";
import { RTP_HEADER_BYTES, readUint16, readUint32, writeUint32 } from "../rtp/packet.ts";
import { deriveKeys, mkiBytes, RTCP_TAG_BYTES, rtpTagBytes } from "./keys.ts";
import { SrtpTransform } from "./transform.ts";

const RTCP_HEADER_BYTES = 8;
const RTCP_INDEX_BYTES = 4;
const ENCRYPTED = 0x80000000;
/** A larger step back is a wrap of the sequence number. */
const WRAP = 0x8000;

export class SrtpOutbound {
  readonly suite: SrtpSuite;
  readonly key: string;
  /** Precedes the tag, which does not cover it. May change without a new state of the key. */
  mki: Uint8Array = mkiBytes(undefined);
  readonly #rtp: SrtpTransform;
  readonly #rtcp: SrtpTransform;
  readonly #tagBytes: number;
  #rollover = 0;
  #lastSequence: number | null = null;
  #rtcpIndex = 0;

  constructor(suite: SrtpSuite, key: string) {
    this.suite = suite;
    this.key = key;
    this.#rtp = new SrtpTransform(deriveKeys(suite, key, "rtp"));
    this.#rtcp = new SrtpTransform(deriveKeys(suite, key, "rtcp"));
    this.#tagBytes = rtpTagBytes(suite);
  }

  /**
   * Encrypts one of our packets in place: a plain 12-octet header, payload up to `size`, then room
   * for MKI and tag (`RTP_TRAILER_BYTES_MAX`). Returns the size with them.
   */
  protectRtp(packet: Uint8Array, size: number): number {
    const sequence = readUint16(packet, 2);
    if (this.#lastSequence !== null && this.#lastSequence - sequence > WRAP) this.#rollover++;
    this.#lastSequence = sequence;
    const index = this.#rollover * 2 ** 16 + sequence;
    this.#rtp.crypt(packet, RTP_HEADER_BYTES, size, readUint32(packet, 8), index);
    const tag = this.#rtp.tag(packet, size, this.#rollover);
    packet.set(this.mki, size);
    const tagAt = size + this.mki.length;
    for (let byte = 0; byte < this.#tagBytes; byte++) packet[tagAt + byte] = tag[byte] ?? 0;
    return tagAt + this.#tagBytes;
  }

  /** Returns an encrypted copy of a compound packet. */
  protectRtcp(packet: Uint8Array): Uint8Array {
    const size = packet.length;
    const index = this.#rtcpIndex++;
    const mkiAt = size + RTCP_INDEX_BYTES;
    const tagAt = mkiAt + this.mki.length;
    const protectedPacket = new Uint8Array(tagAt + RTCP_TAG_BYTES);
    protectedPacket.set(packet);
    this.#rtcp.crypt(protectedPacket, RTCP_HEADER_BYTES, size, readUint32(packet, 4), index);
    writeUint32(protectedPacket, size, (ENCRYPTED | index) >>> 0);
    const tag = this.#rtcp.tag(protectedPacket, mkiAt, null);
    protectedPacket.set(this.mki, mkiAt);
    protectedPacket.set(tag.subarray(0, RTCP_TAG_BYTES), tagAt);
    return protectedPacket;
  }
}
