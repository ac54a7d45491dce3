/**
 * Reads the one audio stream that we use from the remote party's SDP (RFC 8866, RFC 3551, RFC 4733,
 * RFC 4568). Pure. Parses with sdp-transform and validates its output. sdp.ts decides which codec
 * and key are used.
 */
import { type MediaDescription, parse, type SessionDescription } from "sdp-transform";
import type { LocalMedia } from "../call/sip-port.ts";
import { CODEC_NAMES, type CodecName, codecFormat, staticCodec } from "../core/codecs.ts";
import type { MediaDirection } from "../core/media-plan.ts";
import { contains, parseAddress, parseNetwork, systemText } from "../platform/net/ip-address.ts";
import { type CryptoLine, readCryptoLines, type SrtpMode } from "./sdes.ts";

export const PTIME_DEFAULT_MS = 20;
export const COMFORT_NOISE_PAYLOAD_TYPE = 13;
const PTIME_MS_MIN = 10;
const PTIME_MS_MAX = 60;
const PORT_MAX = 65_535;

type Stream = SessionDescription["media"][number];

/** A codec of a media line, with its payload type in that line. */
export interface AudioFormat {
  readonly name: CodecName;
  readonly payloadType: number;
}

export interface RemoteEvent {
  readonly payloadType: number;
  readonly clockRateHz: number;
}

export interface RemoteDescription {
  readonly ok: true;
  readonly audio: Stream;
  /** Its index among the media lines. */
  readonly audioIndex: number;
  /** The other media lines, rejected: with port 0 (RFC 3264 6). */
  readonly rejected: readonly string[];
  /** `RTP/AVP`, `RTP/SAVP` or their feedback profiles: an answer repeats it. */
  readonly profile: string;
  readonly isSecureProfile: boolean;
  /** Offered or accepted keys that we support. */
  readonly crypto: readonly CryptoLine[];
  readonly address: LocalMedia;
  readonly codecs: readonly AudioFormat[];
  readonly events: readonly RemoteEvent[];
  readonly comfortNoise: boolean;
  /** From the remote party's side; c=0.0.0.0 is taken into account. */
  readonly direction: MediaDirection;
  readonly ptimeMs: number;
  readonly rtcpMux: boolean;
  /** Null: the RTP port plus one. */
  readonly rtcpPort: number | null;
}

type DescriptionFailure = {
  readonly ok: false;
  readonly reason: "malformed" | "no_audio" | "srtp_required";
};

/**
 * If there are several audio streams, reads the most protected one that `mode` allows. Among
 * equals, reads the first one with a supported codec.
 */
export function readDescription(
  text: string,
  mode: SrtpMode,
): RemoteDescription | DescriptionFailure {
  const session = parseText(text);
  if (!session) return { ok: false, reason: "malformed" };
  const candidates = session.media.filter(isAudio).map((stream) => securityOf(stream));
  const audible = candidates.filter(({ isSecureProfile, crypto }) =>
    isSecureProfile ? mode !== "off" && crypto.length > 0 : true,
  );
  const permitted = audible.filter(({ crypto }) => mode !== "required" || crypto.length > 0);
  const known = permitted.filter(({ stream }) => readCodecs(stream).length > 0);
  const allowed = known.length > 0 ? known : permitted;
  const chosen =
    (mode === "off" ? undefined : allowed.find(({ crypto }) => crypto.length > 0)) ?? allowed[0];
  if (!chosen) {
    const isOnlyKeyMissing = mode === "required" && candidates.length > 0;
    return { ok: false, reason: isOnlyKeyMissing ? "srtp_required" : "no_audio" };
  }
  const { stream: audio, isSecureProfile, crypto } = chosen;
  const audioIndex = session.media.indexOf(audio);
  const address = String(audio.connection?.ip ?? session.connection?.ip ?? "");
  // Some peers write a TTL, which only multicast has (RFC 8866 5.7).
  const host = systemText(address.replace(/\/.*$/, ""));
  if (host === "") return { ok: false, reason: "malformed" };
  if (isGroup(host)) return { ok: false, reason: "no_audio" };
  return {
    ok: true,
    audio,
    audioIndex,
    rejected: rejections(text).filter((_, index) => index !== audioIndex),
    profile: String(audio.protocol).toUpperCase(),
    isSecureProfile,
    crypto: mode === "off" ? [] : crypto,
    address: { host, port: audio.port },
    codecs: readCodecs(audio),
    events: readEvents(audio),
    comfortNoise: payloadTypes(audio).includes(COMFORT_NOISE_PAYLOAD_TYPE),
    direction: readDirection(audio, session, host),
    ptimeMs: readPtime(audio),
    rtcpMux: audio.rtcpMux !== undefined,
    rtcpPort: readRtcpPort(audio),
  };
}

const GROUPS = ["224.0.0.0/4", "255.255.255.255", "ff00::/8"].map(parseNetwork);

/**
 * Multicast and broadcast are rejected: a call has one remote party, and media must not flood other
 * networks.
 */
function isGroup(host: string): boolean {
  const address = parseAddress(host);
  return address !== null && GROUPS.some((group) => contains(group, address));
}

const isAudio = (stream: Stream) =>
  stream.type === "audio" &&
  stream.port > 0 &&
  stream.port <= PORT_MAX &&
  /^RTP\/S?AVPF?$/i.test(String(stream.protocol));

function securityOf(stream: Stream) {
  const isSecureProfile = /^RTP\/SAVP/i.test(stream.protocol);
  return { stream, isSecureProfile, crypto: readCryptoLines(stream) };
}

/**
 * Media lines that sdp-transform would miss, so that it would give their attributes to the line
 * before. They have a port count, several spaces, another case, or a media type of more than a
 * word.
 */
const MEDIA_LINE = /^m=(\S+) (\d+)(?:\/\d+)?(?= )/gm;
const CONNECTION_LINE = /^c=IN IP([46]) \[?([^\s\]]*)\]?/gim;

function normalised(text: string): string {
  return text
    .replace(/ {2,}/g, " ")
    .replace(MEDIA_LINE, (_, type: string, port: string) => `m=${wordOf(type)} ${port}`)
    .replace(CONNECTION_LINE, "c=IN IP$1 $2");
}

const wordOf = (type: string): string => type.toLowerCase().replace(/\W/g, "_");

/** sdp-transform has no known exceptions, but its input is untrusted. */
function parseText(text: string): SessionDescription | undefined {
  if (!/^v=0\s*$/m.test(text.slice(0, 64))) return undefined;
  try {
    return parse(normalised(text));
  } catch {
    return undefined;
  }
}

/** Every media line with port 0. */
const rejections = (text: string): string[] =>
  (text.match(/^m=[^\r\n]*/gm) ?? []).map((line) =>
    line.replace(/^m= *(\S+) +\d+(?:\/\d+)?/, "m=$1 0"),
  );

function payloadTypes(audio: MediaDescription): number[] {
  return String(audio.payloads ?? "")
    .split(/\s+/)
    .map(Number)
    .filter((type) => Number.isInteger(type) && type >= 0 && type <= 127);
}

function readCodecs(audio: Stream): AudioFormat[] {
  const codecs: AudioFormat[] = [];
  for (const payloadType of payloadTypes(audio)) {
    const map = audio.rtp.find((entry) => entry.payload === payloadType);
    const name = map ? mappedCodec(nameOf(map), map.rate) : staticCodec(payloadType);
    if (name) codecs.push({ name, payloadType });
  }
  return codecs;
}

/** sdp-transform converts a name that looks like a number to a number. */
const nameOf = (map: Stream["rtp"][number]) => String(map.codec).toLowerCase();

function mappedCodec(encoding: string, rate = 8000): CodecName | undefined {
  return CODEC_NAMES.find((name) => {
    const { clockRateHz, misspelledClockRateHz } = codecFormat(name);
    const sameRate = rate === clockRateHz || rate === misspelledClockRateHz;
    return name.toLowerCase() === encoding && sameRate;
  });
}

function readEvents(audio: Stream): RemoteEvent[] {
  const listed = payloadTypes(audio);
  return audio.rtp
    .filter((map) => nameOf(map) === "telephone-event" && listed.includes(map.payload))
    .map((map) => ({ payloadType: map.payload, clockRateHz: map.rate ?? 8000 }));
}

/** c=0.0.0.0 is RFC 2543's hold: the remote party accepts no media (RFC 3264 8.4). */
function readDirection(audio: Stream, session: SessionDescription, host: string): MediaDirection {
  const stated = audio.direction ?? session.direction ?? "sendrecv";
  if (host !== "0.0.0.0" && host !== "::") return stated;
  return stated === "sendonly" ? "sendonly" : "inactive";
}

/** RFC 3605. */
function readRtcpPort({ port, rtcp }: Stream): number | null {
  const stated = Number(rtcp?.port ?? 0);
  const isPort = Number.isInteger(stated) && stated > 0 && stated <= PORT_MAX;
  return isPort && stated !== port + 1 ? stated : null;
}

function readPtime(audio: Stream): number {
  const wanted = Number(audio.ptime ?? PTIME_DEFAULT_MS);
  const limit = Number(audio.maxptime ?? PTIME_MS_MAX);
  const ptime = Math.min(Number.isFinite(wanted) ? wanted : PTIME_DEFAULT_MS, limit);
  const rounded = Math.floor(ptime / 10) * 10;
  return rounded >= PTIME_MS_MIN && rounded <= PTIME_MS_MAX ? rounded : PTIME_DEFAULT_MS;
}
