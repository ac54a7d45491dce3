/**
 * Inbound Opus: decodes packets from the jitter buffer's storage to 10 ms of PCM at the
 * conversation's rate per call. A lost packet is rebuilt from the forward error correction in the
 * next one if that has arrived, otherwise concealed by libopus. Packets that libopus rejects are
 * concealed too.
 */
import { createDecoder, type OpusDecoderHandle } from "libopus-wasm";
import { BLOCK_TICKS } from "../../rtp/jitter-storage.ts";
import type { InboundAudio } from "../codec.ts";
import { OpusPacketStore, type StoredPacket } from "./opus-packet-store.ts";

const BLOCK_MS = 10;
/** RTP's 48 kHz relative to the 8 kHz in which positions are counted. */
const CLOCK_DIVISOR = 6;

export class OpusInboundAudio implements InboundAudio {
  readonly block: Int16Array;
  readonly storage = new OpusPacketStore();
  readonly clockDivisor = CLOCK_DIVISOR;
  readonly isSilent = false;
  readonly #samplesPerBlock: number;
  #handle: OpusDecoderHandle | null = null;
  #closed = false;
  #hasAudio = false;
  /** The decoded audio that begins at `#decodedFrom`. */
  #decoded: Int16Array = new Int16Array(0);
  #decodedFrom = 0;
  #decodedPacket: StoredPacket | null = null;

  constructor(sampleRateHz: 8000 | 16000) {
    this.#samplesPerBlock = (sampleRateHz * BLOCK_MS) / 1000;
    this.block = new Int16Array(this.#samplesPerBlock);
    this.#open(sampleRateHz).catch(() => {});
  }

  play(): void {
    const packet = this.storage.taken;
    if (!packet) {
      this.conceal();
      return;
    }
    if (packet !== this.#decodedPacket) this.#decode(packet);
    this.#serve();
  }

  conceal(): void {
    if (!this.#hasAudio) {
      this.block.fill(0);
      return;
    }
    const isRebuilt = this.#isDecoded() || this.#rebuild();
    if (isRebuilt) this.#serve();
    else this.#copy(this.#conceal());
  }

  /** Opus signals silence itself. */
  enterComfortNoise(): void {}

  leaveComfortNoise(): void {}

  close(): void {
    this.#closed = true;
    this.#handle?.free();
    this.#handle = null;
  }

  async #open(sampleRate: 8000 | 16000): Promise<void> {
    const handle = await createDecoder({ sampleRate, channels: 1 });
    if (this.#closed) handle.free();
    else this.#handle = handle;
  }

  #decode(packet: StoredPacket): void {
    this.#decodedPacket = packet;
    this.#decodedFrom = packet.position;
    this.#hasAudio = true;
    try {
      this.#decoded = this.#handle?.decode(packet.payload) ?? new Int16Array(0);
    } catch {
      this.#decoded = this.#conceal();
    }
  }

  /** Rebuilds from the packet after the gap; false if it has not arrived. */
  #rebuild(): boolean {
    const packet = this.storage.following();
    if (!packet || !this.#handle) return false;
    try {
      const frameSize = (packet.ticks / BLOCK_TICKS) * this.#samplesPerBlock;
      this.#decoded = this.#handle.decode(packet.payload, { decodeFec: true, frameSize });
      this.#decodedFrom = packet.position - packet.ticks;
      this.#decodedPacket = null;
      return true;
    } catch {
      return false;
    }
  }

  #conceal(): Int16Array {
    try {
      return this.#handle?.decodePacketLoss(this.#samplesPerBlock) ?? new Int16Array(0);
    } catch {
      return new Int16Array(0);
    }
  }

  /** True if the latest block is part of the audio rebuilt for the block before. */
  #isDecoded(): boolean {
    if (this.#decodedPacket) return false;
    const from = this.#offset();
    return from >= 0 && from + this.#samplesPerBlock <= this.#decoded.length;
  }

  #offset(): number {
    const ticks = this.storage.takenPosition - this.#decodedFrom;
    return Math.round((ticks * this.#samplesPerBlock) / BLOCK_TICKS);
  }

  #serve(): void {
    const from = Math.max(0, this.#offset());
    this.#copy(this.#decoded.subarray(from, from + this.#samplesPerBlock));
  }

  #copy(samples: Int16Array): void {
    this.block.fill(0);
    this.block.set(samples.subarray(0, this.#samplesPerBlock));
  }
}
