/**
 * The jitter buffer's storage for Opus (RFC 6716): whole packets, each found by any 10 ms block
 * that it covers. It holds one second. The jitter buffer does not store a packet from further
 * ahead, which would overwrite unplayed audio.
 */
import { BLOCK_TICKS, type JitterStorage } from "../../rtp/jitter-storage.ts";

const SLOTS = 128;
/** Frame sizes in ms of the TOC's configurations (RFC 6716 3.1, table 2); 0 for an invalid one. */
const SILK_MS = [10, 20, 40, 60] as const;
const HYBRID_MS = [10, 20] as const;
const CELT_MS = [2.5, 5, 10, 20] as const;
const PACKET_MS_MAX = 120;
const TICKS_PER_MS = 8;

export interface StoredPacket {
  readonly position: number;
  readonly ticks: number;
  readonly payload: Uint8Array;
}

/** Milliseconds of audio in a packet; 0 if it is invalid. */
export function opusPacketMs(payload: Uint8Array): number {
  const toc = payload[0];
  if (toc === undefined) return 0;
  const configuration = toc >> 3;
  const frameMs =
    configuration < 12
      ? SILK_MS[configuration & 3]
      : configuration < 16
        ? HYBRID_MS[configuration & 1]
        : CELT_MS[configuration & 3];
  const code = toc & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : (payload[1] ?? 0) & 0x3f;
  const packetMs = (frameMs ?? 0) * frames;
  return packetMs <= PACKET_MS_MAX ? packetMs : 0;
}

export class OpusPacketStore implements JitterStorage {
  readonly #slots: (StoredPacket | null)[] = new Array<StoredPacket | null>(SLOTS).fill(null);
  /** The packet of the latest block; null if it was missing. */
  taken: StoredPacket | null = null;
  /** Start of that block. */
  takenPosition = 0;

  ticksOf(payload: Uint8Array): number {
    return opusPacketMs(payload) * TICKS_PER_MS;
  }

  put(position: number, payload: Uint8Array, ticks: number, playPosition: number): void {
    const packet = { position, ticks, payload: payload.slice() };
    for (let block = position; block < position + ticks; block += BLOCK_TICKS) {
      if (block + BLOCK_TICKS > playPosition) this.#slots[slotOf(block)] = packet;
    }
  }

  has(position: number): boolean {
    return this.#at(position) !== null;
  }

  take(position: number): void {
    this.taken = this.#at(position);
    this.takenPosition = position;
  }

  drop(position: number): void {
    this.#slots[slotOf(position)] = null;
  }

  reset(): void {
    this.#slots.fill(null);
    this.taken = null;
  }

  /**
   * The packet directly after a gap at the last taken block, if it has arrived. Its FEC may fill
   * the gap.
   */
  following(): StoredPacket | null {
    const from = this.takenPosition + BLOCK_TICKS;
    for (let position = from; position <= from + 6 * BLOCK_TICKS; position += BLOCK_TICKS) {
      const packet = this.#at(position);
      if (!packet) continue;
      return packet.position - packet.ticks <= this.takenPosition ? packet : null;
    }
    return null;
  }

  #at(position: number): StoredPacket | null {
    const packet = this.#slots[slotOf(position)] ?? null;
    if (!packet) return null;
    const isCovered =
      packet.position < position + BLOCK_TICKS && packet.position + packet.ticks > position;
    return isCovered ? packet : null;
  }
}

function slotOf(position: number): number {
  return Math.floor(position / BLOCK_TICKS) & (SLOTS - 1);
}
