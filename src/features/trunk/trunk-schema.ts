/**
 * Fields of a trunk: wire name, bounds, default and meaning. Input and output of command line and dashboard
 * are derived from them. trunks.ts has the rules between fields.
 */
import { z } from "zod";
import { EXTRA_NETWORKS_MAX, TRUNK_CHANNELS_MAX } from "../../call/sip-port.ts";
import { choice, e164In, field, flag, integer } from "../../core/schema.ts";
import type { RecordOf } from "../../core/wire-names.ts";
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
    "SIP port. Default: from DNS (SRV), or else 5060 (5061 with TLS).",
    5060,
  ).optional(),
  transport: choice(
    ["udp", "tcp", "tls", "auto"],
    "SIP transport. `auto`: from DNS.",
    "udp",
  ).default("udp"),
  username: field(
    z
      .string()
      .max(128)
      .regex(/^[^\s"<>@]*$/),
    {
      description: "SIP user. Empty with IP peering.",
      example: "100200",
      must: "be at most 128 characters without spaces, quotes, < > or @",
    },
  ),
  realm: field(z.string().regex(/^[^\p{Cc}"\\]{1,128}$/u), {
    description:
      "Digest realm. Challenges of other realms are ignored. `null`: the realm of the first challenge.",
    example: "sip.example.com",
    must: "be 1 to 128 characters without control characters, quotes and backslashes",
  })
    .nullable()
    .default(null),
  outbound_proxy: field(
    z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]{1,253})(:\d{1,5})?$/),
    {
      description:
        "Proxy as host[:port] that gets the requests instead of the server. `null`: no proxy.",
      example: "proxy.example.com:5060",
      must: "be host or host:port",
    },
  )
    .nullable()
    .default(null),
  caller_id: e164In("Default caller id."),
  register: flag("Whether the trunk registers. `false`: IP peering.", true).default(true),
  channels: integer(
    1,
    TRUNK_CHANNELS_MAX,
    "Maximum number of concurrent calls that the carrier allows. At the limit, calls are not placed and scheduled calls wait. `null`: the limit of the plan.",
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
      "SIP password. Encrypted, never returned. If it is missing, the stored password stays. `null`: no password, for a trunk that does not register.",
    example: "secret",
    must: "be 1 to 256 characters; required if the trunk registers and no password is stored",
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
      "Further addresses and networks that send calls. If the field is missing, they stay unless the server changes.",
    example: ["192.0.2.7"],
    must: `be a list of at most ${EXTRA_NETWORKS_MAX} addresses or networks such as 198.51.100.0/24`,
    reason: "networks",
  }).optional(),
};

export type TrunkInput = RecordOf<z.output<z.ZodObject<typeof operatorTrunkShape>>>;
