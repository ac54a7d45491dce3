/**
 * SDP offer/answer for one audio stream (RFC 8866, RFC 3264, RFC 4733, RFC 4568). Pure: converts
 * text to text and a `MediaPlan`. Video, further audio streams and streams without the required
 * protection are rejected with port 0 (RFC 3264 6).
 *
 * The answer uses the first offered codec of our list: `[sip] codecs` sets the order. With SRTP
 * "optional" an offer is RTP/AVP with keys, which a remote party without SRTP ignores; "required"
 * is RTP/SAVP only. A further offer keeps the current profile: many peers reject a change in a
 * refresh.
 */

import type { LocalMedia } from "../call/sip-port.ts";
import { type CodecName, codecFormat, rtpmapOf } from "../core/codecs.ts";
import type { MediaDirection, MediaPlan, NegotiatedCodec, SrtpKeys } from "../core/media-plan.ts";
import {
  acceptedLine,
  agreedKeys,
  answerCrypto,
  type CryptoLine,
  offerCrypto,
  type SrtpPolicy,
} from "./sdes.ts";
import {
  type AudioFormat,
  COMFORT_NOISE_PAYLOAD_TYPE,
  PTIME_DEFAULT_MS,
  type RemoteDescription,
  type RemoteEvent,
  readDescription,
} from "./sdp-description.ts";

/** The constants of all offers and answers of one leg. */
export interface SdpSession {
  /** `o=` session id, numeric. */
  readonly id: number;
  /** `o=` version: incremented with each description sent (RFC 3264 5). */
  readonly version: number;
  /** Supported codecs in our order of preference. */
  readonly codecs: readonly CodecName[];
  /** If missing, plain RTP only. */
  readonly srtp?: SrtpPolicy;
  /** Whether comfort noise may replace silence (RFC 3389). */
  readonly comfortNoise?: boolean;
  /** Streams of the previous description: a further offer must not contain fewer. */
  readonly layout?: SdpLayout | null;
  /** Agreement that a further offer keeps. If missing, nothing is agreed yet. */
  readonly agreed?: SdpAgreement | null;
  /** Direction of our offers. Default: `sendrecv`. */
  readonly direction?: MediaDirection;
}

/** From the latest offer and answer. */
export interface SdpAgreement {
  /** Profile of the media line, e.g. `RTP/SAVP`. */
  readonly profile: string;
  readonly codec: CodecName;
  readonly isEncrypted: boolean;
}

/** The media lines of a session in order: which one is ours, and how the others are rejected. */
export interface SdpLayout {
  readonly audioIndex: number;
  readonly rejected: readonly string[];
}

type SdpFailure = {
  readonly ok: false;
  readonly reason: "malformed" | "no_audio" | "no_common_codec" | "srtp_required";
};
export type SdpAnswer =
  | {
      readonly ok: true;
      readonly sdp: string;
      readonly plan: MediaPlan;
      readonly layout: SdpLayout;
      readonly agreed: SdpAgreement;
    }
  | SdpFailure;
export type SdpPlan =
  | { readonly ok: true; readonly plan: MediaPlan; readonly agreed: SdpAgreement }
  | SdpFailure;

/** Our payload types of telephone-events by RTP clock rate. */
const EVENT_TYPES: ReadonlyMap<number, number> = new Map([
  [8000, 101],
  [48_000, 110],
]);

const MIRRORED: Readonly<Record<MediaDirection, MediaDirection>> = {
  sendrecv: "sendrecv",
  sendonly: "recvonly",
  recvonly: "sendonly",
  inactive: "inactive",
};

/**
 * Without a direction in the session we receive the remote party's media: only a demo's phone puts
 * a call on hold.
 */
export function buildOffer(media: LocalMedia, session: SdpSession): string {
  const { srtp, agreed } = session;
  const isAgreed = (name: CodecName) => name === agreed?.codec;
  const codecs = [
    ...session.codecs.filter(isAgreed),
    ...session.codecs.filter((name) => !isAgreed(name)),
  ];
  const formats = codecs.map((name) => ({ name, payloadType: codecFormat(name).payloadType }));
  // Many remote parties only support events with an 8 kHz clock, whatever the codec.
  const clocks = new Set([8000, ...codecs.map((name) => codecFormat(name).clockRateHz)]);
  const encrypts = srtp?.mode === "optional" ? (agreed?.isEncrypted ?? true) : true;
  const audio = writeAudio({
    port: media.port,
    profile: agreed?.profile ?? (srtp?.mode === "required" ? "RTP/SAVP" : "RTP/AVP"),
    formats,
    events: [...EVENT_TYPES]
      .filter(([clockRateHz]) => clocks.has(clockRateHz))
      .map(([clockRateHz, payloadType]) => ({ payloadType, clockRateHz })),
    comfortNoise: session.comfortNoise === true,
    ptimeMs: PTIME_DEFAULT_MS,
    direction: session.direction ?? "sendrecv",
    crypto: srtp && srtp.mode !== "off" && encrypts ? offerCrypto(srtp) : [],
    rtcpMux: true,
  });
  const layout = session.layout ?? { audioIndex: 0, rejected: [] };
  return writeSession(media, session, arranged(audio, layout));
}

/** Our answer to an offer, and the resulting agreement. */
export function answerOffer(offer: string, media: LocalMedia, session: SdpSession): SdpAnswer {
  const remote = readDescription(offer, session.srtp?.mode ?? "off");
  if (!remote.ok) return remote;
  const chosen = chooseCodec(remote, session);
  if (!chosen) return { ok: false, reason: "no_common_codec" };
  const { name, payloadType } = chosen;
  const event = chooseEvent(remote, name);
  const crypto = remote.crypto[0];
  const comfortNoise = agreesOnNoise(remote, session, name);
  const plan: MediaPlan = {
    remote: remote.address,
    codec: { name, sendPayloadType: payloadType, receivePayloadType: payloadType },
    telephoneEvent: event ? eventPlan(event, event.payloadType) : null,
    direction: MIRRORED[remote.direction],
    ptimeMs: remote.ptimeMs,
    ...extras(remote, comfortNoise, keysOf(session, crypto, true)),
  };
  const audio = writeAudio({
    port: media.port,
    profile: remote.profile,
    formats: [chosen],
    events: event ? [event] : [],
    comfortNoise,
    ptimeMs: plan.ptimeMs,
    direction: plan.direction,
    crypto: session.srtp && crypto ? [answerCrypto(session.srtp, crypto)] : [],
    rtcpMux: remote.rtcpMux,
  });
  const layout: SdpLayout = { audioIndex: remote.audioIndex, rejected: remote.rejected };
  return {
    ok: true,
    sdp: writeSession(media, session, arranged(audio, layout)),
    plan,
    layout,
    agreed: agreementOf(remote, plan),
  };
}

/**
 * The part of our offer that the remote party accepted. We send the payload types of the answer and
 * receive those of our offer (RFC 3264 6.1).
 */
export function acceptAnswer(answer: string, session: SdpSession): SdpPlan {
  const remote = readDescription(answer, session.srtp?.mode ?? "off");
  if (!remote.ok) return remote;
  const chosen = remote.codecs.find((codec) => session.codecs.includes(codec.name));
  if (!chosen) return { ok: false, reason: "no_common_codec" };
  const codec: NegotiatedCodec = {
    name: chosen.name,
    sendPayloadType: chosen.payloadType,
    receivePayloadType: codecFormat(chosen.name).payloadType,
  };
  const otherCodecs = remote.codecs
    .filter(({ name }) => name !== chosen.name && session.codecs.includes(name))
    .map(({ name }) => ({ name, payloadType: codecFormat(name).payloadType }));
  const event = chooseEvent(remote, chosen.name);
  const crypto = acceptedLine(remote.crypto);
  if (session.srtp?.mode === "required" && !crypto) return { ok: false, reason: "srtp_required" };
  const plan: MediaPlan = {
    remote: remote.address,
    codec,
    ...(otherCodecs.length > 0 && { otherCodecs }),
    telephoneEvent: event
      ? eventPlan(event, EVENT_TYPES.get(event.clockRateHz) ?? event.payloadType)
      : null,
    direction: MIRRORED[remote.direction],
    ptimeMs: remote.ptimeMs,
    ...extras(remote, agreesOnNoise(remote, session, chosen.name), keysOf(session, crypto, false)),
  };
  return { ok: true, plan, agreed: agreementOf(remote, plan) };
}

const agreementOf = ({ profile }: RemoteDescription, plan: MediaPlan): SdpAgreement => ({
  profile,
  codec: plan.codec.name,
  isEncrypted: plan.srtp !== undefined,
});

function chooseCodec(remote: RemoteDescription, session: SdpSession) {
  for (const name of session.codecs) {
    const offered = remote.codecs.find((codec) => codec.name === name);
    if (offered) return offered;
  }
  return undefined;
}

/**
 * Telephone-events with the codec's clock rate if offered (RFC 4733 2.1), otherwise with another
 * rate.
 */
function chooseEvent(remote: RemoteDescription, codec: CodecName): RemoteEvent | undefined {
  const { clockRateHz } = codecFormat(codec);
  return remote.events.find((event) => event.clockRateHz === clockRateHz) ?? remote.events[0];
}

function eventPlan({ payloadType, clockRateHz }: RemoteEvent, receive: number) {
  const plan = { send: payloadType, receive };
  return clockRateHz === 8000 ? plan : { ...plan, clockRateHz };
}

/** Payload type 13 has an 8 kHz clock. */
const agreesOnNoise = (remote: RemoteDescription, session: SdpSession, codec: CodecName) =>
  session.comfortNoise === true && remote.comfortNoise && codecFormat(codec).clockRateHz === 8000;

const keysOf = ({ srtp }: SdpSession, crypto: CryptoLine | undefined, isOffer: boolean) =>
  srtp && crypto ? agreedKeys(srtp, crypto, isOffer) : null;

/** Optional fields of a plan, present if agreed. */
function extras(remote: RemoteDescription, comfortNoise: boolean, srtp: SrtpKeys | null) {
  return {
    ...(srtp && { srtp }),
    ...(remote.rtcpMux && { rtcpMux: true }),
    ...(remote.rtcpPort !== null && { rtcpPort: remote.rtcpPort }),
    ...(comfortNoise && { comfortNoise: COMFORT_NOISE_PAYLOAD_TYPE }),
  };
}

function arranged(audio: readonly string[], { audioIndex, rejected }: SdpLayout): string[] {
  return [...rejected.slice(0, audioIndex), ...audio, ...rejected.slice(audioIndex)];
}

function writeSession(media: LocalMedia, session: SdpSession, streams: readonly string[]): string {
  const family = media.host.includes(":") ? "IP6" : "IP4";
  const lines = [
    "v=0",
    `o=- ${session.id} ${session.version} IN ${family} ${media.host}`,
    "s=-",
    `c=IN ${family} ${media.host}`,
    "t=0 0",
    ...streams,
  ];
  return `${lines.join("\r\n")}\r\n`;
}

interface AudioLines {
  readonly port: number;
  readonly profile: string;
  readonly formats: readonly AudioFormat[];
  readonly events: readonly RemoteEvent[];
  readonly comfortNoise: boolean;
  readonly ptimeMs: number;
  readonly direction: MediaDirection;
  readonly crypto: readonly string[];
  readonly rtcpMux: boolean;
}

function writeAudio(audio: AudioLines): string[] {
  const { formats, events, comfortNoise } = audio;
  const types = [
    ...formats.map(({ payloadType }) => payloadType),
    ...(comfortNoise ? [COMFORT_NOISE_PAYLOAD_TYPE] : []),
    ...events.map(({ payloadType }) => payloadType),
  ];
  const lines = [`m=audio ${audio.port} ${audio.profile} ${types.join(" ")}`];
  for (const { payloadType, name } of formats) {
    const { parameters } = codecFormat(name);
    lines.push(`a=rtpmap:${payloadType} ${rtpmapOf(name)}`);
    if (parameters !== undefined) lines.push(`a=fmtp:${payloadType} ${parameters}`);
  }
  if (comfortNoise) lines.push(`a=rtpmap:${COMFORT_NOISE_PAYLOAD_TYPE} CN/8000`);
  for (const { payloadType, clockRateHz } of events) {
    lines.push(`a=rtpmap:${payloadType} telephone-event/${clockRateHz}`);
    lines.push(`a=fmtp:${payloadType} 0-16`);
  }
  lines.push(...audio.crypto, `a=ptime:${audio.ptimeMs}`);
  if (audio.rtcpMux) lines.push("a=rtcp-mux");
  lines.push(`a=${audio.direction}`);
  return lines;
}
