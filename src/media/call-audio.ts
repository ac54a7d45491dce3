/**
 * A call's audio. Implements the `CallAudio` port with sockets, the sending and receiving half of
 * the RTP stream, playout and recording. Runs on the call worker's thread, driven by the worker's
 * one pacer.
 *
 * The ports are bound (RTP even, RTCP above) before the promise resolves, so that SDP can contain
 * them. Once connected, a packet is sent every ptime (silence while nothing is queued), except on
 * hold. If a listener throws, the error is logged and nothing stops. While the remote party accepts
 * no audio (hold), playout pauses and continues afterwards.
 */

import type { CallAudio, MediaTimeout } from "../conversation/audio-port.ts";
import type { RecordingInfo } from "../conversation/call-report.ts";
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { MediaPlan, MediaStatistics } from "../core/media-plan.ts";
import type { PacketHeaders } from "../core/packet-headers.ts";
import { type Random, systemRandom } from "../core/random.ts";
import { dtmfTones } from "../platform/audio/tones.ts";
import { PlayoutQueue } from "./audio/playout-queue.ts";
import { createCallMonitor } from "./call-monitor.ts";
import { DigitMerge, type DigitSource } from "./dtmf/digit-merge.ts";
import { DtmfDetector } from "./dtmf/tone-detector.ts";
import { MediaTimeoutWatch } from "./media-timeout.ts";
import { CallRecorder } from "./recording/recorder.ts";
import { HeaderCapture } from "./rtp/header-capture.ts";
import type { PacedStream, Pacer } from "./rtp/pacer.ts";
import { looksLikeRtcp } from "./rtp/packet.ts";
import type { PortPool } from "./rtp/port-pool.ts";
import { RtpReceiver } from "./rtp/receiver.ts";
import { RtcpSession } from "./rtp/rtcp-session.ts";
import type { RtpSendThread } from "./rtp/rtp-send-thread.ts";
import { RtpSender } from "./rtp/sender.ts";
import { bindRtpSockets, type RtpSocketPair } from "./rtp/socket-pair.ts";
import { SrtpSession } from "./srtp/session.ts";

interface CallAudioOptions {
  /** The address that the sockets bind to. */
  readonly rtpHost: string;
  readonly jitterMsMax: number;
  /** Time without RTP and RTCP in `sendrecv`. */
  readonly rtpTimeoutMs: number;
  /** Maximum duration of a hold, by either side. */
  readonly holdTimeoutMs: number;
  /** The conversation's rate; audio of codecs with another rate is resampled. Default 8000. */
  readonly sampleRateHz?: 8000 | 16000;
  /** Whether packet headers are recorded. Default: no. */
  readonly keepsPacketHeaders?: boolean;
}

interface CallAudioDeps {
  readonly ports: PortPool;
  /** The worker's one pacer; it lives longer than the call. */
  readonly pacer: Pacer;
  /** The worker's send thread. If null or missing, packets are sent when they are created. */
  readonly sendThread?: RtpSendThread | null;
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: Random;
}

const SAMPLE_RATE_HZ = 8000;
const FRAMES_PER_SECOND = 50;
/** Longer skipped time is not recorded as silence: the thread was stopped, not late. */
const SKIPPED_TICKS_RECORDED_MAX = 3000;
const DISCARD_PORT = 9;

/** Throws `unavailable` when no port is free. The caller must `close` the result. */
export async function createCallAudio(
  options: CallAudioOptions,
  deps: CallAudioDeps,
): Promise<CallAudio> {
  const audio = new RtpCallAudio(options, deps);
  await audio.open();
  return audio;
}

class RtpCallAudio implements CallAudio, PacedStream {
  readonly sampleRateHz: 8000 | 16000;
  readonly #options: CallAudioOptions;
  readonly #deps: CallAudioDeps;
  readonly #sender: RtpSender;
  readonly #receiver: RtpReceiver;
  readonly #rtcp: RtcpSession;
  readonly #srtp = new SrtpSession();
  readonly #digits = new DigitMerge();
  /** Detects tones if the remote party does not support telephone-events. */
  #toneDetector: DtmfDetector | null = null;
  readonly #queue: PlayoutQueue;
  readonly #callerFrame: Int16Array;
  readonly #agentFrame: Int16Array;
  readonly #frameListeners: ((pcm: Int16Array) => void)[] = [];
  readonly #digitListeners: ((digit: string) => void)[] = [];
  #timeoutListener: ((timeout: MediaTimeout) => void) | null = null;
  #callerMuted = false;
  #monitor: ((caller: Int16Array, agent: Int16Array) => void) | null = null;
  #sockets: RtpSocketPair | null = null;
  /** The last datagram of the sender, without the unused part of its buffer. */
  #packet: Uint8Array = new Uint8Array(0);
  #plan: MediaPlan | null = null;
  readonly #timeout: MediaTimeoutWatch;
  readonly #headers: HeaderCapture | null;
  #recorder: CallRecorder | null = null;
  #closing: Promise<RecordingInfo | null> | null = null;

  constructor(options: CallAudioOptions, deps: CallAudioDeps) {
    const random = deps.random ?? systemRandom;
    this.#options = options;
    this.#deps = deps;
    this.#timeout = new MediaTimeoutWatch(options);
    this.#headers = options.keepsPacketHeaders
      ? new HeaderCapture(options.rtpHost, deps.clock)
      : null;
    const sampleRateHz = options.sampleRateHz ?? SAMPLE_RATE_HZ;
    const frameSamples = sampleRateHz / FRAMES_PER_SECOND;
    this.sampleRateHz = sampleRateHz;
    this.#queue = new PlayoutQueue(sampleRateHz);
    this.#callerFrame = new Int16Array(frameSamples);
    this.#agentFrame = new Int16Array(frameSamples);
    this.#sender = new RtpSender(
      random,
      (datagram, size) => this.#transmitRtp(datagram, size),
      sampleRateHz,
    );
    this.#receiver = new RtpReceiver({
      jitterMsMax: options.jitterMsMax,
      sampleRateHz,
      random,
      onDigit: (digit) => this.#pressed(digit, "event"),
    });
    this.#rtcp = new RtcpSession({
      clock: deps.clock,
      random,
      sender: this.#sender,
      receiver: this.#receiver,
      leadMs: () => this.#leadMs,
      transmit: (datagram) => this.#transmitRtcp(datagram),
    });
  }

  async open(): Promise<void> {
    this.#sockets = await bindRtpSockets(
      this.#options.rtpHost,
      this.#deps.ports,
      (datagram, host, port, atMs) => this.#onRtp(datagram, host, port, atMs),
      (datagram, host, port) => {
        this.#headers?.note("in", this.rtpPort + 1, datagram, host, port);
        this.#onRtcp(datagram, host);
      },
      this.#deps.sendThread,
    );
    this.#deps.pacer.add(this);
  }

  get rtpPort(): number {
    return this.#sockets?.rtpPort ?? 0;
  }

  connect(plan: MediaPlan): void {
    const codec = plan.codec.name;
    this.#plan = plan;
    this.#srtp.use(plan.srtp ?? null);
    this.#sender.configure({
      codec,
      payloadType: plan.codec.sendPayloadType,
      telephoneEventType: plan.telephoneEvent?.send ?? null,
      telephoneEventClockHz: plan.telephoneEvent?.clockRateHz ?? 8000,
      ptimeMs: plan.ptimeMs,
      comfortNoiseType: plan.comfortNoise ?? null,
    });
    this.#receiver.configure({
      codec,
      otherCodecs: plan.otherCodecs ?? [],
      payloadType: plan.codec.receivePayloadType,
      telephoneEventType: plan.telephoneEvent?.receive ?? null,
      remoteTypes: {
        codec: plan.codec.sendPayloadType,
        telephoneEvent: plan.telephoneEvent?.send ?? null,
      },
    });
    if (plan.telephoneEvent) this.#toneDetector = null;
    else this.#toneDetector ??= new DtmfDetector(this.sampleRateHz);
    if (isReachable(plan.remote))
      this.#receiver.source.signal(plan.remote, plan.signallingHost ?? null);
    this.#timeout.follow(plan.direction, this.#deps.clock.monotonic());
  }

  onFrame(listener: (pcm: Int16Array) => void): void {
    this.#frameListeners.push(listener);
  }

  onDigit(listener: (digit: string) => void): void {
    this.#digitListeners.push(listener);
  }

  signalDigit(digit: string): void {
    this.#pressed(digit, "info");
  }

  onTimeout(listener: (timeout: MediaTimeout) => void): void {
    this.#timeoutListener = listener;
    this.#timeout.restart(this.#deps.clock.monotonic());
  }

  play(pcm: Int16Array): boolean {
    return this.#queue.push(pcm);
  }

  get queuedMs(): number {
    return this.#queue.queuedMs;
  }

  get playedMs(): number {
    return this.#queue.playedMs;
  }

  get rtpClockMs(): number {
    return this.#sender.clockMs;
  }

  stopPlaying(fadeMs: number): number {
    return this.#queue.stop(fadeMs);
  }

  whenDrained(listener: () => void): void {
    this.#queue.whenDrained(listener);
  }

  sendDigits(digits: string): void {
    this.#queue.pushDigits(digits);
  }

  startRecording(path: string): void {
    if (this.#recorder || this.#closing) return;
    this.#recorder = new CallRecorder(path, this.sampleRateHz, this.#deps.log);
  }

  monitor(listener: ((stereo: Int16Array) => void) | null): void {
    this.#monitor = listener && createCallMonitor(this.sampleRateHz, listener);
  }

  muteCaller(on: boolean): void {
    this.#callerMuted = on;
  }

  get statistics(): MediaStatistics {
    const { reception, packetsDiscarded } = this.#receiver;
    const { reports } = this.#rtcp;
    const { reported, roundTripMs } = reports;
    const receivedMos = this.#receiver.mos((roundTripMs ?? 0) / 2);
    return {
      codec: this.#plan?.codec.name ?? null,
      packetsSent: this.#sender.packetsSent,
      packetsReceived: reception.packetsReceived,
      packetsLost: reception.packetsLost,
      packetsDiscarded,
      jitterMs: Math.round(reception.jitterMs * 100) / 100,
      mos: Math.min(receivedMos, reports.mos ?? receivedMos),
      reported,
      roundTripMs,
      srtp: this.#plan?.srtp?.suite ?? null,
    };
  }

  packetHeaders(): PacketHeaders | null {
    return this.#headers?.read() ?? null;
  }

  close(): Promise<RecordingInfo | null> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<RecordingInfo | null> {
    this.#deps.pacer.remove(this);
    this.#rtcp.goodbye();
    this.#sockets?.close();
    this.#sender.close();
    this.#receiver.close();
    this.#frameListeners.length = 0;
    this.#digitListeners.length = 0;
    this.#timeoutListener = null;
    return (await this.#recorder?.close()) ?? null;
  }

  /** Called by the pacer. */
  send(skippedTicks: number): void {
    if (skippedTicks > 0) {
      this.#sender.skip(skippedTicks);
      const silentTicks = Math.min(skippedTicks, SKIPPED_TICKS_RECORDED_MAX);
      this.#recorder?.writeSilence(silentTicks * this.#agentFrame.length);
    }
    if (!this.#plan || !mayWeSend(this.#plan)) {
      this.#agentFrame.fill(0);
      this.#sender.skip(1);
      return;
    }
    this.#startDigits(this.#plan);
    if (this.#sender.events.active) {
      this.#agentFrame.fill(0);
      this.#sender.sendEvent();
    } else {
      this.#queue.take(this.#agentFrame);
      this.#sender.sendAudio(this.#agentFrame);
    }
    this.#queue.digitsUnderWay = this.#sender.events.active;
  }

  /** Called by the pacer. */
  afterSend(): void {
    const nowMs = this.#deps.clock.monotonic();
    this.#sockets?.receiveRtp(nowMs);
    this.#receiver.takeFrame(this.#callerFrame, nowMs);
    if (this.#plan && !mayTheySend(this.#plan)) this.#callerFrame.fill(0);
    if (this.#plan) this.#listenForTones();
    if (this.#callerMuted) this.#callerFrame.fill(0);
    this.#recorder?.write(this.#callerFrame, this.#agentFrame);
    if (this.#monitor) this.#notifyMonitor();
    if (this.#plan) {
      this.#rtcp.tick();
      this.#tell(this.#frameListeners, this.#callerFrame);
    }
    for (const listener of this.#queue.drainedListeners()) this.#guard(listener, undefined);
    this.#checkTimeout(nowMs);
  }

  #listenForTones(): void {
    const digit = this.#toneDetector?.process(this.#callerFrame) ?? null;
    if (digit !== null) this.#pressed(digit, "tone");
  }

  #pressed(digit: string, source: DigitSource): void {
    if (!this.#digits.accept(digit, source, this.#deps.clock.monotonic())) return;
    this.#tell(this.#digitListeners, digit);
  }

  #startDigits(plan: MediaPlan): void {
    if (this.#sender.events.active) return;
    const digits = this.#queue.takeDigits();
    if (digits === null) return;
    if (plan.telephoneEvent) this.#sender.events.queue(digits);
    else this.#queue.pushTones(dtmfTones(digits, this.sampleRateHz));
  }

  #checkTimeout(nowMs: number): void {
    if (!this.#timeoutListener) return;
    const timeout = this.#timeout.check(nowMs, this.#receiver.lastLifeMs);
    if (timeout) this.#guard(this.#timeoutListener, timeout);
  }

  #onRtp(datagram: Uint8Array, host: string, port: number, atMs: number | null): void {
    const nowMs = atMs ?? this.#deps.clock.monotonic();
    this.#headers?.note("in", this.rtpPort, datagram, host, port, nowMs);
    if (!this.#plan) return;
    if (looksLikeRtcp(datagram)) {
      this.#onRtcp(datagram, host);
      return;
    }
    const packet = this.#srtp.unprotectRtp(datagram);
    if (packet) this.#receiver.receive(packet, host, port, nowMs);
  }

  #onRtcp(datagram: Uint8Array, host: string): void {
    if (!this.#receiver.source.knows(host)) return;
    const packet = this.#srtp.unprotectRtcp(datagram);
    if (!packet || !this.#rtcp.receive(packet)) return;
    this.#receiver.noteReport(this.#deps.clock.monotonic());
  }

  #transmitRtp(datagram: Uint8Array, size: number): void {
    const destination = this.#receiver.source.destination;
    if (!destination) return;
    const protectedSize = this.#srtp.protectRtp(datagram, size);
    const { host, port } = destination;
    if (this.#packet.length !== protectedSize) this.#packet = datagram.subarray(0, protectedSize);
    this.#noteDeparture(host, port);
    this.#sockets?.sendRtp(this.#packet, host, port, this.#deps.pacer.slotMs);
  }

  #noteDeparture(host: string, port: number): void {
    if (!this.#headers) return;
    const dueMs = this.#deps.pacer.slotMs + this.#leadMs;
    const atMs = Math.max(dueMs, this.#deps.clock.monotonic());
    this.#headers.note("out", this.rtpPort, this.#packet, host, port, atMs);
  }

  get #leadMs(): number {
    return this.#sockets?.leadMs ?? 0;
  }

  #transmitRtcp(datagram: Uint8Array): void {
    const destination = this.#receiver.source.destination;
    if (!destination) return;
    const packet = this.#srtp.protectRtcp(datagram);
    const { host, port } = destination;
    const plan = this.#plan;
    // The RTCP attributes of the SDP apply only to the address in the SDP.
    const isSignalled = plan?.remote.host === host && plan.remote.port === port;
    if (plan?.rtcpMux) {
      this.#headers?.note("out", this.rtpPort, packet, host, port);
      this.#sockets?.sendRtp(packet, host, port);
      return;
    }
    const rtcpPort = (isSignalled && plan?.rtcpPort) || port + 1;
    this.#headers?.note("out", this.rtpPort + 1, packet, host, rtcpPort);
    this.#sockets?.sendRtcp(packet, host, rtcpPort);
  }

  /** A separate method, so that a tick without a monitor creates no closure. */
  #notifyMonitor(): void {
    this.#guard(() => this.#monitor?.(this.#callerFrame, this.#agentFrame), undefined);
  }

  #tell<Value>(listeners: readonly ((value: Value) => void)[], value: Value): void {
    for (const listener of listeners) this.#guard(listener, value);
  }

  #guard<Value>(listener: (value: Value) => void, value: Value): void {
    try {
      listener(value);
    } catch (error) {
      this.#deps.log.error("media.listener_failed", { error: describeError(error) });
    }
  }
}

/** Direction is from our side (core/media-plan.ts). */
const mayWeSend = (plan: MediaPlan) =>
  isReachable(plan.remote) && (plan.direction === "sendrecv" || plan.direction === "sendonly");
const mayTheySend = (plan: MediaPlan) =>
  plan.direction === "sendrecv" || plan.direction === "recvonly";

/** RFC 2543 hold (0.0.0.0) and a rejected stream (port 0) have no usable address. */
function isReachable(remote: { readonly host: string; readonly port: number }): boolean {
  return remote.host !== "0.0.0.0" && remote.host !== "::" && remote.port > DISCARD_PORT;
}
