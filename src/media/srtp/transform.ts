/**
 * The transforms of AES_CM_HMAC_SHA1 (RFC 3711 4.1.1, 4.2.1; RFC 6188) with one set of session keys:
 * in-place AES counter mode and authentication tags. The AES object lives as long as the stream; a
 * packet needs one call of it.
 */
import { type Cipheriv, createCipheriv, createHmac, timingSafeEqual } from "node:crypto";
import { writeUint16, writeUint32 } from "../rtp/packet.ts";
import type { SessionKeys } from "./keys.ts";

const AES_BLOCK = 16;
/** More than any datagram that we send or a remote party sends. */
const BLOCKS_MAX = 128;
export const CIPHER_BYTES_MAX = BLOCKS_MAX * AES_BLOCK;

export class SrtpTransform {
  readonly #keys: SessionKeys;
  readonly #aes: Cipheriv;
  readonly #counters = new Uint8Array(BLOCKS_MAX * AES_BLOCK);
  readonly #rollover = new Uint8Array(4);

  constructor(keys: SessionKeys) {
    this.#keys = keys;
    // Counter mode built from ECB: encrypting counter blocks needs no new cipher object per packet.
    this.#aes = createCipheriv(`aes-${keys.cipherKey.length * 8}-ecb`, keys.cipherKey, null);
    this.#aes.setAutoPadding(false);
  }

  /** Encrypts or decrypts `bytes` from `from` up to `to`. `index`: the packet's 48-bit index. */
  crypt(bytes: Uint8Array, from: number, to: number, ssrc: number, index: number): void {
    const size = to - from;
    if (size <= 0) return;
    const blocks = Math.ceil(size / AES_BLOCK);
    this.#writeCounters(blocks, ssrc, index);
    const stream = this.#aes.update(this.#counters.subarray(0, blocks * AES_BLOCK));
    for (let offset = 0; offset < size; offset++) {
      bytes[from + offset] = (bytes[from + offset] ?? 0) ^ (stream[offset] ?? 0);
    }
  }

  /** HMAC-SHA1 of the packet's first `size` octets, and of the rollover counter if there is one. */
  tag(bytes: Uint8Array, size: number, rollover: number | null): Uint8Array {
    const hmac = createHmac("sha1", this.#keys.authenticationKey);
    hmac.update(bytes.subarray(0, size));
    if (rollover !== null) {
      writeUint32(this.#rollover, 0, rollover);
      hmac.update(this.#rollover);
    }
    return hmac.digest();
  }

  /** True if the `tagBytes` octets at `tagAt` are the tag. Constant time. */
  isAuthentic(
    bytes: Uint8Array,
    size: number,
    rollover: number | null,
    tagAt: number,
    tagBytes: number,
  ): boolean {
    const expected = this.tag(bytes, size, rollover).subarray(0, tagBytes);
    return timingSafeEqual(expected, bytes.subarray(tagAt, tagAt + tagBytes));
  }

  /** Counter blocks: salt ⊕ SSRC ⊕ index, and the block's number in the last 16 bits. */
  #writeCounters(blocks: number, ssrc: number, index: number): void {
    const counters = this.#counters;
    const { salt } = this.#keys;
    counters.set(salt);
    const high = Math.floor(index / 2 ** 32);
    const low = index >>> 0;
    for (let byte = 0; byte < 4; byte++) {
      const shift = 24 - 8 * byte;
      counters[4 + byte] = (counters[4 + byte] ?? 0) ^ (ssrc >>> shift);
      counters[10 + byte] = (counters[10 + byte] ?? 0) ^ (low >>> shift);
    }
    counters[8] = (counters[8] ?? 0) ^ (high >>> 8);
    counters[9] = (counters[9] ?? 0) ^ high;
    writeUint16(counters, 14, 0);
    for (let block = 1; block < blocks; block++) {
      counters.copyWithin(block * AES_BLOCK, 0, AES_BLOCK - 2);
      writeUint16(counters, block * AES_BLOCK + 14, block);
    }
  }
}
