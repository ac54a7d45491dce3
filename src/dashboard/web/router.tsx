/** The router, with the routes that the build collected. */
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
    /** View of the calls page from which the call was opened. */
    readonly calls?: CallsView;
  }
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
