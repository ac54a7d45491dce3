/**
 * The codecs of a call, as signalling sees them: SDP, configuration and the choice of a
 * conversation's rate read this table. How each is coded is in adapter/media/audio/codecs.ts, keyed
 * by the same names.
 *
 * A new codec is an entry here, a file that codes it, and its line in that registry.
 */
export interface CodecFormat {
  /** Static (RFC 3551) where there is one, else the dynamic type that we offer. */
  readonly payloadType: number;
  /** Of RTP's timestamps. */
  readonly clockRateHz: number;
  /** What some far ends write instead. */
  readonly misspelledClockRateHz?: number;
  /** As rtpmap says; 1 where missing. */
  readonly channels?: number;
  /** Of `a=fmtp`. */
  readonly parameters?: string;
  /** The rate of a conversation: a wideband codec lets the voice be heard as it is. */
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

/** The encoding name, as rtpmap writes it. */
export type CodecName = keyof typeof FORMATS;

export const CODEC_NAMES = Object.keys(FORMATS) as CodecName[];

export const codecFormat = (name: CodecName): CodecFormat => FORMATS[name];

/** RFC 3551 6: without rtpmap a static type means what it always meant. */
export const staticCodec = (payloadType: number): CodecName | undefined =>
  CODEC_NAMES.find((name) => payloadType < 96 && FORMATS[name].payloadType === payloadType);

/** RFC 8866 6.6, e.g. `opus/48000/2`. */
export function rtpmapOf(name: CodecName): string {
  const { clockRateHz, channels } = codecFormat(name);
  return `${name}/${clockRateHz}${channels === undefined ? "" : `/${channels}`}`;
}
