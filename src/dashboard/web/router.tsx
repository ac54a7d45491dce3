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
  authRoute("/sign-in", () => import("./pages/auth/sign-in.tsx")),
  authRoute("/owner", () => import("./pages/auth/owner.tsx")),
  authRoute("/invitation", () => import("./pages/auth/invitation.tsx")),
  authRoute("/forgot-password", () => import("./pages/auth/forgot-password.tsx")),
  authRoute("/reset-password", () => import("./pages/auth/reset-password.tsx")),
  inside.addChildren([
    page("/", () => import("./pages/home/home.tsx")),
    page("/live", () => import("./pages/live/live.tsx")),
    page("/calls", () => import("./pages/calls/calls.tsx")),
    page("/calls/$uuid", () => import("./pages/call/call.tsx")),
    page("/contacts", () => import("./pages/contacts/contacts.tsx")),
    page("/campaigns", () => import("./pages/campaigns/campaigns.tsx")),
    page("/features", () => import("./pages/features/features.tsx")),
    page("/schedules", () => import("./pages/schedules/schedules.tsx")),
    page("/agents", () => import("./pages/agents/agents.tsx")),
    page("/agents/new", () => import("./pages/agents/new-agent.tsx")),
    page("/agents/$id", () => import("./pages/agents/agent.tsx")),
    page("/knowledge", () => import("./pages/knowledge/knowledge.tsx")),
    page("/knowledge/$id", () => import("./pages/knowledge/file.tsx")),
    page("/tools", () => import("./pages/tools/tools.tsx")),
    page("/tools/new", () => import("./pages/tools/new-tool.tsx")),
    page("/tools/$id", () => import("./pages/tools/tool.tsx")),
    page("/numbers", () => import("./pages/numbers/numbers.tsx")),
    page("/trunk", () => import("./pages/trunk/trunk.tsx")),
    page("/webhooks", () => import("./pages/webhooks/webhooks.tsx")),
    page("/webhooks/$id", () => import("./pages/webhooks/webhook.tsx")),
    page("/keys", () => import("./pages/keys/keys.tsx")),
    page("/billing", () => import("./pages/billing/billing.tsx")),
    page("/team", () => import("./pages/team/team.tsx")),
    page("/settings", () => import("./pages/settings/settings.tsx")),
    page("/profile", () => import("./pages/profile/profile.tsx")),
    page("/operator", () => import("./pages/operator/operator.tsx")),
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
