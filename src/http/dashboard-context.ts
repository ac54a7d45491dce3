/** Dependencies of the dashboard's routes: the server's context and the dashboard's parts. */

import type { DashboardParts } from "./dashboard/ports.ts";
import type { RouteContext } from "./route-context.ts";

export interface ProductContext extends RouteContext {
  readonly parts: DashboardParts;
}
