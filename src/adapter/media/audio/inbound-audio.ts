/**
 * Inbound audio: takes 10 ms blocks from the jitter buffer and returns PCM at the conversation's
 * rate. One object lives as long as the stream keeps its codec.
 *
 * This file handles G.711 and G.722: it decodes, conceals missing blocks at the codec's own rate
 * (so that a wideband gap is filled over the whole band), then resamples with the filter's state
 * kept. While the remote party sends comfort noise (RFC 3389), missing blocks are filled with noise
 * instead of concealment.
 */

import type { CodecName } from "../../../core/media-plan.ts";
import type { Random } from "../../../core/random.ts";
import { createResampler, type Resampler } from "../../../platform/audio/resampler.ts";
import type { JitterStorage } from "../rtp/jitter-storage.ts";
import { OctetRing } from "../rtp/octet-ring.ts";
import { type AudioDecoder, createDecoder } from "./codec.ts";
import { ComfortNoise } from "./comfort-noise.ts";
import { PacketLossConcealment } from "./concealment.ts";
import { OpusInboundAudio } from "./opus/opus-inbound.ts";

const BLOCK_MS = 10;

export interface InboundAudio {
  readonly codec: CodecName;
  /** The block of the last call, at the conversation's rate. The memory is reused. */
  readonly block: Int16Array;
  /** The jitter buffer's storage for received payloads. */
  readonly storage: JitterStorage;
  /** RTP ticks per tick of 8 kHz. */
  readonly clockDivisor: number;
  /** Decodes the block that the jitter buffer took last, from `octets`. */
  play(octets: Uint8Array): void;
  /** Fills a missing block. */
  conceal(): void;
  /** Handles a comfort-noise payload: missing blocks are noise from now on. */
  enterComfortNoise(payload: Uint8Array): void;
  /** Handles an audio packet: the remote party speaks again. */
  leaveComfortNoise(): void;
  /** True from a comfort-noise packet until the next audio packet. */
  readonly isSilent: boolean;
  /** Frees the memory. */
  close(): void;
}

export function createInboundAudio(
  codec: CodecName,
  sampleRateHz: 8000 | 16000,
  random: Random,
): InboundAudio {
  if (codec === "opus") return new OpusInboundAudio(sampleRateHz);
  return new OctetInboundAudio(codec, sampleRateHz, random);
}

class OctetInboundAudio implements InboundAudio {
  readonly codec: CodecName;
  readonly block: Int16Array;
  readonly storage = new OctetRing();
  readonly clockDivisor = 1;
  readonly #decoder: AudioDecoder;
  readonly #concealment: PacketLossConcealment;
  readonly #resampler: Resampler | null;
  readonly #decoded: Int16Array;
  readonly #noise: ComfortNoise;
  isSilent = false;

  constructor(codec: Exclude<CodecName, "opus">, sampleRateHz: number, random: Random) {
    this.codec = codec;
    this.#decoder = createDecoder(codec);
    const codecRateHz = this.#decoder.sampleRateHz;
    this.#concealment = new PacketLossConcealment(codecRateHz);
    this.#decoded = new Int16Array((codecRateHz * BLOCK_MS) / 1000);
    const sameRate = codecRateHz === sampleRateHz;
    this.block = sameRate ? this.#decoded : new Int16Array((sampleRateHz * BLOCK_MS) / 1000);
    this.#resampler = sameRate ? null : createResampler(codecRateHz, sampleRateHz);
    this.#noise = new ComfortNoise(random);
  }

  play(octets: Uint8Array): void {
    this.#decoder.decode(octets, this.#decoded);
    this.#concealment.accept(this.#decoded);
    this.#resample();
  }

  conceal(): void {
    if (this.isSilent) {
      this.#noise.fill(this.#decoded);
      this.#concealment.accept(this.#decoded);
    } else {
      this.#concealment.conceal(this.#decoded);
    }
    this.#resample();
  }

  enterComfortNoise(payload: Uint8Array): void {
    this.isSilent = true;
    this.#noise.update(payload);
  }

  leaveComfortNoise(): void {
    this.isSilent = false;
  }

  close(): void {}

  #resample(): void {
    this.#resampler?.processInto(this.#decoded, this.block, 0);
  }
}
