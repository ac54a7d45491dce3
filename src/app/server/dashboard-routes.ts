/** Every route below /api/dashboard. */

import { accountRoutes } from "../../features/identity/account-routes.ts";
import { sessionRoutes } from "../../features/identity/session-routes.ts";
import { teamRoutes } from "../../features/identity/team-routes.ts";
import type { Route } from "../../http/contract.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { productRoutes } from "./dashboard-contracts.ts";

export const dashboardRoutes = (context: RouteContext): Route[] => [
  ...sessionRoutes(context),
  ...accountRoutes(context),
  ...teamRoutes(context),
  ...(context.dependencies.dashboard
    ? productRoutes({ ...context, parts: context.dependencies.dashboard })
    : []),
];
