/** The tenant's trunk: its SIP account at a carrier. The password only goes in. */
import { z } from "zod";
import { TRUNK_CHANNELS_MAX } from "../../../../domain/call/sip-port.ts";
import { e164In, field, okReply, shown } from "../../../contracts/schema.ts";
import { contract } from "../../contract.ts";

const TRANSPORTS = ["udp", "tcp", "tls", "auto"] as const;
const HOST = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)$/;

const status = shown(
  z.enum(["registered", "registering", "failed", "unregistered", "not_required", "unknown"]),
  "Registration now; not_required: IP peering; unknown: it does not run.",
  "registered",
);

export const Trunk = z
  .strictObject({
    id: shown(z.int(), "Id of the trunk.", 1),
    server: shown(z.string(), "SIP host of the carrier.", "sip.example.com"),
    port: shown(z.int(), "SIP port; 0: not stated, found by DNS.", 5060),
    port_stated: shown(
      z.boolean(),
      "False: left to DNS (SRV), and `port` is what holds where that says nothing.",
      true,
    ),
    transport: shown(z.enum(TRANSPORTS), "SIP transport; auto: found by DNS.", "udp"),
    username: shown(z.string(), "SIP user.", "100200"),
    realm: shown(z.string().nullable(), "Digest realm; null: that of the first challenge.", null),
    outbound_proxy: shown(z.string().nullable(), "host[:port]; null: the server itself.", null),
    caller_id: shown(z.string(), "Default caller id, E.164.", "+37060000001"),
    register: shown(z.boolean(), "False: IP peering.", true),
    channels: shown(
      z.int().nullable(),
      "Calls that the carrier carries at once; null: not stated.",
      null,
    ),
    extra_networks: shown(
      z.array(z.string()),
      "Addresses and networks that calls come from besides the server's.",
      ["192.0.2.7"],
    ),
    unknown_sources: shown(
      z.array(z.string()),
      "Addresses that used the trunk's Contact user and are not the trunk's: calls from there are dropped.",
      ["198.51.100.9"],
    ),
    status,
    last_code: shown(z.int().nullable(), "SIP code of the last failed REGISTER.", null),
    explanation: shown(z.string().nullable(), "What it means and what to check.", null),
    next_attempt_at: shown(
      z.iso.datetime({ offset: true }).nullable(),
      "When it is tried again. ISO 8601, UTC.",
      null,
    ),
  })
  .meta({ id: "Trunk" });

export const TrunkTest = z
  .strictObject({
    result: shown(z.enum(["ok", "warning", "failed"]), "The worst of the checks.", "ok"),
    checks: z.array(
      z.strictObject({
        name: shown(z.string(), "What was checked.", "registration"),
        result: shown(z.enum(["ok", "warning", "failed", "unknown"]), "Its verdict.", "ok"),
        finding: shown(z.string(), "What was found.", "Registered."),
        remedy: shown(z.string().nullable(), "What fixes it.", null),
      }),
    ),
    options_code: shown(z.int().nullable(), "Final code of OPTIONS; null: no answer.", 200),
    round_trip_ms: shown(z.number().nullable(), "Of OPTIONS.", 12.5),
    local_address: shown(z.string(), "Our address on this machine.", "10.0.0.5:5060"),
    advertised_address: shown(z.string(), "Our address as we tell it.", "192.0.2.1:5060"),
    seen_as: shown(z.string().nullable(), "Our address as the far end sees it.", null),
    codecs: shown(z.array(z.string()).nullable(), "What the far end speaks.", ["PCMA"]),
  })
  .meta({ id: "TrunkTest" });

export const getTrunk = contract({
  operationId: "getTrunk",
  method: "GET",
  path: "/trunk",
  tag: "Trunk",
  summary: "The trunk and how it stands; null: there is none",
  reply: okReply({ trunk: Trunk.nullable() }),
  errors: [],
});

export const setTrunk = contract({
  operationId: "setTrunk",
  recent: true,
  method: "POST",
  path: "/trunk",
  tag: "Trunk",
  role: "owner",
  summary: "Make or replace the trunk",
  description: "It registers at once; live calls go on.",
  body: z
    .strictObject({
      server: field(z.string().min(1).max(253).regex(HOST), {
        description: "SIP host of the carrier.",
        example: "sip.example.com",
        must: "be a host name or IP address without port",
      }),
      port: field(z.int().min(1).max(65_535), {
        description: "SIP port. Left out: found by DNS (SRV), else 5060, with TLS 5061.",
        example: 5060,
        must: "be a port from 1 to 65535",
      }).optional(),
      port_stated: field(z.boolean(), {
        description: "False: `port` is not meant, as where it is sent back as it was shown.",
        example: true,
        must: "be true or false",
      }).default(true),
      transport: field(z.enum(TRANSPORTS), {
        description: "SIP transport.",
        example: "udp",
        must: "be udp, tcp, tls or auto",
      }).default("udp"),
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
      password: field(z.string().min(1).max(256), {
        description: "Sealed at once, never returned. Left out: the stored one stays.",
        example: "secret",
        must: "be 1 to 256 characters; needed when the trunk registers and none is stored",
      }).optional(),
      realm: field(z.string().min(1).max(128), {
        description: "Only challenges of this realm are answered.",
        example: "sip.example.com",
        must: "be 1 to 128 characters",
      })
        .nullable()
        .optional(),
      outbound_proxy: field(
        z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]{1,253})(:\d{1,5})?$/),
        {
          description: "host[:port] that requests go to instead of the server.",
          example: "proxy.example.com:5060",
          must: "be host or host:port",
        },
      )
        .nullable()
        .optional(),
      caller_id: e164In("Default caller id."),
      register: field(z.boolean(), {
        description: "False: IP peering, nothing is registered.",
        example: true,
        must: "be true or false",
      }).default(true),
      channels: field(z.int().min(1).max(TRUNK_CHANNELS_MAX), {
        description:
          "Calls that the carrier carries at once: no more are dialled, scheduled ones wait. null: as many as the plan allows.",
        example: 4,
        must: `be an integer from 1 to ${TRUNK_CHANNELS_MAX}, or null`,
      })
        .nullable()
        .optional(),
    })
    .meta({ id: "NewTrunk" }),
  reply: okReply({ trunk: Trunk }),
  errors: [],
});

export const allowTrunkSource = contract({
  operationId: "allowTrunkSource",
  method: "POST",
  path: "/trunk/allow",
  tag: "Trunk",
  role: "owner",
  summary: "Take calls from an address that used the trunk's Contact user",
  description: "Only one of `unknown_sources`. The trunk registers anew; live calls go on.",
  body: z
    .strictObject({
      address: field(z.union([z.ipv4(), z.ipv6()]), {
        description: "IP address.",
        example: "198.51.100.9",
        must: "be an IP address",
      }),
    })
    .meta({ id: "AllowedSource" }),
  reply: okReply({ trunk: Trunk }),
  errors: ["not_found", "conflict"],
});

export const deleteTrunk = contract({
  operationId: "deleteTrunk",
  recent: true,
  method: "DELETE",
  path: "/trunk",
  tag: "Trunk",
  role: "owner",
  summary: "Un-register and forget the trunk",
  description: "Live calls go on.",
  reply: okReply({ deleted: z.literal(true) }),
  errors: ["not_found"],
});

export const testTrunk = contract({
  operationId: "testTrunk",
  method: "POST",
  path: "/trunk/test",
  tag: "Trunk",
  summary: "Ask the far end now: registration, OPTIONS, address, codecs",
  description: "Takes some 10 s at most.",
  reply: okReply({ test: TrunkTest }),
  errors: ["not_found", "unavailable"],
});
