/**
 * Outbound audio: takes frames at the conversation's rate and returns encoded payloads. If the
 * codec has another sample rate, frames are resampled with the filter's state kept. Buffers audio
 * until a packet is complete, at most `PENDING_MS_MAX`.
 */
import { createResampler, type Resampler } from "../../platform/audio/resampler.ts";
import type { AudioCodec, AudioEncoder } from "./codec.ts";

/** A packet of the largest ptime, plus a frame. */
export const PENDING_MS_MAX = 80;

export class OutboundAudio {
  readonly codec: AudioCodec;
  readonly #encoder: AudioEncoder;
  readonly #resampler: Resampler;
  readonly #pending: Int16Array;
  readonly #samplesPerMs: number;
  #filled = 0;

  constructor(codec: AudioCodec, sampleRateHz: 8000 | 16000) {
    this.codec = codec;
    this.#encoder = codec.createEncoder(sampleRateHz);
    this.#resampler = createResampler(sampleRateHz, this.#encoder.sampleRateHz);
    this.#samplesPerMs = this.#encoder.sampleRateHz / 1000;
    this.#pending = new Int16Array(PENDING_MS_MAX * this.#samplesPerMs);
  }

  get pendingMs(): number {
    return this.#filled / this.#samplesPerMs;
  }

  /** Adds one frame. Must not exceed `PENDING_MS_MAX` together with pending audio. */
  push(frame: Int16Array): void {
    this.#filled += this.#resampler.processInto(frame, this.#pending, this.#filled);
  }

  /**
   * Encodes the oldest `ms` into `octets` from `offset`. Returns the number of octets; 0 if there
   * is nothing to send.
   */
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
