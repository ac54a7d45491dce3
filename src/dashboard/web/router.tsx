/** The router: every page's address, as the build collected them. */
import type { QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { insidePages, publicPages } from "./generated/routes.gen.ts";
import type { CallsView } from "./pages/calls/calls-view.ts";
import { insideRoute, notFoundRoute, rootRoute } from "./routes.tsx";
import { Failure, NotFound, Pending } from "./shell/route-states.tsx";

const routes = rootRoute.addChildren([
  ...publicPages,
  insideRoute.addChildren([...insidePages, notFoundRoute]),
]);

export const createAppRouter = (queries: QueryClient) =>
  createRouter({
    routeTree: routes,
    basepath: "/app",
    context: { queries },
    defaultPreload: "intent",
    defaultPendingComponent: Pending,
    defaultErrorComponent: Failure,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The view of the calls page from which a call was opened. */
    readonly calls?: CallsView;
  }
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
