/**
 * RTCP of one stream (RFC 3550 6): a report every 5 s ±50 % (6.2), and BYE at the end. The interval
 * is counted in ticks and needs no timer.
 */
import type { Clock } from "../../core/clock.ts";
import type { Random } from "../../core/random.ts";
import type { RtpReceiver } from "./receiver.ts";
import { ReceptionReports } from "./reported-reception.ts";
import { buildRtcp, middleOfNtp, type ReportBlock, type RtcpReport, readRtcp } from "./rtcp.ts";
import type { RtpSender } from "./sender.ts";

const INTERVAL_TICKS = 250;
const NTP_UNITS_PER_MS = 65.536;

interface RtcpSessionDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly sender: RtpSender;
  readonly receiver: RtpReceiver;
  /** Time from the creation of a packet to its departure. */
  readonly leadMs: () => number;
  /** Sends to the remote party's RTCP address. */
  readonly transmit: (datagram: Uint8Array) => void;
}

export class RtcpSession {
  /** About our own stream. */
  readonly reports = new ReceptionReports();
  readonly #deps: RtcpSessionDeps;
  readonly #cname: string;
  #ticksLeft: number;
  #packetsSentBefore = 0;
  #lastSenderReport = 0;
  #lastSenderReportMs = 0;

  constructor(deps: RtcpSessionDeps) {
    this.#deps = deps;
    this.#cname = Buffer.from(deps.random.bytes(9)).toString("base64url");
    this.#ticksLeft = this.#nextInterval();
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
    if (received.senderReportNtp !== null && received.ssrc === this.#deps.receiver.ssrc) {
      this.#lastSenderReport = received.senderReportNtp;
      this.#lastSenderReportMs = this.#deps.clock.now();
    }
    const { sender, clock } = this.#deps;
    const block = received.blocks.find(({ ssrc }) => ssrc === sender.ssrc);
    if (block)
      this.reports.receive(block, sender.packetsSent, sender.clockTicksPerMs, clock.monotonic());
    return true;
  }

  #report(goodbye: boolean): void {
    const { clock, sender, leadMs, transmit } = this.#deps;
    const nowMs = clock.now();
    const hasSent = sender.packetsSent > this.#packetsSentBefore;
    this.#packetsSentBefore = sender.packetsSent;
    const report: RtcpReport = {
      ssrc: sender.ssrc,
      sender: hasSent
        ? {
            nowMs,
            rtpTimestamp: sender.timestampBefore(leadMs()),
            packetsSent: sender.packetsSent,
            octetsSent: sender.octetsSent,
          }
        : null,
      block: this.#block(nowMs),
    };
    if (hasSent) this.reports.sent(middleOfNtp(nowMs), clock.monotonic());
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
