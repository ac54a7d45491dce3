/** The tenant's trunk: its SIP account at a carrier. The password is write-only. */

import { z } from "zod";
import { notFound } from "../../core/errors.ts";
import { contract, route } from "../../http/contract.ts";
import { askServices } from "../../http/contracts/ask.ts";
import { operations } from "../../http/contracts/operations.ts";
import { field, flag, okReply, shown } from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { NDJSON, ndjsonResponse } from "../../http/ndjson-response.ts";
import { numberIn } from "../number/national-form.ts";
import { presentTrunk, presentTrunkTest, TrunkTest, trunkFields } from "./contract.ts";
import { newTrunkShape } from "./trunk-schema.ts";
import type { TrunkState } from "./trunks.ts";

export const Trunk = z
  .strictObject({
    ...trunkFields,
    port_stated: shown(
      z.boolean(),
      "Whether the port is fixed. `false`: DNS (SRV) gives the port; `port` is used if there is no SRV record.",
      true,
    ),
    unknown_sources: shown(
      z.array(z.string()),
      "Addresses that do not belong to the trunk but used its Contact user. Calls from there are dropped.",
      ["198.51.100.9"],
    ),
  })
  .meta({ id: "Trunk" });

export const getTrunk = contract({
  operationId: "getTrunk",
  at: "GET /trunk",
  tag: "Trunk",
  summary: "Show the trunk and its status",
  reply: okReply({ trunk: Trunk.nullable() }),
});

export const setTrunk = contract({
  operationId: "setTrunk",
  recordsChanges: true,
  at: "POST /trunk",
  versioned: true,
  recent: true,
  tag: "Trunk",
  role: operations["trunk.set"].role,
  summary: "Create or replace the trunk",
  description: "The trunk registers at once. Live calls continue.",
  body: z
    .strictObject({
      ...newTrunkShape,
      port_stated: flag(
        "Whether `port` is fixed. Send `false` to let DNS (SRV) give the port, for example if you send back a `port` that you did not set.",
        true,
      ).default(true),
    })
    .meta({ id: "NewTrunk" }),
  reply: okReply({ trunk: Trunk }),
});

export const allowTrunkSource = contract({
  operationId: "allowTrunkSource",
  at: "POST /trunk/allow",
  tag: "Trunk",
  role: "owner",
  summary: "Allow calls from another address",
  description:
    "The address must be in `unknown_sources`. The trunk registers again. Live calls continue.",
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
  recordsChanges: true,
  at: "DELETE /trunk",
  recent: true,
  tag: "Trunk",
  role: "owner",
  summary: "Unregister and delete the trunk",
  description: "Live calls continue.",
  reply: okReply({ deleted: z.literal(true) }),
  errors: ["not_found"],
});

export const testTrunk = contract({
  operationId: "testTrunk",
  at: "POST /trunk/test",
  tag: "Trunk",
  summary: "Test the trunk: registration, OPTIONS, address, codecs",
  description:
    "Takes up to 18 seconds. With `Accept: application/x-ndjson`, each step sends a line with the results so far; the last line contains the complete test.",
  reply: okReply({ test: TrunkTest }),
  errors: ["not_found", "unavailable"],
});

export const readNumber = contract({
  operationId: "readNumber",
  at: "GET /number",
  tag: "Trunk",
  summary: "Convert a typed telephone number to E.164",
  description: "National forms are read in the country of the trunk's caller ID.",
  query: z.strictObject({
    typed: field(z.string().max(60), {
      description: "The number as a person typed it.",
      example: "8 600 00001",
      must: "have at most 60 characters",
    }),
  }),
  reply: okReply({
    number_e164: shown(z.string().nullable(), "The number. `null` if it is none.", "+37060000001"),
  }),
  errors: ["valid_typed_required"],
});

export const trunkRoutes = ({ dependencies: { services } }: ProductContext) => {
  const { trunks } = services;

  async function present(state: TrunkState) {
    const { tenant_id: tenantId, ...fields } = presentTrunk(state);
    const unknown_sources = await trunks.unknownSources(tenantId);
    return { ...fields, port_stated: state.trunk.port > 0, unknown_sources };
  }
  async function stored(tenantId: number) {
    const trunk = await trunks.get(tenantId);
    return trunk && (await present(trunk));
  }

  return [
    route(getTrunk)(async ({ tenantId }) => ({
      ok: true,
      trunk: await stored(tenantId),
    })),
    route(allowTrunkSource)(async ({ tenantId, body }) => ({
      ok: true,
      trunk: await present(await trunks.allow(tenantId, body.address)),
    })),
    route(setTrunk)(async ({ tenantId, body, session }) => {
      const { port, port_stated: isStated, ...fields } = body;
      const ask = askServices(services, {
        isOperator: session?.user.operator ?? false,
        commandLineUser: null,
      });
      await ask("trunk.set", { tenant: tenantId, ...fields, port: isStated ? port : undefined });
      const trunk = await stored(tenantId);
      if (!trunk) throw notFound("trunk");
      return { ok: true, trunk };
    }),
    route(readNumber)(async ({ tenantId, query }) => ({
      ok: true,
      number_e164: numberIn(query.typed, await trunks.country(tenantId)) ?? null,
    })),
    route(deleteTrunk)(async ({ tenantId, session }) => {
      await trunks.remove(tenantId, session?.user.operator ?? false);
      return { ok: true, deleted: true };
    }),
    route(testTrunk)(async ({ tenantId, http: { headers } }) => {
      // A repeated request gets the stored response without streaming.
      if (!headers.get("accept")?.includes(NDJSON) || headers.has("idempotency-key"))
        return { ok: true, test: presentTrunkTest(await trunks.testOf(tenantId)) };
      return ndjsonResponse((line) =>
        trunks.testOf(tenantId, (test) => line(presentTrunkTest(test))).then(presentTrunkTest),
      );
    }),
  ];
};
