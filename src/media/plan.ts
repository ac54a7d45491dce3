/**
 * What signalling tells media: plain data that crosses the thread border. The SDP behind it is
 * negotiated in sip/sdp; media never sees a line of SDP.
 */
export type CodecName = "PCMU" | "PCMA" | "G722" | "opus";

/** Direction as seen from us (RFC 3264 8.4): `sendonly` is a caller whom we have put on hold. */
export type MediaDirection = "sendrecv" | "sendonly" | "recvonly" | "inactive";

export interface NegotiatedCodec {
  readonly name: CodecName;
  /** What we put into packets we send, and what we accept (they may differ, RFC 3264 6.1). */
  readonly sendPayloadType: number;
  readonly receivePayloadType: number;
}

/** One agreed offer/answer. A later plan for the same call replaces the earlier one. */
export interface MediaPlan {
  /** Where the far end wants our RTP, from its SDP. Symmetric RTP may move it (see media/rtp). */
  readonly remote: { readonly host: string; readonly port: number };
  readonly codec: NegotiatedCodec;
  /** RFC 4733 payload types; null where the far end offered none. */
  readonly telephoneEvent: { readonly send: number; readonly receive: number } | null;
  readonly direction: MediaDirection;
  /** Milliseconds of audio in a packet we send. */
  readonly ptimeMs: number;
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
