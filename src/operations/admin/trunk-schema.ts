/**
 * Fields of a trunk: wire name, bounds, default and meaning. Input and output of command line and dashboard
 * are derived from them. trunks.ts has the rules between fields.
 */
import { z } from "zod";
import { choice, e164In, field, flag, integer } from "../../core/schema.ts";
import type { RecordOf } from "../../core/wire-names.ts";
import { EXTRA_NETWORKS_MAX, TRUNK_CHANNELS_MAX } from "../../domain/call/sip-port.ts";
import { isNetwork } from "../../platform/config/formats.ts";

/** Stored and shown fields. */
export const trunkShape = {
  server: field(
    z
      .string()
      .min(1)
      .max(253)
      .regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+|[0-9a-fA-F:.]+)$/),
    {
      description: "SIP host of the carrier.",
      example: "sip.example.com",
      must: "be a host name or IP address without port",
    },
  ),
  port: integer(
    1,
    65_535,
    "SIP port. Left out: found by DNS (SRV), else 5060, with TLS 5061.",
    5060,
  ).optional(),
  transport: choice(
    ["udp", "tcp", "tls", "auto"],
    "SIP transport; auto: found by DNS.",
    "udp",
  ).default("udp"),
  username: field(
    z
      .string()
      .max(128)
      .regex(/^[^\s"<>@]*$/),
    {
      description: "SIP user; empty with IP peering.",
      example: "100200",
      must: "be at most 128 characters without spaces, quotes, < > or @",
    },
  ),
  realm: field(z.string().regex(/^[^\p{Cc}"\\]{1,128}$/u), {
    description: "Only challenges of this digest realm are answered; null: that of the first.",
    example: "sip.example.com",
    must: "be 1 to 128 characters without control characters, quotes and backslashes",
  })
    .nullable()
    .default(null),
  outbound_proxy: field(
    z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]{1,253})(:\d{1,5})?$/),
    {
      description:
        "host[:port] that requests go to instead of the server; null: the server itself.",
      example: "proxy.example.com:5060",
      must: "be host or host:port",
    },
  )
    .nullable()
    .default(null),
  caller_id: e164In("Default caller id."),
  register: flag("False: IP peering, nothing is registered.", true).default(true),
  channels: integer(
    1,
    TRUNK_CHANNELS_MAX,
    "Calls that the carrier carries at once: no more are dialled, scheduled ones wait. null: as many as the plan allows.",
    4,
  )
    .nullable()
    .default(null),
};

/** Input fields for an owner. The password is write-only. */
export const newTrunkShape = {
  ...trunkShape,
  password: field(z.string().min(1).max(256), {
    description:
      "Sealed at once, never returned. Left out: the stored one stays; null: none, for a trunk that does not register.",
    example: "secret",
    must: "be 1 to 256 characters; needed when the trunk registers and none is stored",
    reason: "trunk_password",
  })
    .nullable()
    .optional(),
};

/** Additional input fields for the operator. */
export const operatorTrunkShape = {
  ...newTrunkShape,
  extra_networks: field(z.array(z.string().refine(isNetwork)).max(EXTRA_NETWORKS_MAX), {
    description:
      "Addresses and networks that calls come from besides the server's. Left out: they stay while the server does.",
    example: ["192.0.2.7"],
    must: `be a list of at most ${EXTRA_NETWORKS_MAX} addresses or networks such as 198.51.100.0/24`,
    reason: "networks",
  }).optional(),
};

export type TrunkInput = RecordOf<z.output<z.ZodObject<typeof operatorTrunkShape>>>;
