/**
 * Inbound SRTP and SRTCP (RFC 3711 3.3, 3.4) with one SDES key: only authentic packets that were
 * not seen before are returned. Each SSRC has its own context (rollover counter, replay window),
 * created at its first authentic packet; beyond `CONTEXTS_MAX` the oldest is removed.
 */
import { BoundedMap } from "../../core/bounded-map.ts";
import type { SrtpSuite } from "../../core/media-plan.ts";
import { RTP_HEADER_BYTES, readUint16, readUint32 } from "../rtp/packet.ts";
import { deriveKeys, mkiBytes, RTCP_TAG_BYTES, rtpTagBytes } from "./keys.ts";
import { CIPHER_BYTES_MAX, SrtpTransform } from "./transform.ts";

const CONTEXTS_MAX = 4;
const RTCP_HEADER_BYTES = 8;
const RTCP_INDEX_BYTES = 4;
const ENCRYPTED_BIT = 0x80;
const HALF_SEQUENCE = 0x8000;

interface RtpContext {
  readonly window: ReplayWindow;
  rollover: number;
  highestSequence: number;
}

export class SrtpInbound {
  readonly suite: SrtpSuite;
  readonly key: string;
  /** Precedes the tag, which does not cover it. A packet with another MKI uses an unknown key. */
  mki: Uint8Array = mkiBytes(undefined);
  readonly #rtp: SrtpTransform;
  readonly #rtcp: SrtpTransform;
  readonly #tagBytes: number;
  /** Bounded: a call has fewer SSRCs. */
  readonly #contexts = new BoundedMap<number, RtpContext>(CONTEXTS_MAX);
  readonly #rtcpWindows = new BoundedMap<number, ReplayWindow>(CONTEXTS_MAX);

  constructor(suite: SrtpSuite, key: string) {
    this.suite = suite;
    this.key = key;
    this.#rtp = new SrtpTransform(deriveKeys(suite, key, "rtp"));
    this.#rtcp = new SrtpTransform(deriveKeys(suite, key, "rtcp"));
    this.#tagBytes = rtpTagBytes(suite);
  }

  /**
   * Decrypts in place. Null if the packet is not authentic, replayed, or malformed; it is then
   * unchanged.
   */
  unprotectRtp(packet: Uint8Array): Uint8Array | null {
    const size = packet.length - this.#tagBytes - this.mki.length;
    const payloadAt = headerBytes(packet, size);
    if (payloadAt === null || size - payloadAt > CIPHER_BYTES_MAX) return null;
    if (!this.#namesKey(packet, size)) return null;
    const sequence = readUint16(packet, 2);
    const ssrc = readUint32(packet, 8);
    const known = this.#contexts.get(ssrc);
    const rollover = known
      ? this.#authenticRollover(known, packet, size, sequence)
      : this.#firstRollover(packet, size);
    if (rollover === null) return null;
    const index = rollover * 2 ** 16 + sequence;
    this.#rtp.crypt(packet, payloadAt, size, ssrc, index);
    this.#accept(known ?? this.#newContext(ssrc, sequence), rollover, sequence, index);
    return packet.subarray(0, size);
  }

  /** Like `unprotectRtp`, for RTCP. */
  unprotectRtcp(packet: Uint8Array): Uint8Array | null {
    const indexAt = packet.length - RTCP_TAG_BYTES - this.mki.length - RTCP_INDEX_BYTES;
    if (indexAt < RTCP_HEADER_BYTES || indexAt > CIPHER_BYTES_MAX) return null;
    const ssrc = readUint32(packet, 4);
    const isEncrypted = ((packet[indexAt] ?? 0) & ENCRYPTED_BIT) !== 0;
    const index = readUint32(packet, indexAt) & 0x7fffffff;
    const known = this.#rtcpWindows.get(ssrc);
    if (known && !known.isFresh(index)) return null;
    const mkiAt = indexAt + RTCP_INDEX_BYTES;
    const tagAt = mkiAt + this.mki.length;
    if (!this.#namesKey(packet, mkiAt)) return null;
    if (!this.#rtcp.isAuthentic(packet, mkiAt, null, tagAt, RTCP_TAG_BYTES)) return null;
    if (isEncrypted) this.#rtcp.crypt(packet, RTCP_HEADER_BYTES, indexAt, ssrc, index);
    const window = known ?? new ReplayWindow();
    if (!known) this.#rtcpWindows.set(ssrc, window);
    window.add(index);
    return packet.subarray(0, indexAt);
  }

  /** Null if replayed or not authentic. */
  #authenticRollover(
    context: RtpContext,
    packet: Uint8Array,
    size: number,
    sequence: number,
  ): number | null {
    const rollover = guessRollover(context, sequence);
    if (rollover < 0 || !context.window.isFresh(rollover * 2 ** 16 + sequence)) return null;
    return this.#isAuthentic(packet, size, rollover) ? rollover : null;
  }

  /** A stream begins with rollover 0, or with 1 if all packets before its first wrap were lost. */
  #firstRollover(packet: Uint8Array, size: number): number | null {
    if (this.#isAuthentic(packet, size, 0)) return 0;
    return this.#isAuthentic(packet, size, 1) ? 1 : null;
  }

  #isAuthentic(packet: Uint8Array, size: number, rollover: number): boolean {
    const tagAt = size + this.mki.length;
    return this.#rtp.isAuthentic(packet, size, rollover, tagAt, this.#tagBytes);
  }

  #namesKey(packet: Uint8Array, at: number): boolean {
    for (let byte = 0; byte < this.mki.length; byte++)
      if (packet[at + byte] !== this.mki[byte]) return false;
    return true;
  }

  #newContext(ssrc: number, sequence: number): RtpContext {
    const context = { window: new ReplayWindow(), rollover: 0, highestSequence: sequence };
    this.#contexts.set(ssrc, context);
    return context;
  }

  #accept(context: RtpContext, rollover: number, sequence: number, index: number): void {
    context.window.add(index);
    const isNewer =
      rollover > context.rollover ||
      (rollover === context.rollover && sequence > context.highestSequence);
    if (!isNewer) return;
    context.rollover = rollover;
    context.highestSequence = sequence;
  }
}

/** RFC 3711 3.3.1 and appendix A; −1 for a packet from before the first one. */
function guessRollover(context: RtpContext, sequence: number): number {
  const { rollover, highestSequence } = context;
  if (highestSequence < HALF_SEQUENCE) {
    return sequence - highestSequence > HALF_SEQUENCE ? rollover - 1 : rollover;
  }
  return highestSequence - HALF_SEQUENCE > sequence ? rollover + 1 : rollover;
}

/** Offset of the payload; null if the packet is shorter than its header. */
function headerBytes(packet: Uint8Array, size: number): number | null {
  if (size < RTP_HEADER_BYTES) return null;
  const first = packet[0] ?? 0;
  let offset = RTP_HEADER_BYTES + (first & 0x0f) * 4;
  if ((first & 0x10) !== 0) {
    if (offset + 4 > size) return null;
    offset += 4 + readUint16(packet, offset + 2) * 4;
  }
  return offset > size ? null : offset;
}

const WINDOW = 512;
const NEVER = -1;

/** The packet indices seen recently (RFC 3711 3.3.2), for the last `WINDOW` of them. */
class ReplayWindow {
  readonly #seen = new Float64Array(WINDOW).fill(NEVER);
  #highest = NEVER;

  /** False if the index was seen before, or is too old. */
  isFresh(index: number): boolean {
    if (index <= this.#highest - WINDOW) return false;
    return this.#seen[index % WINDOW] !== index;
  }

  /** Call it only for authenticated packets. */
  add(index: number): void {
    this.#seen[index % WINDOW] = index;
    this.#highest = Math.max(this.#highest, index);
  }
}
