/**
 * Every address of the app. Doors are open to everybody; what lies inside needs a session. A page's
 * code is loaded when it is visited.
 */
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { sessionQuery } from "./api/queries.ts";
import { Failure, NotFound, Pending } from "./shell/route-states.tsx";
import { Shell } from "./shell/shell.tsx";

interface Context {
  readonly queries: QueryClient;
}

/** What an address may carry; a page takes what it knows and leaves the rest. */
export type Search = Readonly<Record<string, string | number | boolean | undefined>>;
const anySearch = (search: Record<string, unknown>): Search => {
  const known: Record<string, string | number | boolean | undefined> = {};
  for (const [key, value] of Object.entries(search))
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      known[key] = value;
  return known;
};

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFound,
});

const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  async beforeLoad({ context, location }) {
    const { session } = await context.queries.ensureQueryData(sessionQuery);
    if (!session) throw redirect({ to: "/sign-in", search: { next: location.href } });
    if (session.second_factor_needed && !location.pathname.endsWith("/profile"))
      throw redirect({ to: "/profile" });
  },
  component: Shell,
});

const authRoute = <const Path extends string>(
  path: Path,
  load: () => Promise<{ AuthPage: () => React.ReactNode }>,
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: anySearch,
    component: lazyRouteComponent(load, "AuthPage"),
  });

const page = <const Path extends string>(
  path: Path,
  load: () => Promise<{ Page: () => React.ReactNode }>,
) =>
  createRoute({
    getParentRoute: () => inside,
    path,
    validateSearch: anySearch,
    component: lazyRouteComponent(load, "Page"),
  });

const notFoundRoute = createRoute({ getParentRoute: () => inside, path: "$", component: NotFound });

const routes = root.addChildren([
  authRoute("/sign-in", () => import("./pages/auth/sign-in/page.tsx")),
  authRoute("/owner", () => import("./pages/auth/owner/page.tsx")),
  authRoute("/invitation", () => import("./pages/auth/invitation/page.tsx")),
  authRoute("/forgot-password", () => import("./pages/auth/forgot-password/page.tsx")),
  authRoute("/reset-password", () => import("./pages/auth/reset-password/page.tsx")),
  inside.addChildren([
    page("/", () => import("./pages/home/page.tsx")),
    page("/live", () => import("./pages/live/page.tsx")),
    page("/calls", () => import("./pages/calls/page.tsx")),
    page("/calls/$uuid", () => import("./pages/call/page.tsx")),
    page("/contacts", () => import("./pages/contacts/page.tsx")),
    page("/campaigns", () => import("./pages/campaigns/page.tsx")),
    page("/features", () => import("./pages/features/page.tsx")),
    page("/schedules", () => import("./pages/schedules/page.tsx")),
    page("/agents", () => import("./pages/agents/page.tsx")),
    page("/agents/new", () => import("./pages/agents/new/page.tsx")),
    page("/agents/$id", () => import("./pages/agents/agent/page.tsx")),
    page("/knowledge", () => import("./pages/knowledge/page.tsx")),
    page("/knowledge/$id", () => import("./pages/knowledge/file/page.tsx")),
    page("/tools", () => import("./pages/tools/page.tsx")),
    page("/tools/new", () => import("./pages/tools/new/page.tsx")),
    page("/tools/$id", () => import("./pages/tools/tool/page.tsx")),
    page("/numbers", () => import("./pages/numbers/page.tsx")),
    page("/trunk", () => import("./pages/trunk/page.tsx")),
    page("/webhooks", () => import("./pages/webhooks/page.tsx")),
    page("/webhooks/$id", () => import("./pages/webhooks/webhook/page.tsx")),
    page("/keys", () => import("./pages/keys/page.tsx")),
    page("/billing", () => import("./pages/billing/page.tsx")),
    page("/team", () => import("./pages/team/page.tsx")),
    page("/settings", () => import("./pages/settings/page.tsx")),
    page("/profile", () => import("./pages/profile/page.tsx")),
    page("/operator", () => import("./pages/operator/page.tsx")),
    notFoundRoute,
  ]),
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
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
