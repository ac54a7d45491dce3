/** Every WebSocket below /api/dashboard. */

import type { ProductContext } from "../../dashboard-context.ts";
import type { RouteContext } from "../../route-context.ts";
import { liveSocket } from "./live.ts";
import { monitorSocket } from "./monitor.ts";
import type { SocketRoute } from "./socket.ts";
import { webCallSocket } from "./web-call.ts";

export const dashboardSockets = (context: RouteContext): SocketRoute[] =>
  context.dependencies.dashboard
    ? productSockets({ ...context, parts: context.dependencies.dashboard })
    : [];

function productSockets({ dependencies, parts }: ProductContext): SocketRoute[] {
  const { services, clock, log, identity } = dependencies;
  const { live, remoteNodes, webCalls } = parts;
  const { audit } = identity;
  return [
    liveSocket({ live, remoteNodes, agents: services.agents, clock, log }),
    monitorSocket({ live, audit }),
    webCallSocket({ webCalls, audit }),
  ];
}
