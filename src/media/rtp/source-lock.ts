/**
 * Symmetric RTP that locks on (RFC 4961), with the rules by which rtpengine withstands RTP bleed:
 * a stream is learnt from the address of the SDP at its first packet, or from one other source by
 * four consecutive packets within five seconds of the first packet of anybody; from then on
 * nothing moves it but a new plan. Whatever comes from elsewhere is not heard.
 */
import { sequenceDelta } from "./packet.ts";

const LEARN_WINDOW_MS = 5000;
const LEARN_PACKETS = 4;

export interface SourceAddress {
  readonly host: string;
  readonly port: number;
}

export class SourceLock {
  #signalled: SourceAddress | null = null;
  #locked: SourceAddress | null = null;
  #lockedBySignalling = false;
  #firstPacketMs: number | null = null;
  #candidate: SourceAddress | null = null;
  #candidateSsrc = 0;
  #candidateSequence = 0;
  #candidatePackets = 0;

  /** Where to send: the source learnt, else the address of the SDP. */
  get destination(): SourceAddress | null {
    return this.#locked ?? this.#signalled;
  }

  get locked(): boolean {
    return this.#locked !== null;
  }

  /** The address of a new SDP. The same one again changes nothing. */
  signal(address: SourceAddress): void {
    if (this.#signalled && isSame(this.#signalled, address.host, address.port)) return;
    this.#signalled = address;
    this.#locked = null;
    this.#lockedBySignalling = false;
    this.#firstPacketMs = null;
    this.#candidate = null;
  }

  /** True when a well-formed RTP packet from there belongs to the call. */
  accept(host: string, port: number, ssrc: number, sequence: number, nowMs: number): boolean {
    if (this.#locked && isSame(this.#locked, host, port)) return true;
    if (!this.#signalled || this.#lockedBySignalling) return false;
    this.#firstPacketMs ??= nowMs;
    if (isSame(this.#signalled, host, port)) return this.#acceptSignalled(nowMs);
    if (this.#locked || nowMs - this.#firstPacketMs > LEARN_WINDOW_MS) return false;
    return this.#learn(host, port, ssrc, sequence);
  }

  /** Also within the window after another source was learnt: the SDP is the better witness. */
  #acceptSignalled(nowMs: number): boolean {
    const inWindow = nowMs - (this.#firstPacketMs ?? nowMs) <= LEARN_WINDOW_MS;
    if (this.#locked && !inWindow) return false;
    this.#locked = this.#signalled;
    this.#lockedBySignalling = true;
    return true;
  }

  #learn(host: string, port: number, ssrc: number, sequence: number): boolean {
    const isNext =
      this.#candidate !== null &&
      isSame(this.#candidate, host, port) &&
      this.#candidateSsrc === ssrc &&
      sequenceDelta(sequence, this.#candidateSequence) === 1;
    if (!isNext) {
      this.#candidate = { host, port };
      this.#candidateSsrc = ssrc;
      this.#candidatePackets = 0;
    }
    this.#candidateSequence = sequence;
    this.#candidatePackets++;
    if (this.#candidatePackets < LEARN_PACKETS) return false;
    this.#locked = this.#candidate;
    return true;
  }
}

function isSame(address: SourceAddress, host: string, port: number): boolean {
  return address.port === port && address.host === host;
}
