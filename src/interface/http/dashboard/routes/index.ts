/** Every route below /api/dashboard. */
import type { Route } from "../../contract.ts";
import type { RouteContext } from "../../routes/context.ts";
import { accountRoutes } from "./account.ts";
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
