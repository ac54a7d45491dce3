/**
 * The HTTP server: Elysia on Bun.
 *
 * Order per request: request id, draining, authentication, rate limit (all in `onRequest`, before routing and
 * before the body is read), then the route's pipeline. Without a key, a path below a mount returns 401
 * whether it exists or not.
 *
 * Routes are in `routes/`, business logic is in the domain folders.
 */
import { Elysia } from "elysia";
import { yieldToEventLoop } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { listenError } from "../../core/listen-error.ts";
import { createQueryCache } from "../../core/query-cache.ts";
import { AGENT_VOICES } from "../../features/agent/agent.ts";
import { HEALTH_PATHS, healthRoutes } from "../../features/appliance/routes.ts";
import { CHECKOUT_PATH, checkoutRoutes } from "../../features/billing/checkout-page.ts";
import { stripeWebhookRoute } from "../../features/billing/stripe-webhook.ts";
import type { Route } from "../../http/contract.ts";
import { SOCKET_EVENTS, type SocketData } from "../../http/dashboard/sockets/transport.ts";
import { DASHBOARD_PATHS, dashboardApp } from "../../http/dashboard-pack.ts";
import { DOCS_PATHS, DOCUMENT_PATHS, docsRoutes } from "../../http/docs.ts";
import { createIdempotency, type Idempotency } from "../../http/idempotency.ts";
import { LazyRoutes } from "../../http/lazy-routes.ts";
import { Middleware } from "../../http/middleware.ts";
import { DASHBOARD_MOUNT, isBelowMount, MOUNTS } from "../../http/mounts.ts";
import { refuseOtherMethods } from "../../http/other-methods.ts";
import { createPipeline } from "../../http/pipeline.ts";
import type { HttpDependencies, HttpSettings } from "../../http/ports.ts";
import { problemOf } from "../../http/problem.ts";
import { memoryRateLimiter } from "../../http/rate-limit.ts";
import { createRecordingLinks, RECORDING_LINK_PURPOSE } from "../../http/recording-links.ts";
import { problemResponse, splitUrl } from "../../http/request-context.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { RouteHandler } from "../../http/route-handler.ts";
import { createAuditNotes } from "../../http/session/audit-notes.ts";
import { createSessionAuthentication } from "../../http/session/session-authentication.ts";
import { createOriginReader } from "../../http/session/source.ts";
import { createStoreDeadline, type StoreDeadline } from "../../http/store-deadline.ts";
import { serviceRoutes } from "./service-routes.ts";

const STOP_WAIT_MS = 5_000;
/** Above this size Bun itself responds with 413 without a body. It is far above the server's own limit. */
const TRANSPORT_BYTES_MAX = 256 * 1024 * 1024;
/**
 * The runtime closes a connection this long after its last complete request, even if the next one has partly
 * arrived.
 */
const IDLE_TIMEOUT_SECONDS = 30;
/** The doctor's checks run one after another, each for at most a minute. 255 s is the runtime's maximum. */
const DOCTOR = { path: "/api/dashboard/operator/health", seconds: 240 };
/** Two or three milliseconds of CPU time. */
const REQUESTS_PER_TURN_MAX = 64;

/** The owner must `stop` it. */
export class HttpServer {
  /** Bound address: port 0 is resolved. */
  readonly address: { readonly host: string; port: number };
  readonly #app = new Elysia({ systemRouter: false });
  readonly #context: RouteContext;
  readonly #api: LazyRoutes;
  readonly #ownApi: LazyRoutes;
  readonly #idempotency: Idempotency;
  readonly #middleware: Middleware;
  readonly #handler: RouteHandler;
  readonly #storeDeadline: StoreDeadline;
  #server: Bun.Server<SocketData> | null = null;
  #sockets: { closeAll(): void } | null = null;
  /** Requests in this turn of the event loop. */
  #inTurn = 0;

  constructor(
    private readonly settings: HttpSettings,
    private readonly deps: HttpDependencies,
  ) {
    const { clock, trust, log, database, vault, identity } = deps;
    const { sessions } = identity;
    this.address = { host: settings.host, port: settings.port };
    this.#idempotency = createIdempotency({
      database,
      records: deps.idempotencyRecords,
      vault,
      clock,
      trust,
      log,
    });
    this.#storeDeadline = deps.isStoreRemote
      ? createStoreDeadline({ database, clock })
      : (work) => work;
    this.#context = this.#routeContext();
    this.#api = new LazyRoutes(MOUNTS, () => this.#mountApi());
    this.#ownApi = new LazyRoutes([DASHBOARD_MOUNT], () => this.#mountOwnApi());
    this.#middleware = this.#createMiddleware();
    this.#handler = new RouteHandler({
      middleware: this.#middleware,
      audit: createAuditNotes({ identity, apiKeys: deps.services.apiKeys, clock, log }),
      storeDeadline: this.#storeDeadline,
      database,
      sessions,
      clock,
    });
    this.#app.onRequest(({ request }) => this.#middleware.open(request));
    this.#app.onError({ as: "global" }, ({ code, error, request }) =>
      code === "NOT_FOUND" ? this.#unknownPath(request) : this.#failed(request, error),
    );
    this.#mount(serviceRoutes(this.#context), MOUNTS);
    this.#mountPages();
    this.#app.compile();
  }

  /** Binds and serves. Throws if the address is in use. */
  listen(): this {
    const { settings } = this;
    try {
      this.#bind(settings.tls);
    } catch (error) {
      throw listenError("The API", settings, "[server] listen", error);
    }
    return this;
  }

  /**
   * Loads the routes of REST v1 and the operations for the dashboard before their first use, in parts, so
   * that requests are served in between.
   */
  async loadRoutes(): Promise<void> {
    await import("../../http/contracts/operations.ts");
    await yieldToEventLoop();
    await this.#api.load();
  }

  /** From now on every API request gets 503 `unavailable` with Retry-After; /healthz continues. */
  refuse(): void {
    this.#middleware.refuse();
  }

  /** New connections use this certificate; open ones continue. Does nothing without TLS. */
  renewCertificate(tls: NonNullable<HttpSettings["tls"]>): void {
    if (!this.settings.tls) return;
    // The old listener stops accepting and serves its open connections. The new one follows immediately.
    void this.#server?.stop();
    this.#bind(tls);
  }

  /** Waits up to 5 s for running requests, closes every connection, writes pending data. */
  async stop(): Promise<void> {
    this.refuse();
    await this.#handler.idle(STOP_WAIT_MS);
    this.#sockets?.closeAll();
    await this.#server?.stop(true);
    this.#idempotency.stop();
    await this.deps.rateLimiter?.stop?.();
    // The last requests have used keys, and their use must be written.
    await this.deps.services.apiKeys.stop();
  }

  #bind(tls: HttpSettings["tls"]): void {
    this.#server = Bun.serve<SocketData>({
      fetch: (request, server) => {
        if (request.url.endsWith(DOCTOR.path)) server.timeout(request, DOCTOR.seconds);
        return this.#fetchInTurn(request);
      },
      hostname: this.address.host,
      port: this.address.port,
      development: false,
      // Outside development Bun shares a port with another process unless this is false.
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      maxRequestBodySize: TRANSPORT_BYTES_MAX,
      websocket: SOCKET_EVENTS,
      ...(tls ? { tls } : {}),
    });
    this.address.port = this.#server.port ?? this.address.port;
  }

  /**
   * Bun handles all pipelined requests of a connection in one turn, and closes the connection while a
   * response waits. So above a few requests, responses wait for the next turn.
   */
  #fetchInTurn(request: Request): Promise<Response> | Response {
    if (this.#inTurn === 0)
      void yieldToEventLoop().then(() => {
        this.#inTurn = 0;
      });
    if (++this.#inTurn <= REQUESTS_PER_TURN_MAX) return this.#fetch(request);
    return yieldToEventLoop().then(() => this.#fetch(request));
  }

  /** A request waits until its route is loaded. */
  #fetch(request: Request): Promise<Response> | Response {
    giveLongName(request);
    if (this.#api.isLoaded && this.#ownApi.isLoaded) return this.#app.fetch(request);
    const { path } = splitUrl(request.url);
    const late = [this.#api, this.#ownApi].find((one) => !one.isLoaded && one.covers(path));
    return late ? this.#fetchLater(late, request) : this.#app.fetch(request);
  }

  async #fetchLater(routes: LazyRoutes, request: Request): Promise<Response> {
    try {
      await routes.load();
    } catch (error) {
      return this.#failed(request, error);
    }
    return await this.#app.fetch(request);
  }

  #routeContext(): RouteContext {
    const { settings, deps } = this;
    const scheme = settings.tls ? "https" : "http";
    const publicUrl = () =>
      settings.publicUrl ?? `${scheme}://${urlHost(this.address.host)}:${this.address.port}`;
    const linkKey = () => deps.vault.deriveKey(RECORDING_LINK_PURPOSE);
    return {
      settings,
      dependencies: deps,
      apiKeys: deps.services.apiKeys,
      recordingLinks: createRecordingLinks(linkKey, publicUrl, deps.clock),
      publicUrl,
      queryCache: createQueryCache(deps.database),
    };
  }

  #createMiddleware(): Middleware {
    const { settings, deps } = this;
    const { clock, random, log } = deps;
    return new Middleware({
      apiKeys: deps.services.apiKeys,
      limiter: deps.rateLimiter ?? memoryRateLimiter(() => settings.requestsPerMinute, clock),
      sessionAuthentication: createSessionAuthentication({
        sessions: deps.identity.sessions,
        origins: createOriginReader({
          publicUrl: settings.publicUrl,
          tls: settings.tls !== null,
          trustedProxies: settings.trustedProxies ?? [],
        }),
        peerOf: (request) => this.#server?.requestIP(request)?.address ?? "",
        clock,
        log,
      }),
      storeDeadline: this.#storeDeadline,
      clock,
      random,
      log,
    });
  }

  async #mountApi(): Promise<void> {
    const { apiRoutes } = await import("./routes.ts");
    this.#mount(apiRoutes(this.#context), MOUNTS);
    this.#app.compile();
  }

  async #mountOwnApi(): Promise<void> {
    const { dashboardDocumentRoute, dashboardRoutes, dashboardSockets, mountSockets } =
      await import("./dashboard-api.ts");
    const { clock, log, identity } = this.deps;
    const requestContextOf = (request: Request) => this.#middleware.requestContextOf(request);
    const admit = (request: Request) => this.#middleware.admit(request, false);
    dashboardDocumentRoute(this.#app, this.settings.version, { requestContextOf, admit });
    this.#sockets = mountSockets(this.#app, dashboardSockets(this.#context), {
      upgrade: (request, data) => this.#server?.upgrade(request, { data }) ?? false,
      requestContextOf,
      admit,
      sessions: identity.sessions,
      clock,
      log,
    });
    this.#mount(dashboardRoutes(this.#context), [DASHBOARD_MOUNT]);
    this.#app.compile();
  }

  /** Works while the server listens: later requests find the routes. */
  #mount(routes: readonly Route[], mounts: readonly string[]): void {
    const { settings, deps } = this;
    const { clock, log } = deps;
    const pipeline = createPipeline({
      idempotency: this.#idempotency,
      queryCache: this.#context.queryCache,
      bodyBytesMax: settings.bodyBytesMax,
      routes: [routes],
      clock,
      log,
    });
    for (const mount of mounts) {
      for (const route of routes) {
        const mounted = { route, pipeline, isOwn: mount === DASHBOARD_MOUNT };
        const { method, path, open = false } = route.contract;
        for (const each of method === "GET" ? ["GET", "HEAD"] : [method])
          this.#app.route(
            each,
            mount + path.replace(/\{(\w+)\}/g, ":$1"),
            ({ request, params }) =>
              this.#admitted(request, open, () =>
                this.#handler.handle(mounted, request, params as Record<string, string>),
              ),
            { parse: "none" },
          );
      }
      this.#refuseOtherMethods(mount, routes);
    }
  }

  #refuseOtherMethods(mount: string, routes: readonly Route[]): void {
    const byPath = Map.groupBy(routes, ({ contract }) => contract.path);
    for (const [path, same] of byPath)
      refuseOtherMethods(
        this.#app,
        mount + path.replace(/\{(\w+)\}/g, ":$1"),
        same.map(({ contract }) => contract.method),
        (request, allow) =>
          this.#admitted(
            request,
            same.some(({ contract }) => contract.open),
            () => this.#middleware.notAllowed(request, allow),
          ),
      );
  }

  /** Handles an admitted request below a mount. */
  #admitted(
    request: Request,
    isOpen: boolean,
    answer: () => Promise<Response> | Response,
  ): Promise<Response> | Response {
    const rejected = this.#middleware.admit(request, isOpen);
    return rejected instanceof Promise
      ? rejected.then((response) => response ?? answer())
      : (rejected ?? answer());
  }

  /** Without a key, a path below a mount returns 401 whether it exists or not. */
  #unknownPath(request: Request): Promise<Response> | Response {
    const answer = () => this.#middleware.notFound(request);
    return isBelowMount(this.#middleware.requestContextOf(request).path)
      ? this.#admitted(request, false, answer)
      : answer();
  }

  /** Mounts everything except API routes. These responses have a request id as well. */
  #mountPages(): void {
    const { settings, deps } = this;
    const app = new Elysia();
    const middleware = this.#middleware;
    app.onAfterHandle(({ request, responseValue }) => {
      if (responseValue instanceof Response)
        responseValue.headers.set("X-Request-Id", middleware.requestContextOf(request).requestId);
    });
    healthRoutes(app, { health: deps.health, isDraining: () => middleware.isDraining });
    const voices = [...AGENT_VOICES, ...Object.keys(settings.voiceAliases)];
    const document = async () => {
      const [{ openApiDocument }, { allContracts }] = await Promise.all([
        import("../../http/openapi.ts"),
        import("./contracts.ts"),
      ]);
      return openApiDocument(allContracts(voices), settings.version);
    };
    docsRoutes(app, document, deps.clock);
    dashboardApp(app, (request) => middleware.notFound(request));
    checkoutRoutes(app, { checkouts: deps.checkouts, bankDetails: settings.bankDetails });
    if (deps.stripeEvents) stripeWebhookRoute(app, deps.stripeEvents, deps.clock);
    const pages = [...HEALTH_PATHS, ...DOCUMENT_PATHS, ...DOCS_PATHS, ...DASHBOARD_PATHS];
    for (const path of [...pages, CHECKOUT_PATH.replace("{id}", ":id")])
      refuseOtherMethods(app, path, ["GET"], (request, allow) =>
        middleware.notAllowed(request, allow),
      );
    this.#app.use(app);
  }

  #failed(request: Request, error: unknown): Response {
    const requestContext = this.#middleware.requestContextOf(request);
    this.deps.log.error("http.server_failed", {
      request_id: requestContext.requestId,
      path: requestContext.path,
      error: describeError(error),
    });
    return problemResponse(requestContext, problemOf(error));
  }
}

/**
 * Elysia searches the path after the first eleven characters of the URL, but `http://pbx/` has a shorter
 * prefix.
 */
function giveLongName(request: Request): void {
  const { url } = request;
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start >= 0 && start < 11)
    Object.defineProperty(request, "url", { value: `http://short.invalid${url.slice(start)}` });
}

const urlHost = (host: string) => {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
};
