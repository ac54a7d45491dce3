/**
 * The audio of a call without RTP: microphone and loudspeaker of a browser, as messages (`audioIn`
 * and `audio_out` of call-protocol.ts). The conversation runs at 8 kHz as on the phone; only this
 * file converts the browser's rate.
 *
 * Received audio is played out evenly, one frame per tick, after a buffer of 60 ms. If a browser
 * sends too much or too fast, only the newest 100 ms are kept, so memory and delay are bounded. A
 * frame is sent every tick after `connect`, also silence.
 */

import type { CallAudio, MediaTimeout } from "../conversation/audio-port.ts";
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { MediaStatistics } from "../core/media-plan.ts";
import { createResampler, type Resampler } from "../platform/audio/resampler.ts";
import { dtmfTones } from "../platform/audio/tones.ts";
import { PlayoutQueue } from "./audio/playout-queue.ts";
import { createCallMonitor } from "./call-monitor.ts";
import { MediaTimeoutWatch } from "./media-timeout.ts";
import { type PacedStream, type Pacer, TICK_MS } from "./rtp/pacer.ts";

interface BrowserAudioOptions {
  /** Sample rate of the browser's PCM in both directions. */
  readonly sampleRateHz: 8000 | 16000;
  /** The browser counts as gone when nothing arrives for this long. */
  readonly timeoutMs: number;
  /** Sends 20 ms for the loudspeaker. The memory is not reused. */
  readonly send: (pcm: Int16Array) => void;
  /** Discards audio sent but not played. */
  readonly clear: () => void;
}

interface BrowserAudioDeps {
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly log: Log;
}

const RATE_HZ = 8000;
const FRAME_SAMPLES = (RATE_HZ * TICK_MS) / 1000;
const START_SAMPLES = (RATE_HZ * 60) / 1000;
const BACKLOG_SAMPLES_MAX = (RATE_HZ * 300) / 1000;
const BACKLOG_SAMPLES_TARGET = (RATE_HZ * 100) / 1000;
/** The MOS of a perfect line: nothing is lost between browser and appliance. */
const PERFECT_MOS = 4.5;

/** The caller must `close` it. */
export function createBrowserAudio(
  options: BrowserAudioOptions,
  deps: BrowserAudioDeps,
): CallAudio & { feed(pcm: Int16Array): void } {
  return new BrowserAudio(options, deps);
}

class BrowserAudio implements CallAudio, PacedStream {
  readonly rtpPort = 0;
  readonly sampleRateHz = RATE_HZ;
  readonly #down: Resampler;
  readonly #up: Resampler;
  readonly #queue = new PlayoutQueue(RATE_HZ);
  readonly #callerFrame = new Int16Array(FRAME_SAMPLES);
  readonly #agentFrame = new Int16Array(FRAME_SAMPLES);
  readonly #frameListeners: ((pcm: Int16Array) => void)[] = [];
  #timeoutListener: ((timeout: MediaTimeout) => void) | null = null;
  readonly #timeout: MediaTimeoutWatch;
  #monitor: ((caller: Int16Array, agent: Int16Array) => void) | null = null;
  #backlog = new Int16Array(0);
  #isFlowing = false;
  #connected = false;
  #closed = false;
  #lastFedMs: number;
  #clockMs = 0;
  #framesSent = 0;
  #framesReceived = 0;

  constructor(
    private readonly options: BrowserAudioOptions,
    private readonly deps: BrowserAudioDeps,
  ) {
    this.#down = createResampler(options.sampleRateHz, RATE_HZ);
    this.#up = createResampler(RATE_HZ, options.sampleRateHz);
    this.#lastFedMs = deps.clock.monotonic();
    this.#timeout = new MediaTimeoutWatch({
      rtpTimeoutMs: options.timeoutMs,
      holdTimeoutMs: Number.POSITIVE_INFINITY,
    });
    this.#timeout.follow("sendrecv", this.#lastFedMs);
    deps.pacer.add(this);
  }

  connect(): void {
    this.#connected = true;
    this.#lastFedMs = this.deps.clock.monotonic();
  }

  feed(pcm: Int16Array): void {
    if (this.#closed) return;
    this.#lastFedMs = this.deps.clock.monotonic();
    const received = this.#down.process(pcm);
    const backlog = new Int16Array(this.#backlog.length + received.length);
    backlog.set(this.#backlog);
    backlog.set(received, this.#backlog.length);
    this.#backlog =
      backlog.length > BACKLOG_SAMPLES_MAX ? backlog.slice(-BACKLOG_SAMPLES_TARGET) : backlog;
  }

  onFrame(listener: (pcm: Int16Array) => void): void {
    this.#frameListeners.push(listener);
  }

  /** Key presses arrive as separate messages. */
  onDigit(): void {}

  onTimeout(listener: (timeout: MediaTimeout) => void): void {
    this.#timeoutListener = listener;
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
    return this.#clockMs;
  }

  stopPlaying(fadeMs: number): number {
    const dropped = this.#queue.stop(fadeMs);
    if (dropped > 0) this.options.clear();
    return dropped;
  }

  whenDrained(listener: () => void): void {
    this.#queue.whenDrained(listener);
  }

  sendDigits(digits: string): void {
    this.#queue.pushDigits(digits);
  }

  /** Web calls are not recorded. */
  startRecording(): void {}

  monitor(listener: ((stereo: Int16Array) => void) | null): void {
    this.#monitor = listener && createCallMonitor(this.sampleRateHz, listener);
  }

  get statistics(): MediaStatistics {
    return {
      codec: null,
      packetsSent: this.#framesSent,
      packetsReceived: this.#framesReceived,
      packetsLost: 0,
      packetsDiscarded: 0,
      jitterMs: 0,
      mos: PERFECT_MOS,
    };
  }

  async close(): Promise<null> {
    this.#closed = true;
    this.deps.pacer.remove(this);
    this.#frameListeners.length = 0;
    this.#timeoutListener = null;
    this.#monitor = null;
    this.#backlog = new Int16Array(0);
    return null;
  }

  /** Called by the pacer. */
  send(skippedTicks: number): void {
    this.#clockMs += (skippedTicks + 1) * TICK_MS;
    if (!this.#connected) return;
    const digits = this.#queue.takeDigits();
    if (digits !== null) this.#queue.pushTones(dtmfTones(digits, RATE_HZ));
    this.#queue.take(this.#agentFrame);
    this.#framesSent++;
    this.options.send(this.#up.process(this.#agentFrame));
  }

  /** Called by the pacer. */
  afterSend(): void {
    this.#takeFrame();
    if (this.#connected) {
      for (const listener of this.#frameListeners) this.#guard(() => listener(this.#callerFrame));
      const monitor = this.#monitor;
      if (monitor) this.#guard(() => monitor(this.#callerFrame, this.#agentFrame));
    }
    for (const listener of this.#queue.drainedListeners()) this.#guard(listener);
    this.#checkTimeout();
  }

  /** Silence until enough is buffered to play evenly. */
  #takeFrame(): void {
    const enough = this.#isFlowing ? FRAME_SAMPLES : START_SAMPLES;
    this.#isFlowing = this.#backlog.length >= enough;
    if (!this.#isFlowing) {
      this.#callerFrame.fill(0);
      return;
    }
    this.#callerFrame.set(this.#backlog.subarray(0, FRAME_SAMPLES));
    this.#backlog = this.#backlog.slice(FRAME_SAMPLES);
    this.#framesReceived++;
  }

  #checkTimeout(): void {
    const listener = this.#timeoutListener;
    if (!listener) return;
    const timeout = this.#timeout.check(this.deps.clock.monotonic(), this.#lastFedMs);
    if (timeout) this.#guard(() => listener(timeout));
  }

  #guard(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.deps.log.error("media.listener_failed", { error: describeError(error) });
    }
  }
}
