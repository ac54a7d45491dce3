/**
 * Symmetric RTP that locks on (RFC 4961) and withstands strangers' packets (RTP bleed). Sources,
 * most credible first:
 *
 * | source | believed |
 * |---|---|
 * | the address of the SDP | at its first packet, for good |
 * | the SDP's host at another port, the host that signals | after four packets in a row |
 * | any other: media from elsewhere, or a stranger | after four packets in a row |
 *
 * A more credible source replaces a less credible one whenever it comes; nothing else moves the lock
 * but a new SDP. After one, packets of the old source may still be under way: until it has gone on for
 * a second, another source of the same credibility takes its place, and our own packets go to the
 * new SDP's address. Whatever comes from elsewhere is not heard.
 */
import { sequenceDelta } from "./packet.ts";

const LEARN_PACKETS = 4;
/** Packets of the old source are under way for less. */
const LATE_MS = 1000;
/** The old source has sent its last packet. */
const SILENT_MS = 100;

interface SourceAddress {
  readonly host: string;
  readonly port: number;
}

/** Of the SDP; of a host that is known; of nobody we know. */
type Credibility = 3 | 2 | 1;

/** Who counts up to four. One for known hosts and one for strangers: neither disturbs the other. */
interface Candidate {
  address: SourceAddress | null;
  ssrc: number;
  sequence: number;
  packets: number;
}

export class SourceLock {
  #signalled: SourceAddress | null = null;
  #signallingHost: string | null = null;
  #locked: SourceAddress | null = null;
  #credibility: Credibility = 1;
  /** The source from before the SDP changed, as long as nothing was learnt since. */
  #previous: SourceAddress | null = null;
  /** Since when the previous source is locked, as long as it may only be late. */
  #lateSinceMs: number | null = null;
  #lockedPacketMs = 0;
  readonly #known: Candidate = { address: null, ssrc: 0, sequence: 0, packets: 0 };
  readonly #stranger: Candidate = { address: null, ssrc: 0, sequence: 0, packets: 0 };

  /** Where to send: the source learnt, else the address of the SDP. */
  get destination(): SourceAddress | null {
    return this.#lateSinceMs === null ? (this.#locked ?? this.#signalled) : this.#signalled;
  }

  /** The address of a new SDP, and who sent it. The same address again keeps what was learnt. */
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

  /** The far end's host, as far as anybody knows: for RTCP. */
  knows(host: string): boolean {
    return host === this.#locked?.host || this.#isKnownHost(host);
  }

  /** True when a well-formed RTP packet from there belongs to the call. */
  accept(host: string, port: number, ssrc: number, sequence: number, nowMs: number): boolean {
    if (this.#locked && isSame(this.#locked, host, port)) {
      this.#lockedPacketMs = nowMs;
      if (this.#lateSinceMs !== null && nowMs - this.#lateSinceMs >= LATE_MS)
        this.#lateSinceMs = null;
      return true;
    }
    if (!this.#signalled) return false;
    const credibility = this.#credibilityOf(this.#signalled, host, port);
    if (this.#locked && !this.#mayReplace(credibility, nowMs)) return false;
    if (credibility === 3) {
      this.#lock(this.#signalled, credibility, nowMs);
      return true;
    }
    const candidate = credibility === 2 ? this.#known : this.#stranger;
    const learnt = learn(candidate, host, port, ssrc, sequence);
    if (learnt) this.#lock(learnt, credibility, nowMs);
    return learnt !== null;
  }

  #mayReplace(credibility: Credibility, nowMs: number): boolean {
    if (credibility !== this.#credibility) return credibility > this.#credibility;
    return this.#lateSinceMs !== null && nowMs - this.#lockedPacketMs >= SILENT_MS;
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

/** The address once it has sent four packets in a row. */
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
