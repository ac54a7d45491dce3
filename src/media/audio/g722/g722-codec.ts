/** G.722 (RFC 3551 4.5.2): one octet per two samples at 16 kHz. */
import type { AudioCodec, AudioEncoder } from "../codec.ts";
import { type AudioDecoder, SampleBasedInboundAudio } from "../sample-based-inbound.ts";
import { G722_SAMPLE_RATE_HZ, G722Decoder, G722Encoder } from "./g722.ts";

export const G722: AudioCodec = {
  name: "G722",
  isAlwaysTaken: false,
  packetMsOf: (ptimeMs) => ptimeMs,
  createEncoder: encoder,
  createInbound: (sampleRateHz, random) =>
    new SampleBasedInboundAudio(decoder(), sampleRateHz, random),
};

function encoder(): AudioEncoder {
  const g722 = new G722Encoder();
  return {
    sampleRateHz: G722_SAMPLE_RATE_HZ,
    encode(pcm, from, samples, octets, offset) {
      g722.encode(pcm, from, samples, octets, offset);
      return samples >> 1;
    },
    close() {},
  };
}

function decoder(): AudioDecoder {
  const g722 = new G722Decoder();
  return {
    sampleRateHz: G722_SAMPLE_RATE_HZ,
    decode: (octets, pcm) => g722.decode(octets, 0, octets.length, pcm),
  };
}
