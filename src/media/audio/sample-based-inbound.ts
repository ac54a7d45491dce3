/**
 * Inbound audio of codecs with exactly one octet per tick of an 8 kHz RTP clock (G.711, G.722).
 * Decodes and conceals missing blocks at the codec's own rate, so that a wideband gap is filled
 * over the whole band. Then resamples with the filter's state kept. While the remote party sends
 * comfort noise (RFC 3389), missing blocks are filled with noise instead.
 */

import type { Random } from "../../core/random.ts";
import { createResampler, type Resampler } from "../../platform/audio/resampler.ts";
import { OctetRing } from "../rtp/octet-ring.ts";
import type { InboundAudio } from "./codec.ts";
import { ComfortNoise } from "./comfort-noise.ts";
import { PacketLossConcealment } from "./concealment.ts";

const BLOCK_MS = 10;

/** For codecs with one octet per tick. */
export interface AudioDecoder {
  readonly sampleRateHz: number;
  /** Decodes all octets. `pcm` must have room for the result. */
  decode(octets: Uint8Array, pcm: Int16Array): void;
}

export class SampleBasedInboundAudio implements InboundAudio {
  readonly block: Int16Array;
  readonly storage = new OctetRing();
  readonly clockDivisor = 1;
  readonly #decoder: AudioDecoder;
  readonly #concealment: PacketLossConcealment;
  readonly #resampler: Resampler | null;
  readonly #decoded: Int16Array;
  readonly #noise: ComfortNoise;
  isSilent = false;

  constructor(decoder: AudioDecoder, sampleRateHz: number, random: Random) {
    this.#decoder = decoder;
    const codecRateHz = decoder.sampleRateHz;
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
