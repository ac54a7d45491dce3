/**
 * The codec port of media: an encoder, and the inbound audio of a stream. codecs.ts lists the
 * codecs.
 */
import type { CodecName } from "../../core/codecs.ts";
import type { Random } from "../../core/random.ts";
import type { JitterStorage } from "../rtp/jitter-storage.ts";

export interface AudioCodec {
  readonly name: CodecName;
  /** If true, it is decoded at its static payload type even if not agreed. */
  readonly isAlwaysTaken: boolean;
  /** The largest packet duration of the codec up to `ptimeMs`. */
  packetMsOf(ptimeMs: number): number;
  /** `sampleRateHz`: the input rate, for a codec that accepts any rate. */
  createEncoder(sampleRateHz: 8000 | 16000): AudioEncoder;
  /** `sampleRateHz`: the conversation's rate. */
  createInbound(sampleRateHz: 8000 | 16000, random: Random): InboundAudio;
}

export interface AudioEncoder {
  readonly sampleRateHz: number;
  /**
   * Encodes `samples` of `pcm`, starting at `from`, into `octets` from `offset`. Returns the number
   * of bytes written.
   */
  encode(
    pcm: Int16Array,
    from: number,
    samples: number,
    octets: Uint8Array,
    offset: number,
  ): number;
  /** Frees the coder's memory. The coder must not be used afterwards. */
  close(): void;
}

/**
 * Inbound audio: takes 10 ms blocks from the jitter buffer and returns PCM at the conversation's
 * rate. One object lives as long as the stream keeps its codec.
 */
export interface InboundAudio {
  /** The block of the last call, at the conversation's rate. The memory is reused. */
  readonly block: Int16Array;
  /** The jitter buffer's storage for received payloads. */
  readonly storage: JitterStorage;
  /** RTP ticks per tick of 8 kHz. */
  readonly clockDivisor: number;
  /** Decodes the latest block of the jitter buffer from `octets`. */
  play(octets: Uint8Array): void;
  conceal(): void;
  /** Handles a comfort-noise payload: missing blocks are noise from now on. */
  enterComfortNoise(payload: Uint8Array): void;
  /** Handles an audio packet: the remote party speaks again. */
  leaveComfortNoise(): void;
  /** True from a comfort-noise packet until the next audio packet. */
  readonly isSilent: boolean;
  close(): void;
}
