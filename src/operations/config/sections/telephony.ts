/** [sip], [rtp]. */
import { isIP } from "node:net";
import { z } from "zod";
import { CODEC_NAMES } from "../../../core/codecs.ts";
import {
  isHost,
  isNetwork,
  parseHostPort,
  parsePortRange,
} from "../../../platform/config/formats.ts";
import {
  flag,
  integer,
  listOf,
  oneOf,
  optionalText,
  quoted,
  section,
  text,
} from "../../../platform/config/key.ts";

const address = {
  allowed: 'host:port, e.g. "0.0.0.0:5060"',
  matches: (value: string) => parseHostPort(value) !== null,
};

const pem = { allowed: "the path of a PEM file" };

export const sip = section({
  bind: text("Where SIP listens, UDP and TCP.", "0.0.0.0:5060", address),
  tls_bind: optionalText("Where SIP over TLS listens.", address),
  tls_cert: optionalText("Certificate chain of the TLS listener.", pem),
  tls_key: optionalText("Private key of that certificate.", pem),
  tls_ca_file: optionalText(
    "Certificate authorities that TLS trunks trust besides the public ones.",
    pem,
  ),
  external_ip: text(
    'The public address that carriers see. "auto" learns it from the answers of registrars.',
    "auto",
    {
      allowed: '"auto" or the public IP address',
      matches: (value) => value === "auto" || isIP(value) !== 0,
    },
  ),
  stun_server: optionalText(
    'STUN server that is asked for the public address when external_ip is "auto" and no registrar tells it.',
    {
      allowed: 'host or host:port, e.g. "stun.example.com:3478"',
      matches: (value) => isHost(value) || parseHostPort(value) !== null,
    },
  ),
  user_agent: text("Name in the User-Agent header.", "Linevoice", {
    allowed: "printable ASCII, at most 100 characters",
    matches: /^[\x20-\x7e]{1,100}$/,
  }),
  register_expires_sec: integer("Lifetime of a registration that is asked for.", 300, 60, 86_400),
  ring_timeout_sec: integer("An outbound call that rings longer ends with no_answer.", 35, 5, 180),
  session_expires_sec: integer("Session timer (RFC 4028).", 1800, 90, 86_400),
  codecs: listOf(
    "Codecs in order of preference, for offers and answers.",
    z.enum(CODEC_NAMES),
    ["G722", "PCMA", "PCMU"],
    `at least one of ${quoted(CODEC_NAMES)}, best first`,
    { min: 1, max: CODEC_NAMES.length },
  ),
  srtp: oneOf(
    "Encryption of media by SRTP, with keys in SDP (SDES): use TLS for the trunk, too.",
    ["off", "optional", "required"],
    "off",
  ),
  outbound_proxy: optionalText("Outbound proxy for trunks that name none.", {
    allowed: 'host or host:port, e.g. "proxy.example.com:5060"',
    matches: (value) => isHost(value) || parseHostPort(value) !== null,
  }),
  allow_networks: listOf(
    "Private networks in which a trunk's server or proxy may be, such as a PBX on site.",
    z.string().refine(isNetwork),
    [],
    'networks that a trunk\'s server may be in, e.g. ["192.168.1.0/24"]',
  ),
  new_calls_per_sec: integer(
    "New calls a second that one trunk accepts, with bursts of twice as many; further ones get 503.",
    250,
    1,
    1000,
  ),
  trace: flag("Whether every SIP message is logged, personal data included.", false),
});

export const rtp = section({
  ports: text("UDP ports for media; each call takes two.", "20000-29999", {
    allowed: 'a range within 1024-65535, e.g. "20000-29999"',
    matches: (value) => parsePortRange(value) !== null,
  }),
  timeout_sec: integer(
    "A call that gets neither RTP nor RTCP for this long ends with media_lost, unless it is on hold.",
    15,
    2,
    300,
  ),
  hold_timeout_sec: integer(
    "A call that is on hold for this long ends with hold_timeout.",
    1800,
    30,
    14_400,
  ),
  jitter_ms_max: integer("Longest delay of the jitter buffer.", 200, 20, 1000),
  comfort_noise: flag(
    "Whether silence is sent as comfort noise (RFC 3389) where the far end accepts it.",
    false,
  ),
  packet_headers: flag(
    "Whether the headers of a call's RTP and RTCP packets, the first 1,000 and the last 4,000, are kept with it for the operator's capture file: times, addresses, sequence numbers, never audio.",
    false,
  ),
});
