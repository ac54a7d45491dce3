/**
 * The waveform of a recording: for each time slot the lowest and highest sample of each side, as
 * signed bytes. Computed while the recording is encoded. The number of slots is bounded for any
 * call length.
 */
import type { RecordingPeaks } from "../../call/media-port.ts";

const SLOTS_PER_SECOND = 50;
const SLOTS_MAX = 12_000;

export class PeakMeter {
  readonly #framesPerSlot: number;
  readonly #left: Int8Array;
  readonly #right: Int8Array;
  #frame = 0;

  constructor(
    private readonly wav: {
      readonly sampleRateHz: number;
      readonly channels: number;
      readonly durationMs: number;
    },
  ) {
    const seconds = Math.max(wav.durationMs / 1000, 0.001);
    const slotsPerSecond = Math.min(SLOTS_PER_SECOND, SLOTS_MAX / seconds);
    this.#framesPerSlot = Math.max(1, Math.round(wav.sampleRateHz / slotsPerSecond));
    const frames = Math.ceil((wav.durationMs / 1000) * wav.sampleRateHz);
    const slots = Math.min(SLOTS_MAX + 1, Math.ceil(frames / this.#framesPerSlot));
    this.#left = new Int8Array(slots * 2);
    this.#right = new Int8Array(slots * 2);
  }

  /** Adds interleaved samples in order. A single channel counts for both sides. */
  add(interleaved: Int16Array): void {
    const { channels } = this.wav;
    for (let at = 0; at + channels <= interleaved.length; at += channels) {
      const slot = Math.floor(this.#frame++ / this.#framesPerSlot) * 2;
      if (slot >= this.#left.length) return;
      const left = interleaved[at] ?? 0;
      note(this.#left, slot, left);
      note(this.#right, slot, channels > 1 ? (interleaved[at + 1] ?? 0) : left);
    }
  }

  get peaks(): RecordingPeaks {
    return {
      durationMs: this.wav.durationMs,
      slotsPerSecond: this.wav.sampleRateHz / this.#framesPerSlot,
      left: this.#left,
      right: this.#right,
    };
  }
}

function note(peaks: Int8Array, slot: number, sample: number): void {
  const value = sample >> 8;
  if (value < (peaks[slot] ?? 0)) peaks[slot] = value;
  if (value > (peaks[slot + 1] ?? 0)) peaks[slot + 1] = value;
}
