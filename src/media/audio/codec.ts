/**
 * The codecs behind one port: rates, and coders that keep their state for one direction of one
 * stream. G.711 and G.722 put exactly one octet into each tick of an 8 kHz RTP clock.
 */
import type { CodecName } from "../plan.ts";
import { decodeG711, encodeG711, type G711Law } from "./g711.ts";
import { G722_SAMPLE_RATE_HZ, G722Decoder, G722Encoder } from "./g722/g722.ts";

const G711_SAMPLE_RATE_HZ = 8000;

export interface AudioEncoder {
  readonly sampleRateHz: number;
  /** Encodes `samples` of `pcm` from `from` into `octets` from `offset`; answers the octets written. */
  encode(
    pcm: Int16Array,
    from: number,
    samples: number,
    octets: Uint8Array,
    offset: number,
  ): number;
}

export interface AudioDecoder {
  readonly sampleRateHz: number;
  /** Decodes all octets; `pcm` has room for what is in them. */
  decode(octets: Uint8Array, pcm: Int16Array): void;
}

export function createEncoder(codec: CodecName): AudioEncoder {
  if (codec === "G722") return g722Encoder();
  const law = lawOf(codec);
  return {
    sampleRateHz: G711_SAMPLE_RATE_HZ,
    encode(pcm, from, samples, octets, offset) {
      encodeG711(law, pcm, octets, offset, samples, from);
      return samples;
    },
  };
}

export function createDecoder(codec: CodecName): AudioDecoder {
  if (codec === "G722") return g722Decoder();
  const law = lawOf(codec);
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
  };
}

function g722Decoder(): AudioDecoder {
  const decoder = new G722Decoder();
  return {
    sampleRateHz: G722_SAMPLE_RATE_HZ,
    decode: (octets, pcm) => decoder.decode(octets, 0, octets.length, pcm),
  };
}

function lawOf(codec: CodecName): G711Law {
  if (codec === "PCMU" || codec === "PCMA") return codec;
  throw new Error(`media has no codec ${codec}`);
}
