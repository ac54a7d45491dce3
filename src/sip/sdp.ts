/**
 * SDP offer/answer for one audio stream (RFC 8866, RFC 3264, RFC 4733). Pure: text in, text and a
 * `MediaPlan` out. Reads with sdp-transform, writes by itself. SRTP profiles, video and further
 * audio streams are refused by port 0, as RFC 3264 6 asks.
 */
import { type MediaDescription, parse, type SessionDescription } from "sdp-transform";
import type { CodecName, MediaDirection, MediaPlan, NegotiatedCodec } from "../media/plan.ts";
import type { LocalMedia } from "./ports.ts";

/** What stays the same over the offers and answers of one leg. */
export interface SdpSession {
  /** `o=` session id, numeric. */
  readonly id: number;
  /** `o=` version: one more with each description sent (RFC 3264 5). */
  readonly version: number;
  /** Codecs we can run, in our order of preference. */
  readonly codecs: readonly CodecName[];
}

export type SdpFailure = {
  readonly ok: false;
  readonly reason: "malformed" | "no_audio" | "no_common_codec";
};
export type SdpAnswer =
  | { readonly ok: true; readonly sdp: string; readonly plan: MediaPlan }
  | SdpFailure;
export type SdpPlan = { readonly ok: true; readonly plan: MediaPlan } | SdpFailure;

/** Payload types we offer: static where RFC 3551 has one. `rate` is the RTP clock in the rtpmap. */
const OFFERED: Readonly<Record<CodecName, { payloadType: number; rtpmap: string }>> = {
  PCMU: { payloadType: 0, rtpmap: "PCMU/8000" },
  PCMA: { payloadType: 8, rtpmap: "PCMA/8000" },
  // 8000 although it samples at 16 kHz: an error of RFC 1890 that RFC 3551 4.5.2 keeps.
  G722: { payloadType: 9, rtpmap: "G722/8000" },
  opus: { payloadType: 111, rtpmap: "opus/48000/2" },
};
const TELEPHONE_EVENT_PAYLOAD_TYPE = 101;
const PTIME_DEFAULT_MS = 20;

const MIRRORED: Readonly<Record<MediaDirection, MediaDirection>> = {
  sendrecv: "sendrecv",
  sendonly: "recvonly",
  recvonly: "sendonly",
  inactive: "inactive",
};

export function buildOffer(
  media: LocalMedia,
  session: SdpSession,
  direction: MediaDirection = "sendrecv",
): string {
  const formats = session.codecs.map((name) => OFFERED[name]);
  return writeSession(media, session, [
    ...writeAudio(media.port, formats, TELEPHONE_EVENT_PAYLOAD_TYPE, PTIME_DEFAULT_MS, direction),
  ]);
}

/** Our answer to an offer, and what both now agreed on. The offerer's order of codecs decides. */
export function answerOffer(offer: string, media: LocalMedia, session: SdpSession): SdpAnswer {
  const remote = readDescription(offer);
  if (!remote.ok) return remote;
  const chosen = remote.codecs.find((codec) => session.codecs.includes(codec.name));
  if (!chosen) return { ok: false, reason: "no_common_codec" };
  const { payloadType, rtpmap } = chosen;
  const event = remote.telephoneEvent;
  const plan: MediaPlan = {
    remote: remote.address,
    codec: { name: chosen.name, sendPayloadType: payloadType, receivePayloadType: payloadType },
    telephoneEvent: event === null ? null : { send: event, receive: event },
    direction: MIRRORED[remote.direction],
    ptimeMs: remote.ptimeMs,
  };
  const audio = writeAudio(
    media.port,
    [{ payloadType, rtpmap }],
    event,
    plan.ptimeMs,
    plan.direction,
  );
  const lines = remote.streams.flatMap((stream) =>
    stream === remote.audio ? audio : [refuseStream(stream)],
  );
  return { ok: true, sdp: writeSession(media, session, lines), plan };
}

/**
 * What the far end agreed to of our offer. The payload types we send are the ones it wrote, those
 * we receive are the ones we offered (RFC 3264 6.1).
 */
export function acceptAnswer(
  answer: string,
  session: SdpSession,
  offeredDirection: MediaDirection = "sendrecv",
): SdpPlan {
  const remote = readDescription(answer);
  if (!remote.ok) return remote;
  const chosen = remote.codecs.find((codec) => session.codecs.includes(codec.name));
  if (!chosen) return { ok: false, reason: "no_common_codec" };
  const codec: NegotiatedCodec = {
    name: chosen.name,
    sendPayloadType: chosen.payloadType,
    receivePayloadType: OFFERED[chosen.name].payloadType,
  };
  const event = remote.telephoneEvent;
  return {
    ok: true,
    plan: {
      remote: remote.address,
      codec,
      telephoneEvent:
        event === null ? null : { send: event, receive: TELEPHONE_EVENT_PAYLOAD_TYPE },
      direction: narrower(offeredDirection, MIRRORED[remote.direction]),
      ptimeMs: remote.ptimeMs,
    },
  };
}

/** An answer may only take directions away (RFC 3264 6.1); one that adds some is cut. */
function narrower(offered: MediaDirection, answered: MediaDirection): MediaDirection {
  const sends = (direction: MediaDirection) => direction === "sendrecv" || direction === "sendonly";
  const receives = (direction: MediaDirection) =>
    direction === "sendrecv" || direction === "recvonly";
  const send = sends(offered) && sends(answered);
  const receive = receives(offered) && receives(answered);
  if (send && receive) return "sendrecv";
  if (send) return "sendonly";
  return receive ? "recvonly" : "inactive";
}

type Stream = SessionDescription["media"][number];

interface RemoteCodec {
  readonly name: CodecName;
  readonly payloadType: number;
  readonly rtpmap: string;
}

interface RemoteDescription {
  readonly ok: true;
  readonly streams: readonly Stream[];
  readonly audio: Stream;
  readonly address: LocalMedia;
  readonly codecs: readonly RemoteCodec[];
  readonly telephoneEvent: number | null;
  /** As the far end sees it, c=0.0.0.0 folded in. */
  readonly direction: MediaDirection;
  readonly ptimeMs: number;
}

function readDescription(text: string): RemoteDescription | SdpFailure {
  const session = parseText(text);
  if (!session) return { ok: false, reason: "malformed" };
  const audio = session.media.find(
    (stream) => stream.type === "audio" && stream.port > 0 && /^RTP\/AVPF?$/i.test(stream.protocol),
  );
  if (!audio) return { ok: false, reason: "no_audio" };
  const host = audio.connection?.ip ?? session.connection?.ip;
  if (host === undefined || host === "" || audio.port > 65535) {
    return { ok: false, reason: "malformed" };
  }
  return {
    ok: true,
    streams: session.media,
    audio,
    address: { host, port: audio.port },
    codecs: readCodecs(audio),
    telephoneEvent: readTelephoneEvent(audio),
    direction: readDirection(audio, session, host),
    ptimeMs: readPtime(audio),
  };
}

/** sdp-transform throws on nothing we know of; a parser fed by strangers is not trusted with that. */
function parseText(text: string): SessionDescription | undefined {
  if (!/^v=0\s*$/m.test(text.slice(0, 64))) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function payloadTypes(audio: MediaDescription): number[] {
  return String(audio.payloads ?? "")
    .split(/\s+/)
    .map(Number)
    .filter((type) => Number.isInteger(type) && type >= 0 && type <= 127);
}

function readCodecs(audio: Stream): RemoteCodec[] {
  const codecs: RemoteCodec[] = [];
  for (const payloadType of payloadTypes(audio)) {
    const map = audio.rtp.find((entry) => entry.payload === payloadType);
    const name = map ? mappedCodec(map.codec, map.rate) : staticCodec(payloadType);
    if (name) codecs.push({ name, payloadType, rtpmap: OFFERED[name].rtpmap });
  }
  return codecs;
}

function mappedCodec(encoding: string, rate: number | undefined): CodecName | undefined {
  const names = Object.keys(OFFERED) as CodecName[];
  return names.find((name) => {
    const [ours = "", ourRate = ""] = OFFERED[name].rtpmap.split("/");
    return ours.toLowerCase() === encoding.toLowerCase() && Number(ourRate) === (rate ?? 8000);
  });
}

/** RFC 3551 6: without rtpmap, the static types mean what they always meant. */
function staticCodec(payloadType: number): CodecName | undefined {
  const names = Object.keys(OFFERED) as CodecName[];
  return names.find((name) => payloadType < 96 && OFFERED[name].payloadType === payloadType);
}

function readTelephoneEvent(audio: Stream): number | null {
  const listed = payloadTypes(audio);
  const entry = audio.rtp.find(
    (map) =>
      map.codec.toLowerCase() === "telephone-event" &&
      (map.rate ?? 8000) === 8000 &&
      listed.includes(map.payload),
  );
  return entry?.payload ?? null;
}

/** c=0.0.0.0 is RFC 2543's hold: the far end takes no media (RFC 3264 8.4). */
function readDirection(audio: Stream, session: SessionDescription, host: string): MediaDirection {
  const stated = audio.direction ?? session.direction ?? "sendrecv";
  if (host !== "0.0.0.0") return stated;
  return stated === "sendonly" ? "sendonly" : "inactive";
}

function readPtime(audio: Stream): number {
  const wanted = Number(audio.ptime ?? PTIME_DEFAULT_MS);
  const limit = Number(audio.maxptime ?? 60);
  const ptime = Math.min(Number.isFinite(wanted) ? wanted : PTIME_DEFAULT_MS, limit);
  const rounded = Math.floor(ptime / 10) * 10;
  return rounded >= 10 && rounded <= 60 ? rounded : PTIME_DEFAULT_MS;
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

function writeAudio(
  port: number,
  formats: readonly { payloadType: number; rtpmap: string }[],
  telephoneEvent: number | null,
  ptimeMs: number,
  direction: MediaDirection,
): string[] {
  const types = formats.map((format) => format.payloadType);
  if (telephoneEvent !== null) types.push(telephoneEvent);
  const lines = [`m=audio ${port} RTP/AVP ${types.join(" ")}`];
  for (const format of formats) lines.push(`a=rtpmap:${format.payloadType} ${format.rtpmap}`);
  if (telephoneEvent !== null) {
    lines.push(`a=rtpmap:${telephoneEvent} telephone-event/8000`);
    lines.push(`a=fmtp:${telephoneEvent} 0-16`);
  }
  lines.push(`a=ptime:${ptimeMs}`, `a=${direction}`);
  return lines;
}

/** The same media line with port 0 (RFC 3264 6). */
function refuseStream(stream: Stream): string {
  return `m=${stream.type} 0 ${stream.protocol} ${stream.payloads ?? "0"}`;
}
