/**
 * The HTTP server: Elysia on Bun.
 *
 * Order of every request: request id, draining, authentication, rate limit (all in `onRequest`,
 * before routing and before a byte of the body is read), then the route's pipeline. A path below a
 * mount without a key answers 401 whether it exists or not.
 *
 * Leaves what a route does to `routes/`, and what it means to the domain folders.
 */
import { Elysia } from "elysia";
import { idempotencyStore } from "../../adapter/store/idempotency-store.ts";
import { createQueryCache } from "../../adapter/store/query-cache.ts";
import { cannotListen } from "../../core/cannot-listen.ts";
import { systemClock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { AGENT_VOICES } from "../../domain/agent/agent.ts";
import { requireScope } from "../../domain/tenant/key-limits.ts";
import { CHECKOUT_PATH, checkoutRoutes } from "./checkout-page.ts";
import { createConnectionCap } from "./connection-cap.ts";
import { type Route, requiredScope } from "./contract.ts";
import { allContracts } from "./contracts/index.ts";
import { DASHBOARD_MOUNT, dashboardDocumentRoute } from "./dashboard/document.ts";
import { dashboardRoutes, dashboardSockets } from "./dashboard/routes/index.ts";
import { mountSockets, SOCKET_SETTINGS } from "./dashboard/sockets/socket.ts";
import { DASHBOARD_PATHS, dashboardApp } from "./dashboard-pack.ts";
import { DOCS_PATHS, DOCUMENT_PATHS, docsRoutes } from "./docs.ts";
import { createIdempotency } from "./idempotency.ts";
import { createMiddleware } from "./middleware.ts";
import { openApiDocument } from "./openapi.ts";
import { createPipeline } from "./pipeline.ts";
import type { HttpDependencies, HttpServer, HttpSettings } from "./ports.ts";
import { problemOf, signInNeeded, unauthorized } from "./problem.ts";
import { memoryRateLimiter } from "./rate-limit.ts";
import { createRecordingLinks, RECORDING_LINK_PURPOSE } from "./recording-links.ts";
import { problemResponse, type RequestContext } from "./request-context.ts";
import { MOUNTS, routeTable } from "./route-table.ts";
import { HEALTH_PATHS, healthRoutes } from "./routes/health.ts";
import { apiRoutes } from "./routes/index.ts";
import { createAuditNotes } from "./session/audit-notes.ts";
import { authorise } from "./session/rights.ts";
import { createSessionAuthentication } from "./session/session-authentication.ts";
import { blockListOf, createOriginReader, isListed } from "./session/source.ts";
import { stripeWebhookRoute } from "./stripe-webhook.ts";

const STOP_WAIT_MS = 5_000;
/** Bun answers 413 itself, without a body, above this: far above our own limit. */
const TRANSPORT_BYTES_MAX = 256 * 1024 * 1024;
const IDLE_TIMEOUT_SECONDS = 30;
const CONNECTIONS_PER_ADDRESS = 512;

/** Binds and serves. Its owner must `stop` it. Throws when the address is taken. */
export async function createHttpServer(
  settings: HttpSettings,
  dependencies: HttpDependencies,
): Promise<HttpServer> {
  const { clock, random, log, database, vault, identity } = dependencies;
  const limiter =
    dependencies.rateLimiter ?? memoryRateLimiter(() => settings.requestsPerMinute, clock);
  const { apiKeys } = dependencies.services;
  const idempotency = createIdempotency({
    database,
    records: idempotencyStore,
    vault,
    clock,
    log,
  });
  const address = { host: settings.host, port: settings.port };
  const publicUrl = () =>
    settings.publicUrl ??
    `${settings.tls ? "https" : "http"}://${urlHost(address.host)}:${address.port}`;
  const linkKey = () => vault.deriveKey(RECORDING_LINK_PURPOSE);
  const recordingLinks = createRecordingLinks(linkKey, publicUrl, clock);
  const queryCache = createQueryCache(database);
  const context = {
    settings,
    dependencies,
    apiKeys,
    recordingLinks,
    publicUrl,
    queryCache: queryCache,
  };
  const routes = apiRoutes(context);
  const ownRoutes = dashboardRoutes(context);
  const own = new Set(ownRoutes);
  const table = routeTable(
    routes.map((route) => route.contract),
    [...HEALTH_PATHS, ...DOCUMENT_PATHS, ...DOCS_PATHS, ...DASHBOARD_PATHS, CHECKOUT_PATH],
    [{ mount: DASHBOARD_MOUNT, contracts: ownRoutes.map((route) => route.contract) }],
  );
  const audit = createAuditNotes({ identity, clock, log });
  const sessionAuthentication = createSessionAuthentication({
    sessions: identity.sessions,
    origins: createOriginReader({
      publicUrl: settings.publicUrl,
      tls: settings.tls !== null,
      trustedProxies: settings.trustedProxies ?? [],
    }),
    peerOf: (request) => app.server?.requestIP(request)?.address ?? "",
    clock,
    log,
  });
  const pipeline = createPipeline({
    idempotency,
    queryCache: queryCache,
    bodyBytesMax: settings.bodyBytesMax,
    routes: [routes, ownRoutes],
    clock,
    log,
  });

  const middleware = createMiddleware({
    table,
    apiKeys,
    limiter,
    sessionAuthentication,
    clock,
    random,
    log,
  });
  let underWay = 0;
  let onIdle: (() => void) | null = null;

  async function serve(route: Route, request: Request, params: Record<string, string>) {
    underWay++;
    try {
      const requestContext = middleware.requestContextOf(request);
      const response =
        (await rejection(route, requestContext)) ??
        (await pipeline(route, requestContext, request, params));
      await audit.note(route.contract, requestContext, response.status);
      log.debug("http.request", {
        request_id: requestContext.requestId,
        method: request.method,
        path: requestContext.path,
        status: response.status,
        ms: Math.round(clock.monotonic() - requestContext.startedAt),
      });
      return response;
    } finally {
      underWay--;
      if (underWay === 0) onIdle?.();
    }
  }

  /** Whatever way a request came here: without a tenant or the right role it sees open routes only. */
  async function rejection(route: Route, requestContext: RequestContext): Promise<Response | null> {
    try {
      // Were there a way round the gate, nobody is asked where such a request came from.
      if (own.has(route) && !requestContext.origins) throw signInNeeded();
      if (route.contract.open) return null;
      if (requestContext.session) {
        authorise(route.contract, requestContext.session);
        if (route.contract.recent) identity.sessions.requireRecent(requestContext.session);
      } else if (requestContext.tenantId === 0) throw unauthorized();
      else requireScope(requestContext.keyLimits, requiredScope(route.contract));
      await middleware.chargeWeight(requestContext, route.contract.weight ?? 1);
      return null;
    } catch (error) {
      return problemResponse(requestContext, problemOf(error));
    }
  }

  const app = new Elysia({ systemRouter: false, websocket: SOCKET_SETTINGS });
  app.onRequest(({ request }) => middleware.admit(request));
  app.onError({ as: "global" }, ({ code, error, request }) => {
    const requestContext = middleware.requestContextOf(request);
    if (code === "NOT_FOUND") return middleware.notFound(requestContext, request);
    const problem = problemOf(error);
    log.error("http.server_failed", {
      request_id: requestContext.requestId,
      path: requestContext.path,
      error: describeError(error),
    });
    return problemResponse(requestContext, problem);
  });
  function mountRoute(route: Route, mounts: readonly string[]): void {
    const methods = route.contract.method === "GET" ? ["GET", "HEAD"] : [route.contract.method];
    for (const mount of mounts)
      for (const method of methods)
        app.route(
          method,
          mount + route.contract.path.replace(/\{(\w+)\}/g, ":$1"),
          (context) => serve(route, context.request, context.params as Record<string, string>),
          { parse: "none" },
        );
  }
  for (const route of routes) mountRoute(route, MOUNTS);
  for (const route of ownRoutes) mountRoute(route, [DASHBOARD_MOUNT]);
  const sockets = mountSockets(app, dashboardSockets(context), {
    requestContextOf: middleware.requestContextOf,
    sessions: identity.sessions,
    ...{ clock, log },
  });
  dashboardDocumentRoute(app, settings.version, middleware.requestContextOf);
  healthRoutes(app, { health: dependencies.health, isDraining: middleware.isDraining });
  docsRoutes(app, () =>
    openApiDocument(
      allContracts([...AGENT_VOICES, ...Object.keys(settings.voiceAliases)]),
      settings.version,
    ),
  );
  dashboardApp(app, (request) =>
    middleware.notFound(middleware.requestContextOf(request), request),
  );
  checkoutRoutes(app, { checkouts: dependencies.checkouts, bankDetails: settings.bankDetails });

  if (dependencies.stripeEvents) stripeWebhookRoute(app, dependencies.stripeEvents, clock);

  const listen = (port: number, tls: HttpSettings["tls"]) =>
    app.listen({
      hostname: settings.host,
      port,
      development: false,
      // Outside development Bun shares a taken port with its owner unless told not to.
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      maxRequestBodySize: TRANSPORT_BYTES_MAX,
      ...(tls ? { tls } : {}),
    });
  try {
    listen(settings.port, settings.tls);
  } catch (error) {
    throw cannotListen("The API", settings, "[server] listen", error);
  }
  address.port = app.server?.port ?? settings.port;
  const proxies = blockListOf(settings.trustedProxies ?? []);
  const connectionCap = createConnectionCap({
    port: address.port,
    perAddressMax: settings.connectionsPerAddress ?? CONNECTIONS_PER_ADDRESS,
    isExempt: (peer) => isListed(proxies, peer),
    // Sockets are the machine's, and so is their time.
    ...{ clock: systemClock, log },
  });

  return {
    address,
    refuse: middleware.refuse,
    renewCertificate(tls) {
      if (!settings.tls) return;
      // The old listener closes its door and serves those who are inside; no moment lies between.
      void app.server?.stop();
      listen(address.port, tls);
    },
    async stop() {
      middleware.refuse();
      connectionCap.stop();
      if (underWay > 0) {
        const idle = Promise.withResolvers<void>();
        onIdle = idle.resolve;
        const timer = clock.after(STOP_WAIT_MS, idle.resolve);
        await idle.promise;
        timer.cancel();
      }
      sockets.closeAll();
      await app.stop(true);
      idempotency.stop();
      // What requests have used is written with the last of them.
      await apiKeys.stop();
    },
  };
}

const urlHost = (host: string) => {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
};
