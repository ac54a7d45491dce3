/**
 * The receiving half of an RTP stream: datagrams in, 20 ms frames and key presses out.
 *
 * A packet must be well-formed, from the locked source, of an agreed payload type (or G.711), and
 * of the current SSRC. A new SSRC is accepted at its second packet in sequence; key presses may
 * have another. Other packets are dropped. Missing packets are concealed; before the first packet,
 * frames are silence.
 */

import { type CodecName, codecFormat } from "../../core/codecs.ts";
import { type Random, systemRandom } from "../../core/random.ts";
import type { AudioCodec, InboundAudio } from "../audio/codec.ts";
import { ALWAYS_TAKEN, audioCodec, clockTicksPerMs } from "../audio/codecs.ts";
import { BLOCK_OCTETS, JitterBuffer } from "./jitter-buffer.ts";
import { RtpPacketView } from "./packet.ts";
import { estimateMos, OTHER_DELAY_MS } from "./quality.ts";
import { ReceptionStatistics } from "./reception.ts";
import { SymmetricRtp } from "./symmetric-rtp.ts";
import { readTelephoneEvent, TelephoneEventReceiver } from "./telephone-event.ts";

const BLOCKS_PER_FRAME = 2;
/** Mean absolute sample value below which a block counts as quiet (about −50 dBm0). */
const QUIET_LEVEL = 64;
/** RFC 3551 6. Accepted even if not agreed: many remote parties send it anyway. */
const COMFORT_NOISE_TYPE = 13;
/** RTP payload types have seven bits. */
const PAYLOAD_TYPES = 128;

interface ReceiveFormat {
  readonly codec: CodecName;
  readonly payloadType: number;
  readonly telephoneEventType: number | null;
  /**
   * The remote party's numbers for its codec and its events. Some send these numbers instead of
   * ours (RFC 3264 6.1). They are accepted unless the same number has another meaning here.
   */
  readonly remoteTypes?: { readonly codec: number; readonly telephoneEvent: number | null };
  /** Codecs that the remote party may switch to without a new offer. */
  readonly otherCodecs?: readonly { readonly name: CodecName; readonly payloadType: number }[];
  /** Payload type of comfort noise (RFC 3389); default: its static type. */
  readonly comfortNoiseType?: number;
}

interface RtpReceiverOptions {
  readonly jitterMsMax: number;
  readonly onDigit: (digit: string) => void;
  /** Sample rate of the returned frames, whatever the codec's; default 8000. */
  readonly sampleRateHz?: 8000 | 16000;
  readonly random?: Random;
}

export class RtpReceiver {
  readonly source = new SymmetricRtp();
  readonly reception = new ReceptionStatistics();
  readonly #jitterBuffer: JitterBuffer;
  readonly #events = new TelephoneEventReceiver();
  readonly #packet = new RtpPacketView();
  readonly #octets = new Uint8Array(BLOCK_OCTETS);
  /** Payload of the last packet: the same memory while packets have the same size. */
  #payload = new Uint8Array(0);
  readonly #onDigit: (digit: string) => void;
  readonly #sampleRateHz: 8000 | 16000;
  readonly #random: Random;
  #format: ReceiveFormat | null = null;
  #meanings: readonly Meaning[] = [];
  #codec: AudioCodec | null = null;
  #audio: InboundAudio | null = null;
  #ssrc: number | null = null;
  #nextSsrc: number | null = null;
  #nextSequence = 0;
  #eventSsrc: number | null = null;
  #quiet = true;
  #discarded = 0;
  #lastLifeMs: number | null = null;

  constructor(options: RtpReceiverOptions) {
    this.#jitterBuffer = new JitterBuffer({ delayMsMax: options.jitterMsMax });
    this.#onDigit = options.onDigit;
    this.#sampleRateHz = options.sampleRateHz ?? 8000;
    this.#random = options.random ?? systemRandom;
  }

  get ssrc(): number | null {
    return this.#ssrc;
  }

  /** Packets that arrived too late (or too early) to be played. */
  get packetsDiscarded(): number {
    return this.#discarded;
  }

  /**
   * Time of the remote party's last RTP or RTCP, with any payload, on the monotonic clock; null
   * before the first.
   */
  get lastLifeMs(): number | null {
    return this.#lastLifeMs;
  }

  /**
   * Records an RTCP packet: a sign of life of a remote party that sends no RTP during silence (RFC
   * 3389 4.1).
   */
  noteReport(nowMs: number): void {
    this.#lastLifeMs = nowMs;
  }

  /** Estimated quality of the received audio. `networkMs`: delay of the network, one way. */
  mos(networkMs: number): number {
    const { packetsExpected, packetsLost } = this.reception;
    if (packetsExpected === 0) return 1;
    const missing = Math.min(packetsExpected, packetsLost + this.#discarded);
    const delayMs = this.#jitterBuffer.targetDelayMs + OTHER_DELAY_MS + networkMs;
    return estimateMos(missing / packetsExpected, delayMs);
  }

  /** Applies from the next packet. A change of codec clears the buffer and the coder's state. */
  configure(format: ReceiveFormat): void {
    this.#format = format;
    this.#meanings = meaningsByType(format);
    this.#switchTo(audioCodec(format.codec));
  }

  #switchTo(codec: AudioCodec): void {
    if (this.#codec === codec) return;
    this.#audio?.close();
    this.#codec = codec;
    this.#audio = codec.createInbound(this.#sampleRateHz, this.#random);
    this.#jitterBuffer.begin(this.#audio.storage, this.#audio.clockDivisor);
    this.reception.setClock(clockTicksPerMs(codec));
  }

  /** Frees the coder's memory. Frames are silence afterwards. */
  close(): void {
    this.#format = null;
    this.#audio?.close();
    this.#codec = null;
    this.#audio = null;
  }

  /** Processes a datagram of the RTP socket. Returns false if it is not a packet of this stream. */
  receive(datagram: Uint8Array, host: string, port: number, nowMs: number): boolean {
    const format = this.#format;
    const packet = this.#packet;
    if (!format || !packet.read(datagram)) return false;
    const meaning = this.#meanings[packet.payloadType];
    const isEvent = meaning === "event";
    const codec = isEvent ? undefined : meaning;
    const noiseType = format.comfortNoiseType ?? COMFORT_NOISE_TYPE;
    if (!isEvent && !codec && packet.payloadType !== noiseType) {
      // A keep-alive (RFC 6263 4), or a codec without an agreement.
      if (this.source.knows(host)) this.#lastLifeMs = nowMs;
      return false;
    }
    const { ssrc, sequenceNumber } = packet;
    if (!this.source.accept(host, port, ssrc, sequenceNumber, nowMs)) return false;
    if (!this.#isCurrentSsrc(ssrc, sequenceNumber, isEvent)) {
      if (isEvent) this.#takeEvent(datagram);
      return false;
    }
    this.#lastLifeMs = nowMs;
    const arrival = this.reception.receive(sequenceNumber, packet.timestamp, nowMs, !isEvent);
    if (arrival === "duplicate" || arrival === "jump") return true;
    if (arrival === "restart") {
      this.#jitterBuffer.reset();
      this.#events.reset();
    }
    if (isEvent) this.#takeEvent(datagram);
    else if (codec) this.#takeAudio(codec, datagram, nowMs);
    else this.#takeNoise(datagram);
    return true;
  }

  /** Fills the 20 ms frame of this tick. */
  takeFrame(frame: Int16Array, nowMs: number): void {
    const audio = this.#audio;
    if (!audio) {
      frame.fill(0);
      return;
    }
    for (let index = 0; index < BLOCKS_PER_FRAME; index++) {
      const kind = this.#jitterBuffer.take(this.#octets, nowMs, this.#quiet);
      if (kind === "audio") audio.play(this.#octets);
      else audio.conceal();
      frame.set(audio.block, index * audio.block.length);
      this.#quiet = meanLevel(audio.block) < QUIET_LEVEL;
    }
  }

  #takeNoise(datagram: Uint8Array): void {
    const { payloadOffset, payloadBytes } = this.#packet;
    this.#audio?.enterComfortNoise(datagram.subarray(payloadOffset, payloadOffset + payloadBytes));
  }

  #takeAudio(codec: AudioCodec, datagram: Uint8Array, nowMs: number): void {
    if (this.#packet.payloadBytes === 0) return;
    this.#switchTo(codec);
    this.#audio?.leaveComfortNoise();
    const payload = this.#payloadOf(datagram);
    if (this.#jitterBuffer.put(this.#packet.timestamp, payload, nowMs) !== "kept") {
      this.#discarded++;
    }
  }

  /** A copy: a view of the datagram costs more in the runtime and in garbage collection. */
  #payloadOf(datagram: Uint8Array): Uint8Array {
    const { payloadOffset, payloadBytes } = this.#packet;
    if (this.#payload.length !== payloadBytes) this.#payload = new Uint8Array(payloadBytes);
    const payload = this.#payload;
    for (let index = 0; index < payloadBytes; index++) {
      payload[index] = datagram[payloadOffset + index] ?? 0;
    }
    return payload;
  }

  #takeEvent(datagram: Uint8Array): void {
    const { payloadOffset, payloadBytes, timestamp, marker, ssrc } = this.#packet;
    if (ssrc !== this.#eventSsrc) this.#events.reset();
    this.#eventSsrc = ssrc;
    const event = readTelephoneEvent(datagram, payloadOffset, payloadBytes);
    const digit = event && this.#events.receive(event, timestamp, marker);
    if (digit) this.#onDigit(digit);
  }

  /**
   * Key presses alone never change it: some gateways send them under a separate SSRC, between
   * packets of audio.
   */
  #isCurrentSsrc(ssrc: number, sequence: number, isEvent: boolean): boolean {
    if (this.#ssrc === null) this.#ssrc = ssrc;
    if (this.#ssrc === ssrc) {
      this.#nextSsrc = null;
      return true;
    }
    const confirmed = !isEvent && this.#nextSsrc === ssrc && this.#nextSequence === sequence;
    this.#nextSsrc = ssrc;
    this.#nextSequence = (sequence + 1) & 0xffff;
    if (!confirmed) return false;
    this.#ssrc = ssrc;
    this.#nextSsrc = null;
    this.reception.restart();
    this.#jitterBuffer.reset();
    return true;
  }
}

type Meaning = AudioCodec | "event" | undefined;

/** Meaning of each payload type. Built once per plan, used for every packet. */
function meaningsByType(format: ReceiveFormat): Meaning[] {
  const { remoteTypes, telephoneEventType } = format;
  const meanings: Meaning[] = Array.from({ length: PAYLOAD_TYPES });
  if (remoteTypes) meanings[remoteTypes.codec] = audioCodec(format.codec);
  if (remoteTypes?.telephoneEvent) meanings[remoteTypes.telephoneEvent] = "event";
  for (const codec of ALWAYS_TAKEN) meanings[codecFormat(codec.name).payloadType] = codec;
  for (const { name, payloadType } of (format.otherCodecs ?? []).toReversed())
    meanings[payloadType] = audioCodec(name);
  meanings[format.payloadType] = audioCodec(format.codec);
  if (telephoneEventType !== null) meanings[telephoneEventType] = "event";
  return meanings;
}

function meanLevel(pcm: Int16Array): number {
  let sum = 0;
  for (let index = 0; index < pcm.length; index++) sum += Math.abs(pcm[index] ?? 0);
  return sum / pcm.length;
}
