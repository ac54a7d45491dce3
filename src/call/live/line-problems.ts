/**
 * Finds bad stretches of a call's line: packets lost or late on one side, uneven arrival, or a long delay. Each
 * stretch is reported once, when it begins. The number of reports per call is bounded.
 */

import type { CallNote } from "../../conversation/call-report.ts";
import type { MediaStatistics } from "../../core/media-plan.ts";

type LineNote = Extract<CallNote, { kind: "line" }>;

/** Speech becomes unintelligible above this loss. */
const BAD_LOSS_RATIO = 0.08;
/** Fewer lost packets are only a click. */
const LOST_MIN = 10;
const BAD_JITTER_MS = 80;
/** Both parties start to speak at the same time (ITU-T G.114: 400 ms one way is the limit). */
const BAD_ROUND_TRIP_MS = 800;
const NOTES_MAX = 20;

export class LineProblems {
  #before: MediaStatistics | null = null;
  readonly #bad = new Set<LineNote["side"]>();
  #noted = 0;

  /** Called with each heartbeat. Returns the stretches that begin now. */
  check(media: MediaStatistics, atMs: number): LineNote[] {
    const found = [receivedBadly(media, this.#before), sentBadly(media), delayed(media)].filter(
      (problem) => problem !== null,
    );
    this.#before = media;
    const begun = found.filter(({ side }) => !this.#bad.has(side));
    this.#bad.clear();
    for (const { side } of found) this.#bad.add(side);
    const notes = begun.slice(0, NOTES_MAX - this.#noted);
    this.#noted += notes.length;
    return notes.map((problem): LineNote => ({ kind: "line", atMs, ...problem }));
  }
}

type Problem = Omit<LineNote, "kind" | "atMs">;

const percent = (ratio: number): number => Math.round(ratio * 100);

function receivedBadly(media: MediaStatistics, before: MediaStatistics | null): Problem | null {
  const never = media.packetsLost - (before?.packetsLost ?? 0);
  const late = media.packetsDiscarded - (before?.packetsDiscarded ?? 0);
  const lost = never + late;
  const expected = never + media.packetsReceived - (before?.packetsReceived ?? 0);
  const isBad = lost >= LOST_MIN && lost / expected >= BAD_LOSS_RATIO;
  if (!isBad && media.jitterMs < BAD_JITTER_MS) return null;
  const lossPercent = expected > 0 ? percent(Math.min(1, Math.max(0, lost / expected))) : 0;
  return { side: "received", lossPercent, delayMs: Math.round(media.jitterMs) };
}

function sentBadly({ reported }: MediaStatistics): Problem | null {
  if (!reported) return null;
  const { recentLoss, jitterMs } = reported;
  if (recentLoss < BAD_LOSS_RATIO && jitterMs < BAD_JITTER_MS) return null;
  return { side: "sent", lossPercent: percent(recentLoss), delayMs: Math.round(jitterMs) };
}

function delayed({ roundTripMs }: MediaStatistics): Problem | null {
  if (!roundTripMs || roundTripMs < BAD_ROUND_TRIP_MS) return null;
  return { side: "both", lossPercent: 0, delayMs: roundTripMs };
}
