/**
 * The receiving half of an RTP stream: datagrams in, 20 ms frames and key presses out.
 *
 * Order of trust: well-formed, from the locked source, of an agreed payload type, of the current
 * SSRC (a new one is believed at its second packet in sequence). What fails is dropped unseen.
 * Frames are concealed where packets are missing; before the first packet they are silence.
 */
import { PacketLossConcealment } from "../audio/concealment.ts";
import { decodeG711, type G711Law } from "../audio/g711.ts";
import { BLOCK_OCTETS, JitterBuffer } from "./jitter-buffer.ts";
import { RtpPacketView } from "./packet.ts";
import { estimateMos } from "./quality.ts";
import { ReceptionStatistics } from "./reception.ts";
import { SourceLock } from "./source-lock.ts";
import { readTelephoneEvent, TelephoneEventReceiver } from "./telephone-event.ts";

const SAMPLE_RATE_HZ = 8000;
const BLOCKS_PER_FRAME = 2;
/** Mean absolute sample value below which a block counts as quiet (about −50 dBm0). */
const QUIET_LEVEL = 64;
/** Packet time and the far end's own delay, added to the jitter buffer's for the MOS. */
const OTHER_DELAY_MS = 60;

export interface ReceiveFormat {
  readonly law: G711Law;
  readonly payloadType: number;
  readonly telephoneEventType: number | null;
}

export class RtpReceiver {
  readonly source = new SourceLock();
  readonly reception = new ReceptionStatistics();
  readonly #jitterBuffer: JitterBuffer;
  readonly #concealment = new PacketLossConcealment(SAMPLE_RATE_HZ);
  readonly #events = new TelephoneEventReceiver();
  readonly #packet = new RtpPacketView();
  readonly #octets = new Uint8Array(BLOCK_OCTETS);
  readonly #onDigit: (digit: string) => void;
  #format: ReceiveFormat | null = null;
  #ssrc: number | null = null;
  #nextSsrc: number | null = null;
  #nextSequence = 0;
  #quiet = true;
  #discarded = 0;
  #lastPacketMs: number | null = null;

  constructor(options: { readonly jitterMsMax: number; onDigit: (digit: string) => void }) {
    this.#jitterBuffer = new JitterBuffer({ delayMsMax: options.jitterMsMax });
    this.#onDigit = options.onDigit;
  }

  get ssrc(): number | null {
    return this.#ssrc;
  }

  /** Arrived, but too late (or too early) to be played. */
  get packetsDiscarded(): number {
    return this.#discarded;
  }

  /** When the last packet of the stream came, on the monotonic clock; null before the first. */
  get lastPacketMs(): number | null {
    return this.#lastPacketMs;
  }

  get mos(): number {
    const { packetsExpected, packetsLost } = this.reception;
    if (packetsExpected === 0) return 1;
    const unheard = Math.min(packetsExpected, packetsLost + this.#discarded);
    const delayMs = this.#jitterBuffer.targetDelayMs + OTHER_DELAY_MS;
    return estimateMos(unheard / packetsExpected, delayMs);
  }

  configure(format: ReceiveFormat): void {
    if (this.#format && this.#format.law !== format.law) this.#jitterBuffer.reset();
    this.#format = format;
  }

  /** One datagram of the RTP socket. False when it was no packet of this stream. */
  receive(datagram: Uint8Array, host: string, port: number, nowMs: number): boolean {
    const format = this.#format;
    const packet = this.#packet;
    if (!format || !packet.read(datagram)) return false;
    const isEvent = packet.payloadType === format.telephoneEventType;
    if (!isEvent && packet.payloadType !== format.payloadType) return false;
    const { ssrc, sequenceNumber } = packet;
    if (!this.source.accept(host, port, ssrc, sequenceNumber, nowMs)) return false;
    if (!this.#isCurrentSsrc(ssrc, sequenceNumber)) return false;
    this.#lastPacketMs = nowMs;
    const arrival = this.reception.receive(sequenceNumber, packet.timestamp, nowMs, !isEvent);
    if (arrival === "duplicate" || arrival === "jump") return true;
    if (arrival === "restart") this.#forgetBuffered();
    if (isEvent) this.#takeEvent(datagram);
    else this.#takeAudio(datagram, nowMs);
    return true;
  }

  /** Fills the 20 ms frame of this tick. */
  takeFrame(frame: Int16Array, nowMs: number): void {
    for (let block = 0; block < BLOCKS_PER_FRAME; block++) {
      const start = block * BLOCK_OCTETS;
      this.#takeBlock(frame.subarray(start, start + BLOCK_OCTETS), nowMs);
    }
  }

  #takeBlock(pcm: Int16Array, nowMs: number): void {
    const kind = this.#jitterBuffer.take(this.#octets, nowMs, this.#quiet);
    if (kind === "audio" && this.#format) {
      decodeG711(this.#format.law, this.#octets, pcm);
      this.#concealment.accept(pcm);
    } else {
      this.#concealment.conceal(pcm);
    }
    this.#quiet = meanLevel(pcm) < QUIET_LEVEL;
  }

  #takeAudio(datagram: Uint8Array, nowMs: number): void {
    const { payloadOffset, payloadBytes, timestamp } = this.#packet;
    if (payloadBytes === 0) return;
    const payload = datagram.subarray(payloadOffset, payloadOffset + payloadBytes);
    if (this.#jitterBuffer.put(timestamp, payload, nowMs) !== "kept") this.#discarded++;
  }

  #takeEvent(datagram: Uint8Array): void {
    const { payloadOffset, payloadBytes, timestamp, marker } = this.#packet;
    const event = readTelephoneEvent(datagram, payloadOffset, payloadBytes);
    const digit = event && this.#events.receive(event, timestamp, marker);
    if (digit) this.#onDigit(digit);
  }

  #isCurrentSsrc(ssrc: number, sequence: number): boolean {
    if (this.#ssrc === null) this.#ssrc = ssrc;
    if (this.#ssrc === ssrc) {
      this.#nextSsrc = null;
      return true;
    }
    const confirmed = this.#nextSsrc === ssrc && this.#nextSequence === sequence;
    this.#nextSsrc = ssrc;
    this.#nextSequence = (sequence + 1) & 0xffff;
    if (!confirmed) return false;
    this.#ssrc = ssrc;
    this.#nextSsrc = null;
    this.reception.restart();
    this.#forgetBuffered();
    return true;
  }

  #forgetBuffered(): void {
    this.#jitterBuffer.reset();
    this.#events.reset();
  }
}

function meanLevel(pcm: Int16Array): number {
  let sum = 0;
  for (let index = 0; index < pcm.length; index++) sum += Math.abs(pcm[index] ?? 0);
  return sum / pcm.length;
}
