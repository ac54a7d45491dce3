/**
 * Outbound SRTP and SRTCP (RFC 3711 3.1, 3.4), with one SDES key for the life of a call: the
 * rollover counter and the SRTCP index continue over holds and changes of codec.
 */
import type { SrtpSuite } from "../../../core/media-plan.ts";
import { RTP_HEADER_BYTES, readUint16, readUint32, writeUint32 } from "../rtp/packet.ts";
import { deriveKeys, RTCP_TAG_BYTES, rtpTagBytes } from "./keys.ts";
import { SrtpTransform } from "./transform.ts";

const RTCP_HEADER_BYTES = 8;
const RTCP_INDEX_BYTES = 4;
const ENCRYPTED = 0x80000000;
/** A larger step back is a wrap of the sequence number. */
const WRAP = 0x8000;

export class SrtpOutbound {
  readonly suite: SrtpSuite;
  readonly key: string;
  readonly #rtp: SrtpTransform;
  readonly #rtcp: SrtpTransform;
  readonly #tagBytes: number;
  #rollover = 0;
  #lastSequence: number | null = null;
  #rtcpIndex = 0;

  constructor(suite: SrtpSuite, key: string) {
    this.suite = suite;
    this.key = key;
    this.#rtp = new SrtpTransform(deriveKeys(key, "rtp"));
    this.#rtcp = new SrtpTransform(deriveKeys(key, "rtcp"));
    this.#tagBytes = rtpTagBytes(suite);
  }

  /**
   * Encrypts one of our packets in place: a plain 12-octet header, payload up to `size`, then room
   * for the tag. Returns the size with the tag.
   */
  protectRtp(packet: Uint8Array, size: number): number {
    const sequence = readUint16(packet, 2);
    if (this.#lastSequence !== null && this.#lastSequence - sequence > WRAP) this.#rollover++;
    this.#lastSequence = sequence;
    const index = this.#rollover * 2 ** 16 + sequence;
    this.#rtp.crypt(packet, RTP_HEADER_BYTES, size, readUint32(packet, 8), index);
    const tag = this.#rtp.tag(packet, size, this.#rollover);
    for (let byte = 0; byte < this.#tagBytes; byte++) packet[size + byte] = tag[byte] ?? 0;
    return size + this.#tagBytes;
  }

  /** Returns an encrypted copy of a compound packet. */
  protectRtcp(packet: Uint8Array): Uint8Array {
    const size = packet.length;
    const index = this.#rtcpIndex++;
    const protectedPacket = new Uint8Array(size + RTCP_INDEX_BYTES + RTCP_TAG_BYTES);
    protectedPacket.set(packet);
    this.#rtcp.crypt(protectedPacket, RTCP_HEADER_BYTES, size, readUint32(packet, 4), index);
    writeUint32(protectedPacket, size, (ENCRYPTED | index) >>> 0);
    const tag = this.#rtcp.tag(protectedPacket, size + RTCP_INDEX_BYTES, null);
    protectedPacket.set(tag.subarray(0, RTCP_TAG_BYTES), size + RTCP_INDEX_BYTES);
    return protectedPacket;
  }
}
