/** Every route below /api/dashboard. */
import type { Route } from "../../contract.ts";
import type { RouteContext } from "../../routes/context.ts";

export const dashboardRoutes = (_context: RouteContext): Route[] => [];
