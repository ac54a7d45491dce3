/**
 * The conversation's view of a call's audio: one `CallAudio` per call, created by media/. It runs on the call
 * worker's thread. The sample rate is the codec's (8 kHz for G.711, 16 kHz for G.722).
 */
import type { MediaPlan, MediaStatistics } from "../core/media-plan.ts";
import type { PacketHeaders } from "../core/packet-headers.ts";
import type { RecordingInfo } from "./call-report.ts";

/**
 * Why the media failed. `lost`: no RTP and no RTCP for `rtpTimeoutMs` although both sides may send. `held`:
 * the call was on hold for `holdTimeoutMs`.
 */
export type MediaTimeout = "lost" | "held";

export interface CallAudio {
  readonly rtpPort: number;
  readonly sampleRateHz: 8000 | 16000;
  /** Applies the first or a later plan. */
  connect(plan: MediaPlan): void;
  /** Called with one decoded frame (20 ms) per tick, with packet loss concealed. The buffer is reused. */
  onFrame(listener: (pcm: Int16Array) => void): void;
  /**
   * Called once per key press of the far end, even if the press arrives in several ways: as an RTP event, by
   * signalling, or as in-band tones if no events were negotiated.
   */
  onDigit(listener: (digit: string) => void): void;
  /** Reports a key received by SIP INFO. Missing if signalling carries no keys. */
  signalDigit?(digit: string): void;
  /** Called at most once. The time counts from this call on. */
  onTimeout(listener: (timeout: MediaTimeout) => void): void;
  /** Copies speech into the playout queue. Returns false if 60 s are already queued. */
  play(pcm: Int16Array): boolean;
  /** Milliseconds queued but not yet sent. */
  readonly queuedMs: number;
  /** Milliseconds of `play`ed audio sent since the call began, without silence. */
  readonly playedMs: number;
  /** Milliseconds that the RTP clock of our stream has advanced, including hold and skipped time. */
  readonly rtpClockMs: number;
  /** Drops the queued audio after a fade-out of `fadeMs`. Returns the milliseconds dropped. */
  stopPlaying(fadeMs: number): number;
  /** Calls the listener once when the queue is empty, immediately if it is empty already. */
  whenDrained(listener: () => void): void;
  /** Sends RFC 4733 events after the queued audio. */
  sendDigits(digits: string): void;
  startRecording(path: string): void;
  /**
   * Streams both sides as recorded: 8 kHz, interleaved (left caller, right agent), 100 ms chunks. Null stops
   * it.
   */
  monitor?(listener: ((stereo: Int16Array) => void) | null): void;
  /** Replaces the caller's audio by silence for all listeners and the recording. Keys are still reported. */
  muteCaller?(on: boolean): void;
  /** Feeds caller audio of any length that arrives as messages. */
  feed?(pcm: Int16Array): void;
  readonly statistics: MediaStatistics;
  /** Headers of the packets so far. Missing or null: capture is off. */
  packetHeaders?(): PacketHeaders | null;
  /** Frees the port and flushes the recording. Idempotent. */
  close(): Promise<RecordingInfo | null>;
}

/** Returns the probability (0–1) that a frame contains speech. Stateful: one instance per stream. */
export interface VoiceActivityDetector {
  process(pcm: Int16Array): number;
}
