/**
 * The sending half of an RTP stream: 20 ms frames in, packets of the agreed ptime out, with key
 * presses as RFC 4733 events in between. One datagram buffer is reused; `transmit` must not keep it.
 * The RTP clock moves with every tick, sent or not (RFC 3550 5.1).
 */
import { type Random, randomInt } from "../../core/random.ts";
import { encodeG711, type G711Law } from "../audio/g711.ts";
import { RTP_HEADER_BYTES, writeRtpHeader } from "./packet.ts";
import { TELEPHONE_EVENT_BYTES, TelephoneEventSender } from "./telephone-event.ts";

export const FRAME_SAMPLES = 160;
const OCTETS_PER_MS = 8;
const PTIME_MS_MIN = 10;
const PTIME_MS_MAX = 60;
const PAYLOAD_OCTETS_MAX = PTIME_MS_MAX * OCTETS_PER_MS + FRAME_SAMPLES;

export interface SendFormat {
  readonly law: G711Law;
  readonly payloadType: number;
  /** Null: the far end takes no telephone-events. */
  readonly telephoneEventType: number | null;
  readonly ptimeMs: number;
}

export class RtpSender {
  readonly ssrc: number;
  readonly events = new TelephoneEventSender();
  readonly #transmit: (datagram: Uint8Array) => void;
  readonly #datagram = new Uint8Array(RTP_HEADER_BYTES + PAYLOAD_OCTETS_MAX);
  readonly #pending = new Uint8Array(PAYLOAD_OCTETS_MAX);
  readonly #silence = new Int16Array(FRAME_SAMPLES);
  #pendingOctets = 0;
  #format: SendFormat | null = null;
  #sequence: number;
  #timestamp: number;
  #marker = true;
  #ticks = 0;
  #packetsSent = 0;
  #octetsSent = 0;

  constructor(random: Random, transmit: (datagram: Uint8Array) => void) {
    this.#transmit = transmit;
    this.ssrc = randomInt(random, 2 ** 32);
    this.#sequence = randomInt(random, 2 ** 15);
    this.#timestamp = randomInt(random, 2 ** 32);
  }

  get packetsSent(): number {
    return this.#packetsSent;
  }

  get octetsSent(): number {
    return this.#octetsSent;
  }

  /** Milliseconds since the stream was made. Grows past the timestamp's wrap. */
  get clockMs(): number {
    return this.#ticks / OCTETS_PER_MS;
  }

  get timestamp(): number {
    return this.#timestamp;
  }

  configure(format: SendFormat): void {
    this.#flush();
    const ptimeMs = Math.min(PTIME_MS_MAX, Math.max(PTIME_MS_MIN, format.ptimeMs));
    this.#format = { ...format, ptimeMs };
  }

  /** One tick of audio: exactly `FRAME_SAMPLES` samples. */
  sendAudio(frame: Int16Array): void {
    const format = this.#format;
    if (!format) {
      this.skip(1);
      return;
    }
    encodeG711(format.law, frame, this.#pending, this.#pendingOctets, FRAME_SAMPLES);
    this.#pendingOctets += FRAME_SAMPLES;
    const packetOctets = format.ptimeMs * OCTETS_PER_MS;
    while (this.#pendingOctets >= packetOctets) this.#sendPending(packetOctets);
  }

  /** One tick of the digit under way in `events`; its pauses are sent as silence. */
  sendEvent(): void {
    const type = this.#format?.telephoneEventType ?? null;
    if (type === null) {
      this.skip(1);
      return;
    }
    this.#flush();
    const step = this.events.next(this.#timestamp, this.#datagram, RTP_HEADER_BYTES);
    if (step === "pause") {
      this.sendAudio(this.#silence);
      return;
    }
    this.#send(type, this.events.timestamp, TELEPHONE_EVENT_BYTES, step === "first");
    this.#advance(FRAME_SAMPLES);
    this.#marker = true;
  }

  /** Time passes without a packet: hold, or ticks that were skipped. */
  skip(ticks: number): void {
    if (ticks <= 0) return;
    this.#flush();
    this.#advance(ticks * FRAME_SAMPLES);
    this.#marker = true;
  }

  #flush(): void {
    if (this.#pendingOctets > 0) this.#sendPending(this.#pendingOctets);
  }

  #sendPending(octets: number): void {
    const type = this.#format?.payloadType ?? 0;
    this.#datagram.set(this.#pending.subarray(0, octets), RTP_HEADER_BYTES);
    this.#send(type, this.#timestamp, octets, this.#marker);
    this.#marker = false;
    this.#advance(octets);
    this.#pending.copyWithin(0, octets, this.#pendingOctets);
    this.#pendingOctets -= octets;
  }

  #send(payloadType: number, timestamp: number, payloadOctets: number, marker: boolean): void {
    const sequenceNumber = this.#sequence;
    const ssrc = this.ssrc;
    writeRtpHeader(this.#datagram, { marker, payloadType, sequenceNumber, timestamp, ssrc });
    this.#sequence = (sequenceNumber + 1) & 0xffff;
    this.#packetsSent++;
    this.#octetsSent += payloadOctets;
    this.#transmit(this.#datagram.subarray(0, RTP_HEADER_BYTES + payloadOctets));
  }

  #advance(ticks: number): void {
    this.#ticks += ticks;
    this.#timestamp = (this.#timestamp + ticks) >>> 0;
  }
}
