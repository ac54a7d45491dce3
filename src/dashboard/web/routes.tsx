/**
 * Converts a page to a route. Public pages are open to everybody; the others need a session. A
 * page's code is loaded when it is visited.
 */
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { ApiProblem } from "./api/problem.ts";
import { sessionQuery } from "./api/queries.ts";
import type { PageMeta, PageRole } from "./page-meta.ts";
import { NotFound } from "./shell/route-states.tsx";
import { Shell } from "./shell/shell.tsx";

interface Context {
  readonly queries: QueryClient;
}

/** Search parameters of a URL. Each page reads those that it knows. */
type Search = Readonly<Record<string, string | number | boolean | undefined>>;
const anySearch = (search: Record<string, unknown>): Search => {
  const known: Record<string, string | number | boolean | undefined> = {};
  for (const [key, value] of Object.entries(search))
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      known[key] = value;
  return known;
};

export const rootRoute = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFound,
});

export const insideRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "inside",
  async beforeLoad({ context, location }) {
    const { session } = await context.queries.ensureQueryData(sessionQuery);
    if (!session) throw redirect({ to: "/sign-in", search: { next: location.href } });
    if (session.second_factor_needed && !location.pathname.endsWith("/profile"))
      throw redirect({ to: "/profile" });
  },
  component: Shell,
});

type MetaOf<Path extends string> = PageMeta & { readonly path: Path };

/**
 * Loads a page's code. If the server cannot be reached, the page shows that problem. If it can, the
 * server has a newer build, and the router reloads the whole document.
 */
const loaderOf = (meta: PageMeta) => () =>
  meta.load().catch(async (cause: unknown) => {
    const isThere = await fetch("/app/", { method: "HEAD", cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    );
    throw isThere ? cause : new ApiProblem(0, null);
  });

const optionsOf = <const Path extends string>(meta: MetaOf<Path>) => ({
  path: meta.path as Path,
  validateSearch: anySearch,
  staticData: { role: meta.role },
  component: lazyRouteComponent(loaderOf(meta), "Page"),
});

export const publicPage = <const Path extends string>(meta: MetaOf<Path>) =>
  createRoute({ getParentRoute: () => rootRoute, ...optionsOf(meta) });

export const insidePage = <const Path extends string>(meta: MetaOf<Path>) =>
  createRoute({ getParentRoute: () => insideRoute, ...optionsOf(meta) });

export const notFoundRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: "$",
  component: NotFound,
});

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    readonly role?: PageRole;
  }
}
