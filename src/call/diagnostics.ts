/**
 * Diagnostics of a live call: its SIP messages, and its RTP statistics every few seconds. In memory during the
 * call; stored when it ends.
 *
 * Guarantees: bounded for a call of any length (samples get sparser); no personal data or secrets
 * (sip/message-trace.ts removes them).
 */
import type { MediaStatistics } from "../core/media-plan.ts";

/** One SIP message. */
export interface SipTraceEntry {
  /** Epoch ms. */
  readonly atMs: number;
  /** From our side. */
  readonly direction: "in" | "out";
  /** `INVITE (1 INVITE)`, `180 Ringing (1 INVITE)`. */
  readonly line: string;
  readonly detail: string | null;
}

/** Cumulative RTP statistics at one moment. */
export interface QualitySample {
  /** Epoch ms. */
  readonly atMs: number;
  readonly sent: number;
  readonly received: number;
  readonly lost: number;
  readonly late: number;
  readonly jitterMs: number;
  readonly mos: number;
}

export interface SipMessageTrace {
  /** Messages of this Call-ID so far, in order. */
  entries(sipCallId: string): readonly SipTraceEntry[];
  forget(sipCallId: string): void;
}

const SAMPLE_EVERY_MS = 5_000;
const SAMPLES_MAX = 360;

/** Media statistics as log fields. */
export const mediaFields = (media: MediaStatistics) => ({
  codec: media.codec,
  srtp: media.srtp ?? "none",
  packets_lost: media.packetsLost,
  jitter_ms: media.jitterMs,
  sent_packets_lost: media.reported?.packetsLost ?? null,
  sent_jitter_ms: media.reported?.jitterMs ?? null,
  round_trip_ms: media.roundTripMs ?? null,
  mos: media.mos,
});

/** Quality over time: one sample per 5 s, per 10 s after half an hour, and so on. */
export class QualitySeries {
  #samples: QualitySample[] = [];
  #everyMs = SAMPLE_EVERY_MS;

  get samples(): readonly QualitySample[] {
    return this.#samples;
  }

  /** Called with every new reading; keeps only the due samples. */
  note(media: MediaStatistics, nowMs: number): void {
    const last = this.#samples.at(-1);
    if (last && nowMs - last.atMs < this.#everyMs) return;
    if (this.#samples.length >= SAMPLES_MAX) {
      this.#samples = this.#samples.filter((_, index) => index % 2 === 0);
      this.#everyMs *= 2;
    }
    this.#samples.push({
      atMs: nowMs,
      sent: media.packetsSent,
      received: media.packetsReceived,
      lost: media.packetsLost,
      late: media.packetsDiscarded,
      jitterMs: media.jitterMs,
      mos: media.mos,
    });
  }
}
