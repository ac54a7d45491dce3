/**
 * The sending half of an RTP stream: 20 ms frames in, packets of the agreed ptime out, with key
 * presses as RFC 4733 events in between. One datagram buffer is reused; `transmit` must not keep
 * it. The RTP clock advances with every tick, sent or not (RFC 3550 5.1).
 *
 * If comfort noise was agreed (RFC 3389), silence is not sent. One packet with the level is sent
 * when silence begins, when the level changes, and every `NOISE_EVERY_TICKS`.
 */

import type { CodecName } from "../../core/codecs.ts";
import { type Random, randomInt } from "../../core/random.ts";
import { audioCodec, clockTicksPerMs } from "../audio/codecs.ts";
import { noiseLevelOf } from "../audio/comfort-noise.ts";
import { OutboundAudio, PENDING_MS_MAX } from "../audio/outbound-audio.ts";
import { RTP_TRAILER_BYTES_MAX } from "../srtp/keys.ts";
import { RTP_HEADER_BYTES, writeRtpHeader } from "./packet.ts";
import { TELEPHONE_EVENT_BYTES, TelephoneEventSender } from "./telephone-event.ts";

const TICK_MS = 20;
/** G.711 and G.722; Opus needs less at our bit rate. */
const OCTETS_PER_MS_MAX = 8;
const PTIME_MS_MIN = 10;
const PTIME_MS_MAX = 60;
const PAYLOAD_OCTETS_MAX = PENDING_MS_MAX * OCTETS_PER_MS_MAX;
/** Frames below this level are silence; the first few of them are still sent. */
const SILENCE_LEVEL = 70;
const HANG_OVER_TICKS = 10;
const NOISE_EVERY_TICKS = 25;

interface SendFormat {
  readonly codec: CodecName;
  readonly payloadType: number;
  /** Null: the remote party does not support telephone-events. */
  readonly telephoneEventType: number | null;
  /** Clock rate of event durations; default 8000. */
  readonly telephoneEventClockHz?: number;
  readonly ptimeMs: number;
  /** Payload type of comfort noise; null or missing: silence is sent as audio. */
  readonly comfortNoiseType?: number | null;
}

export class RtpSender {
  readonly ssrc: number;
  readonly events = new TelephoneEventSender();
  readonly #sampleRateHz: 8000 | 16000;
  readonly #transmit: (datagram: Uint8Array, size: number) => void;
  readonly #datagram = new Uint8Array(
    RTP_HEADER_BYTES + PAYLOAD_OCTETS_MAX + RTP_TRAILER_BYTES_MAX,
  );
  readonly #header = { marker: false, payloadType: 0, sequenceNumber: 0, timestamp: 0, ssrc: 0 };
  readonly #silence: Int16Array;
  #format: SendFormat | null = null;
  #audio: OutboundAudio | null = null;
  #sequence: number;
  #timestamp: number;
  #marker = true;
  #clockMs = 0;
  #clockTicksPerMs = 8;
  #packetsSent = 0;
  #octetsSent = 0;
  #silentTicks = 0;

  /**
   * `transmit` gets the buffer and the size of the packet in it; at least `RTP_TRAILER_BYTES_MAX`
   * bytes follow the packet. Frames are at `sampleRateHz`.
   */
  constructor(
    random: Random,
    transmit: (datagram: Uint8Array, size: number) => void,
    sampleRateHz: 8000 | 16000 = 8000,
  ) {
    this.#transmit = transmit;
    this.#sampleRateHz = sampleRateHz;
    this.#silence = new Int16Array((sampleRateHz * TICK_MS) / 1000);
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

  get clockTicksPerMs(): number {
    return this.#clockTicksPerMs;
  }

  /** Milliseconds since the stream was created. Does not wrap with the timestamp. */
  get clockMs(): number {
    return this.#clockMs;
  }

  /** The RTP clock as it was `ms` ago. */
  timestampBefore(ms: number): number {
    return (this.#timestamp - ms * this.#clockTicksPerMs) >>> 0;
  }

  /** Applies from the next frame. A change of codec resets the coder's state. */
  configure(format: SendFormat): void {
    this.#flush();
    const ptimeMs = Math.min(PTIME_MS_MAX, Math.max(PTIME_MS_MIN, format.ptimeMs));
    const codec = audioCodec(format.codec);
    if (this.#audio?.codec !== codec) {
      this.#audio?.close();
      this.#audio = new OutboundAudio(codec, this.#sampleRateHz);
      this.#clockTicksPerMs = clockTicksPerMs(codec);
    }
    this.events.setClock(format.telephoneEventClockHz ?? 8000);
    this.#format = { ...format, ptimeMs: codec.packetMsOf(ptimeMs) };
  }

  /** Frees the coder's memory. Nothing is sent afterwards. */
  close(): void {
    this.#format = null;
    this.#audio?.close();
    this.#audio = null;
  }

  /** Sends one tick of audio: exactly 20 ms. */
  sendAudio(frame: Int16Array): void {
    const format = this.#format;
    const audio = this.#audio;
    if (!format || !audio) {
      this.skip(1);
      return;
    }
    if (this.#isSilence(format, frame)) {
      this.#sendNoise(format, frame);
      return;
    }
    audio.push(frame);
    while (audio.pendingMs >= format.ptimeMs) this.#sendPending(format.ptimeMs);
  }

  /** Sends one tick of the current digit in `events`; its pauses are sent as silence. */
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
    this.#advance(TICK_MS);
    this.#marker = true;
  }

  /** Advances the time without a packet: hold, or skipped ticks. */
  skip(ticks: number): void {
    if (ticks <= 0) return;
    this.#flush();
    this.#advance(ticks * TICK_MS);
    this.#marker = true;
  }

  #isSilence(format: SendFormat, frame: Int16Array): boolean {
    if ((format.comfortNoiseType ?? null) === null) return false;
    const isQuiet = noiseLevelOf(frame) >= SILENCE_LEVEL;
    this.#silentTicks = isQuiet ? this.#silentTicks + 1 : 0;
    return this.#silentTicks > HANG_OVER_TICKS;
  }

  #sendNoise(format: SendFormat, frame: Int16Array): void {
    this.#flush();
    const sinceFirst = this.#silentTicks - HANG_OVER_TICKS - 1;
    if (sinceFirst % NOISE_EVERY_TICKS === 0) {
      this.#datagram[RTP_HEADER_BYTES] = noiseLevelOf(frame);
      this.#send(format.comfortNoiseType ?? 0, this.#timestamp, 1, false);
    }
    this.#advance(TICK_MS);
    this.#marker = true;
  }

  #flush(): void {
    const pendingMs = this.#audio?.pendingMs ?? 0;
    if (pendingMs > 0) this.#sendPending(pendingMs);
  }

  #sendPending(ms: number): void {
    const octets = this.#audio?.take(ms, this.#datagram, RTP_HEADER_BYTES) ?? 0;
    if (octets > 0) {
      this.#send(this.#format?.payloadType ?? 0, this.#timestamp, octets, this.#marker);
      this.#marker = false;
    }
    this.#advance(ms);
  }

  #send(payloadType: number, timestamp: number, payloadOctets: number, marker: boolean): void {
    const header = this.#header;
    header.marker = marker;
    header.payloadType = payloadType;
    header.sequenceNumber = this.#sequence;
    header.timestamp = timestamp;
    header.ssrc = this.ssrc;
    writeRtpHeader(this.#datagram, header);
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#packetsSent++;
    this.#octetsSent += payloadOctets;
    this.#transmit(this.#datagram, RTP_HEADER_BYTES + payloadOctets);
  }

  #advance(ms: number): void {
    this.#clockMs += ms;
    this.#timestamp = (this.#timestamp + ms * this.#clockTicksPerMs) >>> 0;
  }
}
