/** Every route below /api/dashboard, and its WebSockets. */
import type { Route } from "../../contract.ts";
import type { RouteContext } from "../../routes/context.ts";
import { liveSocket } from "../sockets/live.ts";
import { monitorSocket } from "../sockets/monitor.ts";
import type { SocketRoute } from "../sockets/socket.ts";
import { webCallSocket } from "../sockets/web-call.ts";
import { accountRoutes } from "./account.ts";
import type { ProductContext } from "./context.ts";
import { productRoutes } from "./pages.ts";
import { sessionRoutes } from "./session.ts";
import { teamRoutes } from "./team.ts";

export const dashboardRoutes = (context: RouteContext): Route[] => [
  ...sessionRoutes(context),
  ...accountRoutes(context),
  ...teamRoutes(context),
  ...(context.dependencies.dashboard
    ? productRoutes({ ...context, parts: context.dependencies.dashboard })
    : []),
];

/** Its WebSockets. */
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
