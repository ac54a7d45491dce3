/**
 * The dashboard's own API, below its mount: one module, loaded with the first request, long after the
 * appliance answers calls.
 */
export { dashboardDocumentRoute } from "./document.ts";
export { dashboardRoutes } from "./routes/index.ts";
export { dashboardSockets } from "./sockets/index.ts";
export { mountSockets } from "./sockets/socket.ts";
