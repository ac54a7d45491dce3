/**
 * The codecs of a call for signalling: SDP, configuration and the choice of a conversation's rate
 * use this table. media/audio/codecs.ts has the implementations, with the same names.
 *
 * A new codec needs an entry here, an implementation, and a line in that registry.
 */
interface CodecFormat {
  /** Static (RFC 3551) if there is one, otherwise the dynamic type that we offer. */
  readonly payloadType: number;
  /** Clock rate of RTP timestamps. */
  readonly clockRateHz: number;
  /** A wrong clock rate that some remote parties send. */
  readonly misspelledClockRateHz?: number;
  /** Channels in rtpmap; default 1. */
  readonly channels?: number;
  /** Value of `a=fmtp`. */
  readonly parameters?: string;
  /** Sample rate of a conversation with this codec: 16 kHz for a wideband codec. */
  readonly conversationRateHz: 8000 | 16000;
}

const FORMATS = {
  G722: {
    payloadType: 9,
    // 8000 although it samples at 16 kHz: an error of RFC 1890 that RFC 3551 4.5.2 keeps.
    clockRateHz: 8000,
    misspelledClockRateHz: 16_000,
    conversationRateHz: 16_000,
  },
  PCMA: { payloadType: 8, clockRateHz: 8000, conversationRateHz: 8000 },
  PCMU: { payloadType: 0, clockRateHz: 8000, conversationRateHz: 8000 },
  opus: {
    payloadType: 111,
    clockRateHz: 48_000,
    channels: 2,
    // RFC 7587 6.1: we neither play nor record above 8 kHz of bandwidth, and use FEC.
    parameters: "maxplaybackrate=16000;sprop-maxcapturerate=16000;useinbandfec=1",
    conversationRateHz: 16_000,
  },
} as const satisfies Record<string, CodecFormat>;

/** The encoding name as in rtpmap. */
export type CodecName = keyof typeof FORMATS;

export const CODEC_NAMES = Object.keys(FORMATS) as CodecName[];

export const codecFormat = (name: CodecName): CodecFormat => FORMATS[name];

/** RFC 3551 6: a static type without rtpmap has its standard meaning. */
export const staticCodec = (payloadType: number): CodecName | undefined =>
  CODEC_NAMES.find((name) => payloadType < 96 && FORMATS[name].payloadType === payloadType);

/** RFC 8866 6.6, e.g. `opus/48000/2`. */
export function rtpmapOf(name: CodecName): string {
  const { clockRateHz, channels } = codecFormat(name);
  return `${name}/${clockRateHz}${channels === undefined ? "" : `/${channels}`}`;
}
