/** Every route below the mounts. */
import type { Route } from "../contract.ts";
import type { RouteContext } from "./context.ts";
import { serviceRoutes } from "./service.ts";

export const apiRoutes = (context: RouteContext): Route[] => [...serviceRoutes(context)];
