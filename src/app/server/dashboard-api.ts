/**
 * The dashboard's API below its mount. This module loads with the first request, after the appliance has
 * started to answer calls.
 */

export { dashboardSockets } from "../../http/dashboard/sockets/index.ts";
export { mountSockets } from "../../http/dashboard/sockets/socket.ts";
export { dashboardDocumentRoute } from "./dashboard-document.ts";
export { dashboardRoutes } from "./dashboard-routes.ts";
