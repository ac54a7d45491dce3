/** Dependencies of the dashboard's routes: the server's context and the dashboard's parts. */
import type { RouteContext } from "../../routes/context.ts";
import type { DashboardParts } from "../ports.ts";

export interface ProductContext extends RouteContext {
  readonly parts: DashboardParts;
}
