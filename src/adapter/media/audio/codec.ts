/**
 * The codecs behind one port: rates, encoders and decoders. A coder keeps the state of one
 * direction of one stream. G.711 and G.722 have exactly one octet per tick of an 8 kHz RTP clock;
 * Opus packets have any size and are decoded packet by packet (opus/opus-inbound.ts).
 */
import type { CodecName } from "../../../core/media-plan.ts";
import { decodeG711, encodeG711, type G711Law } from "../../../platform/audio/g711.ts";
import { G722_SAMPLE_RATE_HZ, G722Decoder, G722Encoder } from "./g722/g722.ts";
import { OpusAudioEncoder } from "./opus/opus-encoder.ts";

const G711_SAMPLE_RATE_HZ = 8000;

export interface AudioEncoder {
  readonly sampleRateHz: number;
  /**
   * Encodes `samples` of `pcm`, starting at `from`, into `octets` from `offset`. Returns the octets
   * written.
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

export interface AudioDecoder {
  readonly sampleRateHz: number;
  /** Decodes all octets. `pcm` must have room for the result. */
  decode(octets: Uint8Array, pcm: Int16Array): void;
}

/** Ticks of the RTP clock per millisecond. */
export function clockTicksPerMs(codec: CodecName): number {
  return codec === "opus" ? 48 : 8;
}

/** The largest packet duration of the codec up to `ptimeMs`: Opus has no 30 and no 50 ms. */
export function packetMsOf(codec: CodecName, ptimeMs: number): number {
  if (codec !== "opus" || ptimeMs >= 60) return ptimeMs;
  if (ptimeMs >= 40) return 40;
  return ptimeMs >= 20 ? 20 : 10;
}

/** `sampleRateHz`: the input rate, for a codec that accepts any rate. */
export function createEncoder(codec: CodecName, sampleRateHz: 8000 | 16000): AudioEncoder {
  if (codec === "opus") return new OpusAudioEncoder(sampleRateHz);
  if (codec === "G722") return g722Encoder();
  const law: G711Law = codec;
  return {
    sampleRateHz: G711_SAMPLE_RATE_HZ,
    encode(pcm, from, samples, octets, offset) {
      encodeG711(law, pcm, octets, offset, samples, from);
      return samples;
    },
    close() {},
  };
}

/** For codecs with one octet per tick. */
export function createDecoder(codec: Exclude<CodecName, "opus">): AudioDecoder {
  if (codec === "G722") return g722Decoder();
  const law: G711Law = codec;
  return {
    sampleRateHz: G711_SAMPLE_RATE_HZ,
    decode: (octets, pcm) => decodeG711(law, octets, pcm),
  };
}

function g722Encoder(): AudioEncoder {
  const encoder = new G722Encoder();
  return {
    sampleRateHz: G722_SAMPLE_RATE_HZ,
    encode(pcm, from, samples, octets, offset) {
      encoder.encode(pcm, from, samples, octets, offset);
      return samples >> 1;
    },
    close() {},
  };
}

function g722Decoder(): AudioDecoder {
  const decoder = new G722Decoder();
  return {
    sampleRateHz: G722_SAMPLE_RATE_HZ,
    decode: (octets, pcm) => decoder.decode(octets, 0, octets.length, pcm),
  };
}
