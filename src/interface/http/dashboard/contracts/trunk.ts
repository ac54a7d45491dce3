/** The tenant's trunk: its SIP account at a carrier. The password only goes in. */
import { z } from "zod";
import { TRUNK_CHANNELS_MAX } from "../../../../domain/call/sip-port.ts";
import { e164In, field, okReply, shown } from "../../../contracts/schema.ts";
import { TRUNK_TRANSPORTS, TrunkTest, trunkFields } from "../../../contracts/trunks.ts";
import { contract } from "../../contract.ts";

const HOST = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)$/;

export const Trunk = z
  .strictObject({
    ...trunkFields,
    port_stated: shown(
      z.boolean(),
      "False: left to DNS (SRV), and `port` is what holds where that says nothing.",
      true,
    ),
    realm: shown(z.string().nullable(), "Digest realm; null: that of the first challenge.", null),
    outbound_proxy: shown(z.string().nullable(), "host[:port]; null: the server itself.", null),
    unknown_sources: shown(
      z.array(z.string()),
      "Addresses that used the trunk's Contact user and are not the trunk's: calls from there are dropped.",
      ["198.51.100.9"],
    ),
  })
  .meta({ id: "Trunk" });

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
      transport: field(z.enum(TRUNK_TRANSPORTS), {
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
