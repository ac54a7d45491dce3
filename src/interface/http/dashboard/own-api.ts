/**
 * The dashboard's API below its mount. This module loads with the first request, after the appliance has
 * started to answer calls.
 */
export { dashboardDocumentRoute } from "./document.ts";
export { dashboardRoutes } from "./routes/index.ts";
export { dashboardSockets } from "./sockets/index.ts";
export { mountSockets } from "./sockets/socket.ts";
