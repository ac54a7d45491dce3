/**
 * What the conversation sees of a call's audio: one `CallAudio` per call, made by media/. All of it
 * runs on the call worker's thread. Sample rate is the codec's (8 kHz G.711, 16 kHz G.722).
 */
import type { MediaPlan, MediaStatistics } from "../../core/media-plan.ts";
import type { PacketHeaders } from "../../core/packet-headers.ts";
import type { RecordingInfo } from "./call-report.ts";

/**
 * Why a call's media has failed. `lost`: no RTP and no RTCP for `rtpTimeoutMs` although both sides
 * may send; `held`: the call was on hold for `holdTimeoutMs`.
 */
export type MediaTimeout = "lost" | "held";

export interface CallAudio {
  readonly rtpPort: number;
  readonly sampleRateHz: 8000 | 16000;
  /** Applies a first or later plan. */
  connect(plan: MediaPlan): void;
  /** One decoded frame (20 ms) per tick, concealed where packets are missing. The buffer is reused. */
  onFrame(listener: (pcm: Int16Array) => void): void;
  /**
   * Keys pressed by the far end, each press once, however often it was told: as an RTP event, by
   * signalling, or (where no events were negotiated) as tones.
   */
  onDigit(listener: (digit: string) => void): void;
  /** A key told by signalling (SIP INFO). Missing where nothing signals keys. */
  signalDigit?(digit: string): void;
  /** Once. The time counts from here on. */
  onTimeout(listener: (timeout: MediaTimeout) => void): void;
  /** Appends speech to the playout queue (copied). Answers false when 60 s are queued already. */
  play(pcm: Int16Array): boolean;
  /** Milliseconds queued and not yet sent. */
  readonly queuedMs: number;
  /** Milliseconds of `play`ed audio sent since the call began; silence does not count. */
  readonly playedMs: number;
  /** Milliseconds that the RTP clock of our stream has run: sent, held and skipped alike. */
  readonly rtpClockMs: number;
  /** Drops what is queued, after a fade-out of `fadeMs`. Answers the milliseconds dropped. */
  stopPlaying(fadeMs: number): number;
  /** Calls once when the queue next runs empty (at once if it is). */
  whenDrained(listener: () => void): void;
  /** RFC 4733 events, after what is queued. */
  sendDigits(digits: string): void;
  startRecording(path: string): void;
  /** Both sides as recorded: 8 kHz, interleaved (left caller, right agent), 100 ms; null: no more. */
  monitor?(listener: ((stereo: Int16Array) => void) | null): void;
  /** The caller is silence for everybody, recording too, while it is on; keys are still told. */
  muteCaller?(on: boolean): void;
  /** Where the caller's audio comes as messages: what came, of any length. */
  feed?(pcm: Int16Array): void;
  readonly statistics: MediaStatistics;
  /** Headers of the packets so far. Missing or null: they are not kept. */
  packetHeaders?(): PacketHeaders | null;
  /** Frees the port, flushes the recording. Idempotent. */
  close(): Promise<RecordingInfo | null>;
}

/** Probability 0–1 that a frame holds speech. Keeps its own state; one per stream. */
export interface VoiceActivityDetector {
  process(pcm: Int16Array): number;
}
