/**
 * Reception of our audio as the remote party reports it, and the round-trip time (RFC 3550 6.4.1).
 * Every value is bounded: a remote party may report anything.
 */
import type { ReportedReception } from "../../core/media-plan.ts";
import { estimateMos, OTHER_DELAY_MS } from "./quality.ts";
import type { ReportBlock } from "./rtcp.ts";

const NTP_UNITS_PER_MS = 65.536;
const SENT_REPORTS_MAX = 8;
const JITTER_MS_MAX = 10_000;
const ROUND_TRIP_MS_MAX = 10_000;
/** Weight of the newest round-trip time. */
const NEWEST_WEIGHT = 1 / 4;

export class ReceptionReports {
  /** Our last sender reports: the middle 32 bits of the NTP time, and when they were sent. */
  readonly #sent: { readonly ntp: number; readonly sentAtMs: number }[] = [];
  #last: ReportBlock | null = null;
  #jitterMs = 0;
  /** By the fractions of all reports: some remote parties never fill in the total. */
  #lostByFractions = 0;
  #packetsBefore = 0;
  #packetsSent = 0;
  #roundTripMs: number | null = null;

  get reported(): ReportedReception | null {
    if (!this.#last) return null;
    const lost = Math.max(this.#last.packetsLost, this.#lostByFractions);
    return {
      packetsLost: Math.min(this.#packetsSent, Math.round(lost)),
      jitterMs: Math.round(this.#jitterMs * 100) / 100,
      recentLoss: this.#last.fractionLost / 256,
    };
  }

  /** Estimated quality of our audio at the remote party; null without reports. */
  get mos(): number | null {
    const { reported } = this;
    if (!reported) return null;
    const networkMs = (this.#roundTripMs ?? 0) / 2;
    // A jitter buffer of the usual size.
    const delayMs = networkMs + 2 * reported.jitterMs + OTHER_DELAY_MS;
    return estimateMos(reported.packetsLost / Math.max(1, this.#packetsSent), delayMs);
  }

  get roundTripMs(): number | null {
    return this.#roundTripMs === null ? null : Math.round(this.#roundTripMs);
  }

  /** A sender report left now. `atMs`: monotonic. */
  sent(ntp: number, atMs: number): void {
    this.#sent.push({ ntp, sentAtMs: atMs });
    if (this.#sent.length > SENT_REPORTS_MAX) this.#sent.shift();
  }

  /** A report about our stream. `packetsSent`: ours so far. */
  receive(block: ReportBlock, packetsSent: number, ticksPerMs: number, atMs: number): void {
    const packets = packetsSent - this.#packetsBefore;
    this.#packetsBefore = packetsSent;
    this.#packetsSent = packetsSent;
    this.#lostByFractions += (block.fractionLost / 256) * packets;
    this.#last = block;
    this.#jitterMs = Math.min(JITTER_MS_MAX, block.jitterTicks / ticksPerMs);
    const report = this.#sent.find(({ ntp }) => ntp === block.lastSenderReport);
    if (!report) return;
    const heldMs = block.delaySinceLastSenderReport / NTP_UNITS_PER_MS;
    const measuredMs = Math.max(0, atMs - report.sentAtMs - heldMs);
    if (measuredMs > ROUND_TRIP_MS_MAX) return;
    this.#roundTripMs ??= measuredMs;
    this.#roundTripMs += (measuredMs - this.#roundTripMs) * NEWEST_WEIGHT;
  }
}
