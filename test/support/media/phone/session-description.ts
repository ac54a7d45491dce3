/** The SDP of a phone (RFC 8866, RFC 3264): one audio stream, G.711, telephone-event. */
import { parse } from "sdp-transform";
import type { MediaDirection } from "../../../../src/core/media-plan.ts";
import type { G711Law } from "../../../../src/platform/audio/g711.ts";
import type { Address } from "./datagram.ts";

export const PAYLOAD_TYPES: Readonly<Record<G711Law, number>> = { PCMU: 0, PCMA: 8 };
const TELEPHONE_EVENT_OFFERED = 101;

interface LocalDescription {
  readonly rtp: Address;
  /** In order of preference. */
  readonly codecs: readonly G711Law[];
  readonly telephoneEvent: number | null;
  readonly direction: MediaDirection;
  /** Increased with each new description of a call (RFC 3264 8). */
  readonly version: number;
}

export interface RemoteDescription {
  readonly rtp: Address;
  readonly codec: G711Law;
  readonly telephoneEvent: number | null;
  /** From the remote party's side. */
  readonly direction: MediaDirection;
}

export function writeDescription(local: LocalDescription): string {
  const payloads = local.codecs.map((codec) => PAYLOAD_TYPES[codec]);
  const event = local.telephoneEvent;
  const lines = [
    "v=0",
    `o=phone 1 ${local.version} IN IP4 ${local.rtp.host}`,
    "s=-",
    `c=IN IP4 ${local.rtp.host}`,
    "t=0 0",
    `m=audio ${local.rtp.port} RTP/AVP ${[...payloads, ...(event === null ? [] : [event])].join(" ")}`,
    ...local.codecs.map((codec) => `a=rtpmap:${PAYLOAD_TYPES[codec]} ${codec}/8000`),
    ...(event === null ? [] : [`a=rtpmap:${event} telephone-event/8000`, `a=fmtp:${event} 0-15`]),
    "a=ptime:20",
    `a=${local.direction}`,
  ];
  return `${lines.join("\r\n")}\r\n`;
}

export const offerTelephoneEvent = (wanted: boolean): number | null =>
  wanted ? TELEPHONE_EVENT_OFFERED : null;

/** Null if there is no audio stream or no codec of `codecs`. */
export function readDescription(
  body: string,
  codecs: readonly G711Law[],
): RemoteDescription | null {
  const session = parse(body);
  const audio = session.media.find((media) => media.type === "audio");
  const host = audio?.connection?.ip ?? session.connection?.ip;
  if (!audio || !host || audio.port === 0) return null;
  const payloads = String(audio.payloads).split(" ").map(Number);
  const codec = payloads
    .map((payload) => codecs.find((name) => PAYLOAD_TYPES[name] === payload))
    .find((name) => name !== undefined);
  if (!codec) return null;
  const event = audio.rtp.find((entry) => /^telephone-event$/i.test(entry.codec));
  return {
    rtp: { host, port: audio.port },
    codec,
    telephoneEvent: event?.payload ?? null,
    direction: audio.direction ?? "sendrecv",
  };
}
