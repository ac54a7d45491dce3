/**
 * The way out of audio: frames at the conversation's rate in, coded payloads out. Where the codec
 * samples at another rate the frames are resampled on the way, band-limited, with the filter's
 * state kept from frame to frame. Holds what is not yet a whole packet, at most `PENDING_MS_MAX`.
 */
import type { CodecName } from "../../../core/media-plan.ts";
import { createResampler, type Resampler } from "../../../platform/audio/resampler.ts";
import { type AudioEncoder, createEncoder } from "./codec.ts";

/** A packet of the largest ptime, and a frame. */
export const PENDING_MS_MAX = 80;

export class OutboundAudio {
  readonly codec: CodecName;
  readonly #encoder: AudioEncoder;
  readonly #resampler: Resampler;
  readonly #pending: Int16Array;
  readonly #samplesPerMs: number;
  #filled = 0;

  constructor(codec: CodecName, sampleRateHz: 8000 | 16000) {
    this.codec = codec;
    this.#encoder = createEncoder(codec, sampleRateHz);
    this.#resampler = createResampler(sampleRateHz, this.#encoder.sampleRateHz);
    this.#samplesPerMs = this.#encoder.sampleRateHz / 1000;
    this.#pending = new Int16Array(PENDING_MS_MAX * this.#samplesPerMs);
  }

  get pendingMs(): number {
    return this.#filled / this.#samplesPerMs;
  }

  /** One frame. Must not exceed `PENDING_MS_MAX` with what is pending. */
  push(frame: Int16Array): void {
    this.#filled += this.#resampler.processInto(frame, this.#pending, this.#filled);
  }

  /** Encodes the oldest `ms` into `octets` from `offset`; answers the octets written, 0: none to send. */
  take(ms: number, octets: Uint8Array, offset: number): number {
    const samples = ms * this.#samplesPerMs;
    const written = this.#encoder.encode(this.#pending, 0, samples, octets, offset);
    this.#pending.copyWithin(0, samples, this.#filled);
    this.#filled -= samples;
    return written;
  }

  close(): void {
    this.#encoder.close();
  }
}
