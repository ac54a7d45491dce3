/**
 * Symmetric RTP (RFC 4961) that locks on to one source, to prevent RTP injection (RTP bleed).
 * Sources, most credible first:
 *
 * | source | accepted |
 * |---|---|
 * | the address of the SDP | at its first packet, permanently |
 * | the SDP's host at another port, the signalling host | after four packets in a row |
 * | any other: media from elsewhere, or a stranger | after four packets in a row |
 *
 * A more credible source replaces a less credible one at any time. A source that has been silent for
 * two seconds is replaced by its own host at another port (its NAT gave it a new one) or by a known
 * host. Otherwise only a new SDP moves the lock. After a new SDP, late packets of the old source may still arrive: until the old source
 * has continued for a second, another source of the same credibility replaces it, and we send to
 * the new SDP's address. Packets from any other source are dropped.
 */
import { sequenceDelta } from "./packet.ts";

const LEARN_PACKETS = 4;
/** Late packets of the old source arrive within this time. */
const LATE_MS = 1000;
/** After this pause the old source counts as stopped. */
const SILENT_MS = 100;
/** After this pause the source may have got another port from its NAT. */
const REBOUND_MS = 2000;

interface SourceAddress {
  readonly host: string;
  readonly port: number;
}

/** 3: the SDP's address; 2: a known host; 1: unknown. */
type Credibility = 3 | 2 | 1;

/**
 * Counts to four packets. One for known hosts and one for unknown ones, so that they do not
 * interfere.
 */
interface Candidate {
  address: SourceAddress | null;
  ssrc: number;
  sequence: number;
  packets: number;
}

export class SymmetricRtp {
  #signalled: SourceAddress | null = null;
  #signallingHost: string | null = null;
  #locked: SourceAddress | null = null;
  #credibility: Credibility = 1;
  /** The source from before the SDP changed, until a new one is learnt. */
  #previous: SourceAddress | null = null;
  /** Since when the previous source is locked again; its packets may only be late. */
  #lateSinceMs: number | null = null;
  #lockedPacketMs = 0;
  readonly #known: Candidate = { address: null, ssrc: 0, sequence: 0, packets: 0 };
  readonly #stranger: Candidate = { address: null, ssrc: 0, sequence: 0, packets: 0 };

  /** Destination of our RTP: the learnt source, otherwise the address of the SDP. */
  get destination(): SourceAddress | null {
    return this.#lateSinceMs === null ? (this.#locked ?? this.#signalled) : this.#signalled;
  }

  /**
   * Applies the address of a new SDP and the host that sent it. If the address is the same, the
   * learnt source stays.
   */
  signal(address: SourceAddress, signallingHost: string | null = null): void {
    this.#signallingHost = signallingHost;
    if (this.#signalled && isSame(this.#signalled, address.host, address.port)) return;
    this.#signalled = address;
    this.#previous = this.#locked ?? this.#previous;
    this.#locked = null;
    this.#lateSinceMs = null;
    this.#known.address = null;
    this.#stranger.address = null;
  }

  /** True for a known host of the remote party; used for RTCP. */
  knows(host: string): boolean {
    return host === this.#locked?.host || this.#isKnownHost(host);
  }

  /** True if a well-formed RTP packet from this source belongs to the call. */
  accept(host: string, port: number, ssrc: number, sequence: number, nowMs: number): boolean {
    if (this.#locked && isSame(this.#locked, host, port)) {
      this.#lockedPacketMs = nowMs;
      if (this.#lateSinceMs !== null && nowMs - this.#lateSinceMs >= LATE_MS)
        this.#lateSinceMs = null;
      return true;
    }
    if (!this.#signalled) return false;
    const credibility = this.#credibilityOf(this.#signalled, host, port);
    if (this.#locked && !this.#mayReplace(this.#locked, host, credibility, nowMs)) return false;
    if (credibility === 3) {
      this.#lock(this.#signalled, credibility, nowMs);
      return true;
    }
    const candidate = credibility === 2 ? this.#known : this.#stranger;
    const learnt = learn(candidate, host, port, ssrc, sequence);
    if (learnt) this.#lock(learnt, credibility, nowMs);
    return learnt !== null;
  }

  #mayReplace(
    locked: SourceAddress,
    host: string,
    credibility: Credibility,
    nowMs: number,
  ): boolean {
    if (credibility > this.#credibility) return true;
    const silentMs = nowMs - this.#lockedPacketMs;
    if (silentMs >= REBOUND_MS && (credibility === 2 || host === locked.host)) return true;
    const isLate = credibility === this.#credibility && this.#lateSinceMs !== null;
    return isLate && silentMs >= SILENT_MS;
  }

  #credibilityOf(signalled: SourceAddress, host: string, port: number): Credibility {
    if (isSame(signalled, host, port)) return 3;
    return this.#isKnownHost(host) ? 2 : 1;
  }

  #isKnownHost(host: string): boolean {
    return host === this.#signalled?.host || host === this.#signallingHost;
  }

  #lock(address: SourceAddress, credibility: Credibility, nowMs: number): void {
    const isPrevious =
      this.#previous !== null && isSame(this.#previous, address.host, address.port);
    this.#locked = address;
    this.#credibility = credibility;
    this.#lateSinceMs = isPrevious && credibility < 3 ? nowMs : null;
    this.#lockedPacketMs = nowMs;
    this.#previous = null;
  }
}

/** Returns the address once it has sent four packets in a row. */
function learn(
  candidate: Candidate,
  host: string,
  port: number,
  ssrc: number,
  sequence: number,
): SourceAddress | null {
  const isNext =
    candidate.address !== null &&
    isSame(candidate.address, host, port) &&
    candidate.ssrc === ssrc &&
    sequenceDelta(sequence, candidate.sequence) === 1;
  if (!isNext) {
    candidate.address = { host, port };
    candidate.ssrc = ssrc;
    candidate.packets = 0;
  }
  candidate.sequence = sequence;
  candidate.packets++;
  return candidate.packets < LEARN_PACKETS ? null : candidate.address;
}

function isSame(address: SourceAddress, host: string, port: number): boolean {
  return address.port === port && address.host === host;
}
