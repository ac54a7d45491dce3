/** GET /ping. */
import { isoUtc } from "../../../core/clock.ts";
import { route } from "../contract.ts";
import { ping } from "../contracts/service.ts";
import type { RouteContext } from "./context.ts";

export const serviceRoutes = ({ settings, dependencies: { clock } }: RouteContext) => [
  route(ping)(async () => ({
    ok: true,
    service: "linevoice",
    version: "v1",
    app_version: settings.version,
    time: isoUtc(clock.now()),
  })),
];
