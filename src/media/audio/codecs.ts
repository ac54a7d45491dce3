/**
 * The registry of codec implementations, one line each. Looked up when a plan is applied, never per
 * packet.
 */
import { type CodecName, codecFormat } from "../../core/codecs.ts";
import type { AudioCodec } from "./codec.ts";
import { PCMA, PCMU } from "./g711-codec.ts";
import { G722 } from "./g722/g722-codec.ts";
import { OPUS } from "./opus/opus-codec.ts";

const CODECS = { G722, PCMA, PCMU, opus: OPUS } satisfies Record<CodecName, AudioCodec>;

export const audioCodec = (name: CodecName): AudioCodec => CODECS[name];

/**
 * RFC 3551 6. Some remote parties send the other law than agreed, and gateways play announcements
 * in it. The payload type identifies the law, so both are always decoded.
 */
export const ALWAYS_TAKEN: readonly AudioCodec[] = Object.values(CODECS).filter(
  (codec: AudioCodec) => codec.isAlwaysTaken,
);

export const clockTicksPerMs = ({ name }: AudioCodec): number =>
  codecFormat(name).clockRateHz / 1000;
