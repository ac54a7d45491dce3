/** Availability of the service (specification 4). */

import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { contract, route } from "../../http/contract.ts";
import { okReply, shown, timeOut } from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";

export const ping = contract({
  operationId: "ping",
  at: "GET /ping",
  tag: "Service",
  summary: "Check that the service is available",
  description: "Needs no API key.",
  open: true,
  reply: okReply({
    service: shown(z.string(), "Name of the service.", "linevoice"),
    version: shown(z.literal("v1"), "Version of the API, as in the path.", "v1"),
    app_version: shown(z.string(), "Version of the Linevoice program.", "0.1.0"),
    time: timeOut("Current time of the server."),
  }),
});

export const serviceRoutes = ({ settings, dependencies: { clock } }: RouteContext) => [
  route(ping)(async () => ({
    ok: true,
    service: "linevoice",
    version: "v1",
    app_version: settings.version,
    time: isoUtc(clock.now()),
  })),
];
