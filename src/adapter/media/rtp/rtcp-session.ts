/**
 * RTCP of one stream (RFC 3550 6): a report every 5 s ±50 % (6.2), counted in ticks so that it
 * needs no timer, round-trip time from the remote party's reports (6.4.1), BYE at the end.
 */
import type { Clock } from "../../../core/clock.ts";
import type { Random } from "../../../core/random.ts";
import type { RtpReceiver } from "./receiver.ts";
import { buildRtcp, middleNtp, type ReportBlock, type RtcpReport, readRtcp } from "./rtcp.ts";
import type { RtpSender } from "./sender.ts";

const INTERVAL_TICKS = 250;
const NTP_UNITS_PER_MS = 65.536;

interface RtcpSessionDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly sender: RtpSender;
  readonly receiver: RtpReceiver;
  /** Sends to the remote party's RTCP address. */
  readonly transmit: (datagram: Uint8Array) => void;
}

export class RtcpSession {
  readonly #deps: RtcpSessionDeps;
  readonly #cname: string;
  #ticksLeft: number;
  #packetsSentBefore = 0;
  #lastSenderReport = 0;
  #lastSenderReportMs = 0;
  #roundTripMs: number | null = null;
  #farFractionLost: number | null = null;

  constructor(deps: RtcpSessionDeps) {
    this.#deps = deps;
    this.#cname = Buffer.from(deps.random.bytes(9)).toString("base64url");
    this.#ticksLeft = this.#nextInterval();
  }

  /** Null until the remote party has sent a report about our stream. */
  get roundTripMs(): number | null {
    return this.#roundTripMs;
  }

  /** The remote party's recent loss of our packets, 0–1; null until it has sent a report. */
  get farLossRatio(): number | null {
    return this.#farFractionLost === null ? null : this.#farFractionLost / 256;
  }

  /** Called every 20 ms. */
  tick(): void {
    this.#ticksLeft--;
    if (this.#ticksLeft > 0) return;
    this.#ticksLeft = this.#nextInterval();
    this.#report(false);
  }

  goodbye(): void {
    if (this.#deps.sender.packetsSent > 0) this.#report(true);
  }

  /** Returns false if the datagram is not RTCP. */
  receive(datagram: Uint8Array): boolean {
    const received = readRtcp(datagram);
    if (!received) return false;
    const nowMs = this.#deps.clock.now();
    if (received.senderReportNtp !== null && received.ssrc === this.#deps.receiver.ssrc) {
      this.#lastSenderReport = received.senderReportNtp;
      this.#lastSenderReportMs = nowMs;
    }
    for (const block of received.blocks) {
      if (block.ssrc === this.#deps.sender.ssrc) this.#takeBlock(block, nowMs);
    }
    return true;
  }

  #takeBlock(block: ReportBlock, nowMs: number): void {
    this.#farFractionLost = block.fractionLost;
    if (block.lastSenderReport === 0) return;
    const away = (middleNtp(nowMs) - block.lastSenderReport) | 0;
    const units = away - block.delaySinceLastSenderReport;
    // A wrong clock of the remote party must not give a negative time.
    if (units >= 0) this.#roundTripMs = units / NTP_UNITS_PER_MS;
  }

  #report(goodbye: boolean): void {
    const { clock, sender, transmit } = this.#deps;
    const nowMs = clock.now();
    const hasSent = sender.packetsSent > this.#packetsSentBefore;
    this.#packetsSentBefore = sender.packetsSent;
    const report: RtcpReport = {
      ssrc: sender.ssrc,
      sender: hasSent
        ? {
            nowMs,
            rtpTimestamp: sender.timestamp,
            packetsSent: sender.packetsSent,
            octetsSent: sender.octetsSent,
          }
        : null,
      block: this.#block(nowMs),
    };
    transmit(buildRtcp(report, this.#cname, goodbye));
  }

  #block(nowMs: number): ReportBlock | null {
    const { receiver } = this.#deps;
    if (receiver.ssrc === null) return null;
    const sinceMs = this.#lastSenderReport === 0 ? 0 : nowMs - this.#lastSenderReportMs;
    return {
      ssrc: receiver.ssrc,
      ...receiver.reception.report(),
      lastSenderReport: this.#lastSenderReport,
      delaySinceLastSenderReport: Math.max(0, Math.round(sinceMs * NTP_UNITS_PER_MS)),
    };
  }

  #nextInterval(): number {
    return Math.round(INTERVAL_TICKS * (0.5 + this.#deps.random.float()));
  }
}
