/** [sip], [rtp]. */
import { isIP } from "node:net";
import { z } from "zod";
import { isHost, isNetwork, parseHostPort, parsePortRange } from "../formats.ts";
import { flag, integer, listOf, oneOf, optionalText, quoted, section, text } from "../key.ts";

const CODECS = ["G722", "PCMA", "PCMU", "opus"] as const;

const address = {
  allowed: 'host:port, e.g. "0.0.0.0:5060"',
  matches: (value: string) => parseHostPort(value) !== null,
};

const pem = { allowed: "the path of a PEM file" };

export const sip = section({
  bind: text("0.0.0.0:5060", address),
  tls_bind: optionalText(address),
  tls_cert: optionalText(pem),
  tls_key: optionalText(pem),
  tls_ca_file: optionalText(pem),
  external_ip: text("auto", {
    allowed: '"auto" or the public IP address',
    matches: (value) => value === "auto" || isIP(value) !== 0,
  }),
  stun_server: optionalText({
    allowed: 'host or host:port, e.g. "stun.example.com:3478"',
    matches: (value) => isHost(value) || parseHostPort(value) !== null,
  }),
  user_agent: text("Linevoice", {
    allowed: "printable ASCII, at most 100 characters",
    matches: /^[\x20-\x7e]{1,100}$/,
  }),
  register_expires_sec: integer(300, 60, 86_400),
  ring_timeout_sec: integer(35, 5, 180),
  session_expires_sec: integer(1800, 90, 86_400),
  codecs: listOf(
    z.enum(CODECS),
    ["G722", "PCMA", "PCMU"],
    `at least one of ${quoted(CODECS)}, best first`,
    { min: 1, max: 4 },
  ),
  srtp: oneOf(["off", "optional", "required"], "off"),
  outbound_proxy: optionalText({
    allowed: 'host or host:port, e.g. "proxy.example.com:5060"',
    matches: (value) => isHost(value) || parseHostPort(value) !== null,
  }),
  allow_networks: listOf(
    z.string().refine(isNetwork),
    [],
    'networks that a trunk\'s server may be in, e.g. ["192.168.1.0/24"]',
  ),
  new_calls_per_sec: integer(250, 1, 1000),
  trace: flag(false),
});

export const rtp = section({
  ports: text("20000-29999", {
    allowed: 'a range within 1024-65535, e.g. "20000-29999"',
    matches: (value) => parsePortRange(value) !== null,
  }),
  timeout_sec: integer(15, 2, 300),
  hold_timeout_sec: integer(1800, 30, 14_400),
  jitter_ms_max: integer(200, 20, 1000),
  comfort_noise: flag(false),
});
