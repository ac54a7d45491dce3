/**
 * Finds the beep of an answering machine: one steady tone of 300–2500 Hz for at least 120 ms, told
 * by a bank of Goertzel filters over 20 ms frames. What is no beep: tones that follow each other at
 * once (the special information tones of ITU-T E.180: three of them), two tones at a time (DTMF,
 * ringing in some countries), a tone without an end (dial tone, fax), speech.
 */
import { levelOf } from "../../../platform/audio/level.ts";
import { toneShare } from "../../../platform/audio/tones.ts";
import { FRAME_MS } from "../limits.ts";

const LOWEST_HZ = 300;
const HIGHEST_HZ = 2_500;
const COARSE_STEP_HZ = 25;
/** Of a frame's energy at one frequency. Two tones share it; voices rarely pass 0.6 for long. */
const SHARE_MIN = 0.8;
/** RMS below this is the line's noise. */
const LEVEL_MIN = 150;
/** A steady tone may wander by this between two frames. */
const DRIFT_HZ_MAX = 2 * COARSE_STEP_HZ;
const TONE_FRAMES_MIN = Math.ceil(120 / FRAME_MS);
const TONE_FRAMES_MAX = 4_000 / FRAME_MS;
/** A lost packet or two does not end a tone. */
const DROPOUT_FRAMES_MAX = 2;
/** Another tone within this makes both a sequence, which is no beep. */
const SEQUENCE_GAP_FRAMES = 160 / FRAME_MS;
const SEQUENCE_FORGOTTEN_FRAMES = 1_000 / FRAME_MS;

export interface Beep {
  readonly frequencyHz: number;
  readonly durationMs: number;
}

export class ToneFinder {
  #frequencyHz = 0;
  #frames = 0;
  /** Frames since the tone was last heard, while it may go on. */
  #dropoutFrames = 0;
  /** A tone that ended and may still turn out to be the first of a sequence. */
  #candidate: Beep | null = null;
  #framesSince = Number.POSITIVE_INFINITY;
  #inSequence = false;

  constructor(private readonly sampleRateHz: number) {}

  /** A tone is sounding that may become a beep. */
  get sounding(): boolean {
    return this.#frames >= TONE_FRAMES_MIN || this.#candidate !== null;
  }

  /** One 20 ms frame. Answers a beep once, some 160 ms after its end. */
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

  /** Nothing happens where none was sounding. */
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

  /** The one frequency that holds nearly all of the frame; 0: there is none. */
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
