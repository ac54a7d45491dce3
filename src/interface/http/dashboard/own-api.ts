/**
 * The dashboard's own API, below its mount. A start loads none of its routes: they are loaded with the first
 * request, long after the appliance answers calls.
 */
import type { Elysia } from "elysia";
import type { Route } from "../contract.ts";
import type { Pipeline } from "../pipeline.ts";
import type { RequestContext } from "../request-context.ts";
import { DASHBOARD_MOUNT, type RouteTable } from "../route-table.ts";
import type { RouteContext } from "../routes/context.ts";

interface OwnApiDependencies {
  readonly context: RouteContext;
  readonly table: RouteTable;
  readonly pipelineOf: (routes: readonly Route[]) => Pipeline;
  /** A router that answers what it does not know, and what fails, as the server does. */
  readonly createRouter: () => Elysia;
  readonly mount: (router: Elysia, route: Route, mounts: readonly string[]) => void;
  readonly requestContextOf: (request: Request) => RequestContext;
}

interface Loaded {
  readonly routes: ReadonlySet<Route>;
  readonly pipeline: Pipeline;
  readonly router: Elysia;
}

const METHODS = ["GET", "HEAD", "POST", "PATCH", "DELETE"];

export class OwnApi {
  #loading: Promise<Loaded> | null = null;
  #loaded: Loaded | null = null;

  constructor(private readonly deps: OwnApiDependencies) {}

  /** Resolves when the table knows its routes. A failed try is repeated with the next request. */
  async load(): Promise<Loaded> {
    this.#loading ??= this.#load();
    try {
      this.#loaded = await this.#loading;
      return this.#loaded;
    } catch (error) {
      this.#loading = null;
      throw error;
    }
  }

  has(route: Route): boolean {
    return this.#loaded?.routes.has(route) ?? false;
  }

  /** Of a route that it has. */
  get pipeline(): Pipeline | null {
    return this.#loaded?.pipeline ?? null;
  }

  /** Behind every other route of `app` below the mount. */
  mountOn(app: Elysia): void {
    for (const method of METHODS)
      app.route(
        method,
        `${DASHBOARD_MOUNT}/*`,
        async ({ request }) => (await this.load()).router.handle(request),
        { parse: "none" },
      );
  }

  async #load(): Promise<Loaded> {
    const { context, table, pipelineOf, createRouter, mount, requestContextOf } = this.deps;
    const [{ dashboardRoutes }, { dashboardDocumentRoute }] = await Promise.all([
      import("./routes/index.ts"),
      import("./document.ts"),
    ]);
    const routes = dashboardRoutes(context);
    const router = createRouter();
    dashboardDocumentRoute(router, context.settings.version, requestContextOf);
    for (const route of routes) mount(router, route, [DASHBOARD_MOUNT]);
    table.add(
      DASHBOARD_MOUNT,
      routes.map(({ contract }) => contract),
    );
    return { routes: new Set(routes), pipeline: pipelineOf(routes), router };
  }
}
