/**
 * Tells the agent's own voice, coming back from the far end's line or loudspeaker, from a caller who
 * speaks: an echo has the loudness curve of what was played a moment ago, only weaker.
 *
 * Compares 20 ms levels, not samples, so it costs nothing while nobody judges and about 1,000
 * multiplications when asked. Echo returns within half a second on the networks we know; longer ones
 * are not recognised. Two people talking at once are louder than the echo: that counts as speech.
 */
import { levelOf } from "../../../platform/audio/level.ts";
import { FRAME_MS, PLAYOUT_AHEAD_MS_MAX } from "../limits.ts";

const DELAY_FRAMES_MAX = 25;
/** The line's delay is no whole number of frames: a 20 ms level falls between two of ours. */
const DELAY_STEP_FRAMES = 0.5;
const WINDOW_FRAMES = 20;
/** So long an utterance only begins. */
const ONSET_FRAMES = 10;
/** Unrelated speech reaches 0.7 by chance within such a window; a real echo stays above 0.9. */
const CORRELATION_MIN = 0.85;
/** Amplitude of an echo, against what was played, at most. */
const LEVEL_RATIO_MAX = 0.6;

const RECEIVED_FRAMES = 64;
/** What is queued, and as much of what was played. */
const PLAYED_FRAMES = (2 * PLAYOUT_AHEAD_MS_MAX) / FRAME_MS;
/** How often a running utterance is judged. */
const JUDGE_EVERY_FRAMES = 5;

export class EchoGuard {
  /** Level of each played frame, by its place in the playout. */
  readonly #played = new Float32Array(PLAYED_FRAMES);
  readonly #received = new Float32Array(RECEIVED_FRAMES);
  /** Place in the playout at which each heard frame arrived. */
  readonly #receivedAt = new Int32Array(RECEIVED_FRAMES);
  #ticks = 0;
  #utteranceTicks = 0;
  /** What the running utterance was judged to be while it began, and since. */
  #beganAsEcho = false;
  #sinceThen: "unknown" | "speech" | "echo" = "unknown";

  constructor(private readonly sampleRateHz: number) {}

  /** Audio queued for playout, to be played from `startMs` of the playout on. */
  willPlay(pcm: Int16Array, startMs: number): void {
    const frameSamples = (this.sampleRateHz / 1000) * FRAME_MS;
    let frame = Math.floor(startMs / FRAME_MS);
    for (let start = 0; start < pcm.length; start += frameSamples)
      this.#played[frame++ % PLAYED_FRAMES] = levelOf(pcm.subarray(start, start + frameSamples));
  }

  /** One heard frame, while the playout stood at `playedMs`. */
  receive(pcm: Int16Array, playedMs: number): void {
    const slot = this.#ticks % RECEIVED_FRAMES;
    this.#received[slot] = levelOf(pcm);
    this.#receivedAt[slot] = Math.floor(playedMs / FRAME_MS);
    this.#ticks++;
  }

  /**
   * The running utterance sounded like the agent's own voice at some time. How it began counts only
   * when nothing else is known: before the first word there is silence in what is compared, and any
   * onset looks like some onset of what was played.
   */
  get suspected(): boolean {
    return this.#sinceThen === "unknown" ? this.#beganAsEcho : this.#sinceThen === "echo";
  }

  utteranceBegan(): void {
    this.#utteranceTicks = this.#ticks;
    this.#beganAsEcho = false;
    this.#sinceThen = "unknown";
  }

  /** Once a frame while somebody is heard over the agent. */
  judgeNowAndThen(): void {
    if (this.#ticks % JUDGE_EVERY_FRAMES === 0) this.isEcho();
  }

  /** Whether the last 400 ms heard are an echo of what was played. */
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

  /** Level at a place in the playout; between two frames, the mean of both. */
  #playedAt(place: number): number {
    if (place < 1) return 0;
    const after = this.#played[Math.ceil(place) % PLAYED_FRAMES] ?? 0;
    const before = this.#played[Math.floor(place) % PLAYED_FRAMES] ?? 0;
    return (after + before) / 2;
  }
}
