/**
 * Plan that signalling passes to media: plain data that can cross threads. The SDP is negotiated in
 * sip/sdp; media never reads SDP.
 */
import { type CodecName, codecFormat } from "./codecs.ts";

/** Sample rate of a conversation with this codec; 8 kHz before one is known. */
export const conversationRateHz = (codec: CodecName | null): 8000 | 16000 =>
  codec === null ? 8000 : codecFormat(codec).conversationRateHz;

/**
 * Direction as seen from us (RFC 3264 8.4): `sendonly` means that we have put the caller on hold.
 */
export type MediaDirection = "sendrecv" | "sendonly" | "recvonly" | "inactive";

export interface NegotiatedCodec {
  readonly name: CodecName;
  /** The payload type that we send, and the ones that we accept. They may differ (RFC 3264 6.1). */
  readonly sendPayloadType: number;
  readonly receivePayloadType: number;
}

/** RFC 4568 6.2, RFC 6188. */
export type SrtpSuite =
  | "AES_CM_128_HMAC_SHA1_80"
  | "AES_CM_128_HMAC_SHA1_32"
  | "AES_256_CM_HMAC_SHA1_80"
  | "AES_256_CM_HMAC_SHA1_32";

/** Octets of master key and salt together. */
export const SRTP_KEY_BYTES: Readonly<Record<SrtpSuite, number>> = {
  AES_CM_128_HMAC_SHA1_80: 30,
  AES_CM_128_HMAC_SHA1_32: 30,
  AES_256_CM_HMAC_SHA1_80: 46,
  AES_256_CM_HMAC_SHA1_32: 46,
};

/** Octets of an MKI at most (RFC 4568 6.1). */
export const MKI_BYTES_MAX = 128;

/** The result of SDES: master key and salt of each direction, base64. Must never be logged. */
export interface SrtpKeys {
  readonly suite: SrtpSuite;
  readonly sendKey: string;
  readonly receiveKey: string;
  /**
   * MKI of the key in each packet of a direction (RFC 4568 6.1), in hex; missing if packets have
   * none.
   */
  readonly sendMki?: string;
  readonly receiveMki?: string;
}

/** One agreed offer/answer. A later plan for the same call replaces the earlier one. */
export interface MediaPlan {
  /**
   * Destination of our RTP, from the remote party's SDP. Symmetric RTP may change it (see
   * media/rtp).
   */
  readonly remote: { readonly host: string; readonly port: number };
  /**
   * Source address of the remote party's last SIP message. RTP from this host is trusted sooner.
   */
  readonly signallingHost?: string;
  readonly codec: NegotiatedCodec;
  /** Other codecs from the remote party's answer, which it may switch to without a new offer. */
  readonly otherCodecs?: readonly { readonly name: CodecName; readonly payloadType: number }[];
  /** RFC 4733 payload types; null if the remote party offered none. */
  readonly telephoneEvent: {
    readonly send: number;
    readonly receive: number;
    /** Default 8000. */
    readonly clockRateHz?: number;
  } | null;
  readonly direction: MediaDirection;
  /** Milliseconds of audio in each sent packet. */
  readonly ptimeMs: number;
  /** Missing or null: plain RTP. */
  readonly srtp?: SrtpKeys | null;
  /** Port for the remote party's RTCP, if not the port after RTP (RFC 3605). */
  readonly rtcpPort?: number;
  /** RTCP goes to the RTP port (RFC 5761). */
  readonly rtcpMux?: boolean;
  /** Payload type of comfort noise (RFC 3389), if both parties agreed to it. */
  readonly comfortNoise?: number | null;
}

/** RFC 3550 statistics of one running or finished stream, both directions. */
export interface MediaStatistics {
  readonly codec: CodecName | null;
  readonly packetsSent: number;
  readonly packetsReceived: number;
  readonly packetsLost: number;
  /** Arrived too late to be played. */
  readonly packetsDiscarded: number;
  readonly jitterMs: number;
  /** Estimated quality of the worse direction, 1.0 to 4.5 (ITU-T G.107, simplified). */
  readonly mos: number;
  /** Reception of our audio by the remote party; missing or null if it sent no reports. */
  readonly reported?: ReportedReception | null;
  /** Network round-trip time; missing or null if not measured. */
  readonly roundTripMs?: number | null;
  /** Missing or null if the audio is not encrypted. */
  readonly srtp?: SrtpSuite | null;
}

/** From the receiver reports of the remote party (RFC 3550 6.4). */
export interface ReportedReception {
  readonly packetsLost: number;
  readonly jitterMs: number;
  /** Lost share in the last report, 0 to 1. */
  readonly recentLoss: number;
}
