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
  bind: text("Listening address of SIP over UDP and TCP.", "0.0.0.0:5060", address),
  tls_bind: optionalText("Listening address of SIP over TLS.", address),
  tls_cert: optionalText("Certificate chain of the TLS listener.", pem),
  tls_key: optionalText("Private key of that certificate.", pem),
  tls_ca_file: optionalText(
    "Certificate authorities for TLS trunks, in addition to the public ones.",
    pem,
  ),
  external_ip: text(
    'Public IP address that carriers see. "auto": learned from the responses of registrars.',
    "auto",
    {
      allowed: '"auto" or the public IP address',
      matches: (value) => value === "auto" || isIP(value) !== 0,
    },
  ),
  stun_server: optionalText(
    'STUN server that provides the public address if external_ip is "auto" and no registrar reports it.',
    {
      allowed: 'host or host:port, e.g. "stun.example.com:3478"',
      matches: (value) => isHost(value) || parseHostPort(value) !== null,
    },
  ),
  user_agent: text("Name in the User-Agent header.", "Linevoice", {
    allowed: "printable ASCII, at most 100 characters",
    matches: /^[\x20-\x7e]{1,100}$/,
  }),
  register_expires_sec: integer("Requested lifetime of a registration.", 300, 60, 86_400),
  ring_timeout_sec: integer(
    "Maximum ringing time of an outbound call. Then it ends with no_answer.",
    35,
    5,
    180,
  ),
  session_expires_sec: integer("Session timer (RFC 4028).", 1800, 90, 86_400),
  codecs: listOf(
    "Codecs in order of preference, for offers and answers.",
    z.enum(CODEC_NAMES),
    ["G722", "PCMA", "PCMU"],
    `at least one of ${quoted(CODEC_NAMES)}, best first`,
    { min: 1, max: CODEC_NAMES.length },
  ),
  srtp: oneOf(
    "Encryption of media by SRTP, with keys in SDP (SDES). Use TLS for the trunk too.",
    ["off", "optional", "required"],
    "off",
  ),
  outbound_proxy: optionalText("Outbound proxy of trunks without their own proxy.", {
    allowed: 'host or host:port, e.g. "proxy.example.com:5060"',
    matches: (value) => isHost(value) || parseHostPort(value) !== null,
  }),
  allow_networks: listOf(
    "Private networks that can contain a trunk's server or proxy, such as a PBX on site.",
    z.string().refine(isNetwork),
    [],
    'networks that can contain a trunk\'s server, e.g. ["192.168.1.0/24"]',
  ),
  new_calls_per_sec: integer(
    "Maximum number of new calls per second and trunk, with bursts of twice as many. Further calls get 503.",
    250,
    1,
    1000,
  ),
  trace: flag("Whether every SIP message is logged, including personal data.", false),
});

export const rtp = section({
  ports: text("UDP ports for media. Each call uses two.", "20000-29999", {
    allowed: 'a range within 1024-65535, e.g. "20000-29999"',
    matches: (value) => parsePortRange(value) !== null,
  }),
  timeout_sec: integer(
    "Maximum time without RTP and RTCP, unless the call is on hold. Then the call ends with media_lost.",
    15,
    2,
    300,
  ),
  hold_timeout_sec: integer(
    "Maximum time on hold. Then the call ends with hold_timeout.",
    1800,
    30,
    14_400,
  ),
  jitter_ms_max: integer("Maximum delay of the jitter buffer.", 200, 20, 1000),
  comfort_noise: flag(
    "Whether silence is sent as comfort noise (RFC 3389) if the far end accepts it.",
    false,
  ),
  packet_headers: flag(
    "Whether to store the headers of a call's first 1,000 and last 4,000 RTP and RTCP packets for the operator's capture file: times, addresses and sequence numbers, never audio.",
    false,
  ),
});
