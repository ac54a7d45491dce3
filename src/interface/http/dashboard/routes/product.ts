/** The dashboard's routes about the product itself, and its WebSockets. */
import type { Route } from "../../contract.ts";
import { liveSocket } from "../sockets/live.ts";
import { monitorSocket } from "../sockets/monitor.ts";
import type { SocketRoute } from "../sockets/socket.ts";
import { webCallSocket } from "../sockets/web-call.ts";
import { billingRoutes } from "./billing.ts";
import { callDetailsRoutes, callFileRoutes } from "./calls.ts";
import { chatRoutes } from "./chat.ts";
import type { ProductContext } from "./context.ts";
import { homeRoutes } from "./home.ts";
import { operatorRoutes } from "./operator.ts";
import { tenantSettingsRoutes } from "./tenant-settings.ts";
import { toolRoutes } from "./tools.ts";
import { trunkRoutes } from "./trunk.ts";
import { webhookRoutes } from "./webhooks.ts";

export const productRoutes = (context: ProductContext): Route[] => [
  ...homeRoutes(context),
  ...callDetailsRoutes(context),
  ...callFileRoutes(context),
  ...chatRoutes(context),
  ...toolRoutes(context),
  ...trunkRoutes(context),
  ...tenantSettingsRoutes(context),
  ...webhookRoutes(context),
  ...billingRoutes(context),
  ...operatorRoutes(context),
];

export function productSockets({ dependencies, parts }: ProductContext): SocketRoute[] {
  const { services, clock, log, identity } = dependencies;
  const { live, remoteNodes, webCalls } = parts;
  const { audit } = identity;
  return [
    liveSocket({ live, remoteNodes, agents: services.agents, clock, log }),
    monitorSocket({ live, audit }),
    webCallSocket({ webCalls, audit }),
  ];
}
