/**
 * Detects the agent's voice as an echo from the far end's line or loudspeaker. An echo has the loudness curve
 * of recently played audio, but weaker.
 *
 * Compares levels of 20 ms frames instead of samples. An idle guard costs nothing; one check costs about
 * 1,000 multiplications. Echoes return within half a second on known networks; longer delays are not
 * detected. If both people talk, the caller is louder than the echo, so the audio counts as speech.
 */
import { levelOf } from "../../platform/audio/level.ts";
import { FRAME_MS, PLAYOUT_AHEAD_MS_MAX } from "../limits.ts";

const DELAY_FRAMES_MAX = 25;
/** The delay is no whole number of frames, so half-frame positions are compared as well. */
const DELAY_STEP_FRAMES = 0.5;
const WINDOW_FRAMES = 20;
/** Maximum length of an utterance's beginning. */
const ONSET_FRAMES = 10;
/** Unrelated speech reaches 0.7 by chance in such a window; a real echo stays above 0.9. */
const CORRELATION_MIN = 0.85;
/** Maximum amplitude of an echo relative to the played audio. */
const LEVEL_RATIO_MAX = 0.6;

const RECEIVED_FRAMES = 64;
/** Queued frames plus the same number of played ones. */
const PLAYED_FRAMES = (2 * PLAYOUT_AHEAD_MS_MAX) / FRAME_MS;
/** Check interval of a running utterance. */
const JUDGE_EVERY_FRAMES = 5;

export class EchoGuard {
  /** Level per played frame, by playout position. */
  readonly #played = new Float32Array(PLAYED_FRAMES);
  readonly #received = new Float32Array(RECEIVED_FRAMES);
  /** Playout position at the arrival of each received frame. */
  readonly #receivedAt = new Int32Array(RECEIVED_FRAMES);
  #ticks = 0;
  #utteranceTicks = 0;
  /** Results for the running utterance: at its beginning, and since then. */
  #beganAsEcho = false;
  #sinceThen: "unknown" | "speech" | "echo" = "unknown";

  constructor(private readonly sampleRateHz: number) {}

  /** Registers audio that will be played from `startMs` of the playout. */
  willPlay(pcm: Int16Array, startMs: number): void {
    const frameSamples = (this.sampleRateHz / 1000) * FRAME_MS;
    let frame = Math.floor(startMs / FRAME_MS);
    for (let start = 0; start < pcm.length; start += frameSamples)
      this.#played[frame++ % PLAYED_FRAMES] = levelOf(pcm.subarray(start, start + frameSamples));
  }

  /** Processes one received frame at playout position `playedMs`. */
  receive(pcm: Int16Array, playedMs: number): void {
    const slot = this.#ticks % RECEIVED_FRAMES;
    this.#received[slot] = levelOf(pcm);
    this.#receivedAt[slot] = Math.floor(playedMs / FRAME_MS);
    this.#ticks++;
  }

  /**
   * True if the running utterance sounded like the agent's voice at some time. Its beginning counts only if
   * no later result exists: before the first word the window is mostly silence, and any onset correlates with
   * some onset of the played audio.
   */
  get suspected(): boolean {
    return this.#sinceThen === "unknown" ? this.#beganAsEcho : this.#sinceThen === "echo";
  }

  utteranceBegan(): void {
    this.#utteranceTicks = this.#ticks;
    this.#beganAsEcho = false;
    this.#sinceThen = "unknown";
  }

  /** Called once per frame while speech overlaps the agent. */
  judgeNowAndThen(): void {
    if (this.#ticks % JUDGE_EVERY_FRAMES === 0) this.isEcho();
  }

  /** True if the last 400 ms of received audio are an echo. */
  isEcho(): boolean {
    if (this.#ticks < WINDOW_FRAMES) return false;
    const echo = this.#matchesSomewhere();
    if (this.#ticks - this.#utteranceTicks < ONSET_FRAMES) this.#beganAsEcho ||= echo;
    else if (this.#sinceThen !== "echo") this.#sinceThen = echo ? "echo" : "speech";
    return echo;
  }

  #matchesSomewhere(): boolean {
    for (let delay = 0; delay <= DELAY_FRAMES_MAX; delay += DELAY_STEP_FRAMES)
      if (this.#matchesAt(delay)) return true;
    return false;
  }

  #matchesAt(delay: number): boolean {
    let sumReceived = 0;
    let sumPlayed = 0;
    let sumReceived2 = 0;
    let sumPlayed2 = 0;
    let sumProduct = 0;
    for (let back = 1; back <= WINDOW_FRAMES; back++) {
      const slot = (this.#ticks - back) % RECEIVED_FRAMES;
      const received = this.#received[slot] ?? 0;
      const played = this.#playedAt((this.#receivedAt[slot] ?? 0) - delay);
      sumReceived += received;
      sumPlayed += played;
      sumReceived2 += received * received;
      sumPlayed2 += played * played;
      sumProduct += received * played;
    }
    if (sumReceived > sumPlayed * LEVEL_RATIO_MAX) return false;
    const covariance = sumProduct - (sumReceived * sumPlayed) / WINDOW_FRAMES;
    const varianceReceived = sumReceived2 - (sumReceived * sumReceived) / WINDOW_FRAMES;
    const variancePlayed = sumPlayed2 - (sumPlayed * sumPlayed) / WINDOW_FRAMES;
    if (varianceReceived <= 0 || variancePlayed <= 0) return false;
    return covariance / Math.sqrt(varianceReceived * variancePlayed) >= CORRELATION_MIN;
  }

  /** Level at a playout position; between two frames, their mean. */
  #playedAt(place: number): number {
    if (place < 1) return 0;
    const after = this.#played[Math.ceil(place) % PLAYED_FRAMES] ?? 0;
    const before = this.#played[Math.floor(place) % PLAYED_FRAMES] ?? 0;
    return (after + before) / 2;
  }
}
