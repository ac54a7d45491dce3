/**
 * A phone's audio: RTP in both directions on its own socket, paced on an absolute schedule of 20 ms
 * (RFC 3550, G.711), key presses (RFC 4733), and a receiver that records and detects speech of the
 * remote party.
 *
 * Received audio is placed by RTP timestamp, so that loss and reordering leave gaps in the right
 * places. Limits: ten minutes received, one minute of speech queued.
 */

import type { Clock, Timer } from "../../../../src/core/clock.ts";
import { type Random, randomInt } from "../../../../src/core/random.ts";
import {
  looksLikeRtcp,
  RTP_HEADER_BYTES,
  RtpPacketView,
  timestampDelta,
  writeRtpHeader,
} from "../../../../src/media/rtp/packet.ts";
import { buildRtcp } from "../../../../src/media/rtp/rtcp.ts";
import {
  readTelephoneEvent,
  TELEPHONE_EVENT_BYTES,
  TelephoneEventReceiver,
  TelephoneEventSender,
} from "../../../../src/media/rtp/telephone-event.ts";
import { decodeG711, encodeG711, type G711Law } from "../../../../src/platform/audio/g711.ts";
import { type Address, sendDatagram } from "./datagram.ts";
import { PAYLOAD_TYPES, type RemoteDescription } from "./session-description.ts";

export const PHONE_SAMPLE_RATE_HZ = 8000;
const FRAME_SAMPLES = 160;
const FRAME_MS = 20;
const RECEIVED_SAMPLES_MAX = 10 * 60 * PHONE_SAMPLE_RATE_HZ;
const QUEUE_SAMPLES_MAX = 60 * PHONE_SAMPLE_RATE_HZ;
/** Root mean square of a frame that counts as speech (about −44 dBFS). */
const SPEECH_RMS = 200;
/** A larger gap between timestamps is a new stream, not silence. */
const JUMP_SAMPLES_MAX = 30 * PHONE_SAMPLE_RATE_HZ;
/** A muted phone sends a report once per second. */
const REPORT_EVERY_FRAMES = 50;
/** A room is never digitally silent: noise of about −66 dBFS is added to everything sent. */
const ROOM_NOISE = 16;

interface PhoneMediaStatistics {
  readonly packetsSent: number;
  readonly packetsReceived: number;
}

/** Packets since `startReception`. */
interface Reception {
  readonly packets: number;
  /** Sequence numbers without a packet, between the first and the last. */
  readonly lost: number;
  /** Longest time between two packets. */
  readonly longestGapMs: number;
}

export class PhoneMedia {
  #socket: Bun.udp.Socket<"buffer"> | null = null;
  #remote: RemoteDescription | null = null;
  #sending = true;
  /** Frames since the phone was muted; null: not muted. */
  #mutedFrames: number | null = null;
  #timer: Timer | null = null;
  #nextFrameAt = 0;

  readonly #packet = new Uint8Array(RTP_HEADER_BYTES + FRAME_SAMPLES);
  readonly #frame = new Int16Array(FRAME_SAMPLES);
  readonly #digits = new TelephoneEventSender();
  #sequenceNumber: number;
  #timestamp: number;
  readonly #ssrc: number;
  #queue: Int16Array[] = [];
  #queuePosition = 0;
  #drained: (() => void)[] = [];

  readonly #view = new RtpPacketView();
  readonly #digitReceiver = new TelephoneEventReceiver();
  #received = new Int16Array(PHONE_SAMPLE_RATE_HZ * 30);
  #receivedSamples = 0;
  #remoteSsrc: number | null = null;
  /** RTP timestamp of the received sample `#streamStart`. */
  #streamTimestamp = 0;
  #streamStart = 0;
  #lastSpeechAt = Number.NEGATIVE_INFINITY;
  #digitsReceived = "";
  #packetsSent = 0;
  #packetsReceived = 0;
  /** Null until `startReception`. */
  #arrivals: { readonly sequenceNumber: number; readonly atMs: number }[] | null = null;
  #arrivalClock = () => 0;

  constructor(
    private readonly host: string,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {
    this.#sequenceNumber = randomInt(random, 0x10000);
    this.#timestamp = randomInt(random, 2 ** 32);
    this.#ssrc = randomInt(random, 2 ** 32);
  }

  /** Binds the socket and returns the address for the remote party. */
  async open(): Promise<Address> {
    this.#socket = await Bun.udpSocket({
      hostname: this.host,
      port: 0,
      socket: {
        data: (_socket, datagram) => this.#receive(datagram),
        error: () => {},
      },
    });
    return { host: this.host, port: this.#socket.port };
  }

  get statistics(): PhoneMediaStatistics {
    return { packetsSent: this.#packetsSent, packetsReceived: this.#packetsReceived };
  }

  /** `now`: the clock in ms that times the packets. */
  startReception(now = () => this.clock.monotonic()): void {
    this.#arrivals = [];
    this.#arrivalClock = now;
  }

  reception(): Reception {
    const arrivals = this.#arrivals ?? [];
    let longestGapMs = 0;
    let expected = arrivals.length > 0 ? 1 : 0;
    for (const [at, { sequenceNumber, atMs }] of arrivals.entries()) {
      const before = arrivals[at - 1];
      if (!before) continue;
      expected += (sequenceNumber - before.sequenceNumber) & 0xffff;
      longestGapMs = Math.max(longestGapMs, atMs - before.atMs);
    }
    return { packets: arrivals.length, lost: expected - arrivals.length, longestGapMs };
  }

  /** Keys pressed by the remote party. */
  get digitsReceived(): string {
    return this.#digitsReceived;
  }

  /**
   * Monotonic time of the last frame with speech of the remote party; −Infinity before the first.
   */
  get lastSpeechAt(): number {
    return this.#lastSpeechAt;
  }

  /** Starts sending, or applies a new description. `sending` false is hold. */
  connect(remote: RemoteDescription, sending: boolean): void {
    this.#remote = remote;
    this.#sending = sending;
    if (this.#timer || !this.#socket) return;
    this.#nextFrameAt = this.clock.monotonic();
    this.#schedule();
  }

  /** Silence suppression: sends RTCP reports instead of RTP (RFC 3550 6.4.2). */
  mute(on: boolean): void {
    this.#mutedFrames = on ? 0 : null;
  }

  /** Appends 8 kHz speech. Resolves when its last sample is sent or the call has ended. */
  play(pcm: Int16Array): Promise<void> {
    const queued = this.#queue.reduce((sum, part) => sum + part.length, 0);
    if (queued + pcm.length > QUEUE_SAMPLES_MAX)
      return Promise.reject(new RangeError("more than a minute of speech is queued"));
    this.#queue.push(pcm);
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  /**
   * RFC 4733 key presses; returns false if too many wait or the remote party does not support them.
   */
  press(digits: string): boolean {
    return this.#remote?.telephoneEvent != null && this.#digits.queue(digits);
  }

  get pressing(): boolean {
    return this.#digits.active;
  }

  /** A copy of all audio received so far, 8 kHz. */
  received(): Int16Array {
    return this.#received.slice(0, this.#receivedSamples);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#socket?.close();
    this.#socket = null;
    this.#announceDrained();
  }

  #schedule(): void {
    const delay = Math.max(0, this.#nextFrameAt - this.clock.monotonic());
    this.#timer = this.clock.after(delay, () => {
      const now = this.clock.monotonic();
      // After a stall, late frames are sent at once, but no more than a jitter buffer holds.
      if (now - this.#nextFrameAt > 10 * FRAME_MS) this.#nextFrameAt = now;
      while (this.#nextFrameAt <= now) {
        this.#nextFrameAt += FRAME_MS;
        this.#sendFrame();
      }
      if (this.#socket) this.#schedule();
    });
  }

  #sendFrame(): void {
    const remote = this.#remote;
    this.#timestamp = (this.#timestamp + FRAME_SAMPLES) >>> 0;
    if (!remote || !this.#sending) return;
    if (this.#mutedFrames !== null) this.#report(remote, this.#mutedFrames++);
    else if (this.#digits.active) this.#sendDigit(remote);
    else this.#sendSpeech(remote);
  }

  #report({ rtp }: RemoteDescription, frame: number): void {
    if (!this.#socket || frame % REPORT_EVERY_FRAMES > 0) return;
    const report = buildRtcp({ ssrc: this.#ssrc, sender: null, block: null }, "phone");
    sendDatagram(this.#socket, report, { host: rtp.host, port: rtp.port + 1 });
  }

  #sendSpeech(remote: RemoteDescription): void {
    this.#fillFrame();
    encodeG711(remote.codec, this.#frame, this.#packet, RTP_HEADER_BYTES);
    this.#send(remote, {
      payloadType: PAYLOAD_TYPES[remote.codec],
      marker: false,
      timestamp: this.#timestamp,
      payloadBytes: FRAME_SAMPLES,
    });
  }

  #sendDigit(remote: RemoteDescription): void {
    if (remote.telephoneEvent === null) return;
    const step = this.#digits.next(this.#timestamp, this.#packet, RTP_HEADER_BYTES);
    if (step === "pause") return;
    this.#send(remote, {
      payloadType: remote.telephoneEvent,
      marker: step === "first",
      timestamp: this.#digits.timestamp,
      payloadBytes: TELEPHONE_EVENT_BYTES,
    });
  }

  #send(
    remote: RemoteDescription,
    packet: { payloadType: number; marker: boolean; timestamp: number; payloadBytes: number },
  ): void {
    this.#sequenceNumber = (this.#sequenceNumber + 1) & 0xffff;
    writeRtpHeader(this.#packet, {
      marker: packet.marker,
      payloadType: packet.payloadType,
      sequenceNumber: this.#sequenceNumber,
      timestamp: packet.timestamp,
      ssrc: this.#ssrc,
    });
    this.#packetsSent++;
    const bytes = this.#packet.subarray(0, RTP_HEADER_BYTES + packet.payloadBytes);
    if (this.#socket) sendDatagram(this.#socket, bytes, remote.rtp);
  }

  /** The next 20 ms of speech with room noise. */
  #fillFrame(): void {
    for (let i = 0; i < FRAME_SAMPLES; i++)
      this.#frame[i] = (this.random.float() - 0.5) * 2 * ROOM_NOISE;
    let filled = 0;
    while (filled < FRAME_SAMPLES) {
      const part = this.#queue[0];
      if (!part) break;
      const count = Math.min(part.length - this.#queuePosition, FRAME_SAMPLES - filled);
      for (let i = 0; i < count; i++) {
        const sample = (this.#frame[filled + i] ?? 0) + (part[this.#queuePosition + i] ?? 0);
        this.#frame[filled + i] = Math.max(-32768, Math.min(32767, sample));
      }
      filled += count;
      this.#queuePosition += count;
      if (this.#queuePosition < part.length) break;
      this.#queue.shift();
      this.#queuePosition = 0;
      if (this.#queue.length === 0) this.#announceDrained();
    }
  }

  #announceDrained(): void {
    const waiting = this.#drained;
    this.#drained = [];
    for (const resolve of waiting) resolve();
  }

  #receive(datagram: Uint8Array): void {
    const view = this.#view;
    if (looksLikeRtcp(datagram) || !view.read(datagram) || !this.#remote) return;
    this.#packetsReceived++;
    const { sequenceNumber } = view;
    this.#arrivals?.push({ sequenceNumber, atMs: this.#arrivalClock() });
    if (view.payloadType === this.#remote.telephoneEvent) this.#receiveDigit(datagram);
    const law = view.payloadType === 0 ? "PCMU" : view.payloadType === 8 ? "PCMA" : null;
    if (law) this.#storeReceived(law, datagram);
  }

  #receiveDigit(datagram: Uint8Array): void {
    const view = this.#view;
    const event = readTelephoneEvent(datagram, view.payloadOffset, view.payloadBytes);
    if (!event) return;
    const key = this.#digitReceiver.receive(event, view.timestamp, view.marker);
    if (key !== null) this.#digitsReceived += key;
  }

  #storeReceived(law: G711Law, datagram: Uint8Array): void {
    const view = this.#view;
    let position = this.#streamStart + timestampDelta(view.timestamp, this.#streamTimestamp);
    const jumped = Math.abs(position - this.#receivedSamples) > JUMP_SAMPLES_MAX;
    if (this.#remoteSsrc !== view.ssrc || jumped) {
      this.#remoteSsrc = view.ssrc;
      this.#streamTimestamp = view.timestamp;
      this.#streamStart = this.#receivedSamples;
      position = this.#streamStart;
    }
    const end = position + view.payloadBytes;
    if (position < 0 || end > RECEIVED_SAMPLES_MAX) return;
    if (end > this.#received.length) this.#growReceived(end);
    const target = this.#received.subarray(position, end);
    decodeG711(law, datagram, target, view.payloadOffset, view.payloadBytes);
    this.#receivedSamples = Math.max(this.#receivedSamples, end);
    if (rootMeanSquare(target) > SPEECH_RMS) this.#lastSpeechAt = this.clock.monotonic();
  }

  #growReceived(samples: number): void {
    const larger = new Int16Array(Math.min(RECEIVED_SAMPLES_MAX, samples * 2));
    larger.set(this.#received);
    this.#received = larger;
  }
}

function rootMeanSquare(pcm: Int16Array): number {
  let sum = 0;
  for (const sample of pcm) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, pcm.length));
}
