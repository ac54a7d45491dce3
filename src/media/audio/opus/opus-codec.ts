/** Opus (RFC 7587): packets of any size with a 48 kHz clock, decoded packet by packet. */
import type { AudioCodec } from "../codec.ts";
import { OpusAudioEncoder } from "./opus-encoder.ts";
import { OpusInboundAudio } from "./opus-inbound.ts";

export const OPUS: AudioCodec = {
  name: "opus",
  isAlwaysTaken: false,
  /** Opus has no packets of 30 or 50 ms. */
  packetMsOf(ptimeMs) {
    if (ptimeMs >= 60) return ptimeMs;
    if (ptimeMs >= 40) return 40;
    return ptimeMs >= 20 ? 20 : 10;
  },
  createEncoder: (sampleRateHz) => new OpusAudioEncoder(sampleRateHz),
  createInbound: (sampleRateHz) => new OpusInboundAudio(sampleRateHz),
};
