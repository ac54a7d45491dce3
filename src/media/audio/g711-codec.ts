/** G.711 (RFC 3551 4.5.14): one octet per sample at 8 kHz, A-law or µ-law. */
import { decodeG711, encodeG711, type G711Law } from "../../platform/audio/g711.ts";
import type { AudioCodec, AudioEncoder } from "./codec.ts";
import { type AudioDecoder, SampleBasedInboundAudio } from "./sample-based-inbound.ts";

const SAMPLE_RATE_HZ = 8000;

export const PCMU = g711("PCMU");
export const PCMA = g711("PCMA");

function g711(law: G711Law): AudioCodec {
  return {
    name: law,
    isAlwaysTaken: true,
    packetMsOf: (ptimeMs) => ptimeMs,
    createEncoder: () => encoder(law),
    createInbound: (sampleRateHz, random) =>
      new SampleBasedInboundAudio(decoder(law), sampleRateHz, random),
  };
}

const encoder = (law: G711Law): AudioEncoder => ({
  sampleRateHz: SAMPLE_RATE_HZ,
  encode(pcm, from, samples, octets, offset) {
    encodeG711(law, pcm, octets, offset, samples, from);
    return samples;
  },
  close() {},
});

const decoder = (law: G711Law): AudioDecoder => ({
  sampleRateHz: SAMPLE_RATE_HZ,
  decode: (octets, pcm) => decodeG711(law, octets, pcm),
});
