/**
 * What signalling tells media: plain data that crosses the thread border. The SDP behind it is
 * negotiated in sip/sdp; media never sees a line of SDP.
 */
export type CodecName = "PCMU" | "PCMA" | "G722" | "opus";

/** The rate of a conversation with this codec: a wideband one lets the voice be heard as it is. */
export function conversationRateHz(codec: CodecName | null): 8000 | 16000 {
  return codec === "G722" || codec === "opus" ? 16_000 : 8000;
}

/** Direction as seen from us (RFC 3264 8.4): `sendonly` is a caller whom we have put on hold. */
export type MediaDirection = "sendrecv" | "sendonly" | "recvonly" | "inactive";

export interface NegotiatedCodec {
  readonly name: CodecName;
  /** What we put into packets we send, and what we accept (they may differ, RFC 3264 6.1). */
  readonly sendPayloadType: number;
  readonly receivePayloadType: number;
}

/** RFC 4568 6.2. */
export type SrtpSuite = "AES_CM_128_HMAC_SHA1_80" | "AES_CM_128_HMAC_SHA1_32";

/** What SDES agreed on: master key and salt of each direction, base64. Never to be logged. */
export interface SrtpKeys {
  readonly suite: SrtpSuite;
  readonly sendKey: string;
  readonly receiveKey: string;
}

/** One agreed offer/answer. A later plan for the same call replaces the earlier one. */
export interface MediaPlan {
  /** Where the far end wants our RTP, from its SDP. Symmetric RTP may move it (see media/rtp). */
  readonly remote: { readonly host: string; readonly port: number };
  /** Where the far end's last SIP message came from; RTP from there is believed sooner. */
  readonly signallingHost?: string;
  readonly codec: NegotiatedCodec;
  /** Further codecs that the far end may change to without asking: what it answered besides. */
  readonly otherCodecs?: readonly { readonly name: CodecName; readonly payloadType: number }[];
  /** RFC 4733 payload types; null where the far end offered none. */
  readonly telephoneEvent: {
    readonly send: number;
    readonly receive: number;
    /** 8000 where missing. */
    readonly clockRateHz?: number;
  } | null;
  readonly direction: MediaDirection;
  /** Milliseconds of audio in a packet we send. */
  readonly ptimeMs: number;
  /** Missing or null: plain RTP. */
  readonly srtp?: SrtpKeys | null;
  /** Where the far end wants RTCP, if not one above RTP (RFC 3605). */
  readonly rtcpPort?: number;
  /** RTCP goes to the RTP port (RFC 5761). */
  readonly rtcpMux?: boolean;
  /** Payload type of comfort noise (RFC 3389) where both agreed to be silent by it. */
  readonly comfortNoise?: number | null;
}

/** RFC 3550 figures of one finished or running stream, both directions. */
export interface MediaStatistics {
  readonly codec: CodecName | null;
  readonly packetsSent: number;
  readonly packetsReceived: number;
  readonly packetsLost: number;
  /** Arrived too late to be played. */
  readonly packetsDiscarded: number;
  readonly jitterMs: number;
  /** Estimated listening quality of what we received, 1.0 to 4.5 (ITU-T G.107, simplified). */
  readonly mos: number;
}
