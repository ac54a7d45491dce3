/**
 * Finds the beep of an answering machine: one steady tone of 300–2500 Hz for at least 120 ms. A bank of
 * Goertzel filters analyses 20 ms frames. Not a beep: tones in sequence (the three special information tones
 * of ITU-T E.180), two tones at once (DTMF, ringing in some countries), an endless tone (dial tone, fax), or
 * speech.
 */
import { levelOf } from "../../platform/audio/level.ts";
import { toneShare } from "../../platform/audio/tones.ts";
import { FRAME_MS } from "../limits.ts";

const LOWEST_HZ = 300;
const HIGHEST_HZ = 2_500;
const COARSE_STEP_HZ = 25;
/** Minimum share of a frame's energy at one frequency. Two tones share it; voices rarely exceed 0.6 for long. */
const SHARE_MIN = 0.8;
/** An RMS below this is line noise. */
const LEVEL_MIN = 150;
/** Maximum frequency change of a steady tone between two frames. */
const DRIFT_HZ_MAX = 2 * COARSE_STEP_HZ;
const TONE_FRAMES_MIN = Math.ceil(120 / FRAME_MS);
const TONE_FRAMES_MAX = 4_000 / FRAME_MS;
/** One or two lost packets do not end a tone. */
const DROPOUT_FRAMES_MAX = 2;
/** Another tone within this gap makes a sequence, so neither is a beep. */
const SEQUENCE_GAP_FRAMES = 160 / FRAME_MS;
const SEQUENCE_FORGOTTEN_FRAMES = 1_000 / FRAME_MS;

export interface Beep {
  readonly frequencyHz: number;
  readonly durationMs: number;
}

export class BeepDetector {
  #frequencyHz = 0;
  #frames = 0;
  /** Frames since the tone was last detected, while it may continue. */
  #dropoutFrames = 0;
  /** A finished tone that may prove to be the first of a sequence. */
  #candidate: Beep | null = null;
  #framesSince = Number.POSITIVE_INFINITY;
  #inSequence = false;

  constructor(private readonly sampleRateHz: number) {}

  /** True while a tone that may be a beep is sounding. */
  get sounding(): boolean {
    return this.#frames >= TONE_FRAMES_MIN || this.#candidate !== null;
  }

  /** Processes one 20 ms frame. Returns a beep once, about 160 ms after its end. */
  frame(pcm: Int16Array): Beep | null {
    const frequencyHz = levelOf(pcm) < LEVEL_MIN ? 0 : this.#frequencyOf(pcm);
    if (frequencyHz === 0) return this.#noTone();
    if (Math.abs(frequencyHz - this.#frequencyHz) > DRIFT_HZ_MAX) this.#toneEnded();
    if (this.#candidate) {
      this.#candidate = null;
      this.#inSequence = true;
    }
    this.#frequencyHz = frequencyHz;
    this.#frames++;
    this.#dropoutFrames = 0;
    return null;
  }

  #noTone(): Beep | null {
    if (this.#frames > 0 && this.#dropoutFrames++ < DROPOUT_FRAMES_MAX) return null;
    this.#toneEnded();
    this.#framesSince++;
    if (this.#framesSince > SEQUENCE_FORGOTTEN_FRAMES) this.#inSequence = false;
    if (!this.#candidate || this.#framesSince < SEQUENCE_GAP_FRAMES) return null;
    const beep = this.#candidate;
    this.#candidate = null;
    return beep;
  }

  /** Does nothing if no tone was sounding. */
  #toneEnded(): void {
    const frames = this.#frames;
    this.#frames = 0;
    this.#dropoutFrames = 0;
    const long = frames >= TONE_FRAMES_MIN && frames <= TONE_FRAMES_MAX;
    if (long && !this.#inSequence) {
      const durationMs = frames * FRAME_MS;
      this.#candidate = { frequencyHz: this.#frequencyHz, durationMs };
    }
    if (frames >= 2) this.#framesSince = 0;
  }

  /** The frequency that holds nearly all energy of the frame; 0 if none does. */
  #frequencyOf(pcm: Int16Array): number {
    if (this.#share(pcm, this.#frequencyHz) >= SHARE_MIN) return this.#frequencyHz;
    let best = 0;
    let bestShare = SHARE_MIN;
    for (let hz = LOWEST_HZ; hz <= HIGHEST_HZ; hz += COARSE_STEP_HZ) {
      const share = this.#share(pcm, hz);
      if (share > bestShare) {
        best = hz;
        bestShare = share;
      }
    }
    return best;
  }

  #share(pcm: Int16Array, hz: number): number {
    return toneShare(pcm, hz, this.sampleRateHz);
  }
}
