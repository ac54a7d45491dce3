/**
 * A cheap energy gate in front of the speech model: open while the level is above the line's own
 * noise, and for a while afterwards. When in doubt it is open: it only saves CPU time and never
 * decides about speech.
 */
const OPEN_RATIO = 1.8;
/** RMS of 16-bit samples: about −62 dBFS, below any intelligible telephone speech. */
const OPEN_LEVEL_MIN = 26;
const FLOOR_MIN = 6;
const FLOOR_INITIAL = 60;
const FLOOR_FALL = 0.2;
const FLOOR_RISE = 1.003;
const HANG_OVER_FRAMES = 20;

export class SpeechGate {
  #floor = FLOOR_INITIAL;
  #openFrames = 0;

  /** Processes one frame of 20 ms. Returns true while there may be speech. */
  isOpen(pcm: Int16Array): boolean {
    let energy = 0;
    for (let index = 0; index < pcm.length; index++) energy += (pcm[index] ?? 0) ** 2;
    const level = Math.sqrt(energy / Math.max(1, pcm.length));
    if (level < this.#floor) this.#floor += (level - this.#floor) * FLOOR_FALL;
    else this.#floor *= FLOOR_RISE;
    this.#floor = Math.max(FLOOR_MIN, this.#floor);
    const stands = level > OPEN_LEVEL_MIN && level > this.#floor * OPEN_RATIO;
    this.#openFrames = stands ? HANG_OVER_FRAMES : Math.max(0, this.#openFrames - 1);
    return this.#openFrames > 0;
  }
}
