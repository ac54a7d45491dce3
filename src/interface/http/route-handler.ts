/**
 * Answers a request that has found its route: checks its rights, runs the pipeline, writes the audit
 * log. Counts the requests under way, so that the server can stop after the last one.
 */
import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import type { Log } from "../../core/log.ts";
import type { Sessions } from "../../domain/identity/sessions.ts";
import { requireScope } from "../../domain/tenant/key-limits.ts";
import { type Route, requiredScope } from "./contract.ts";
import type { OwnApi } from "./dashboard/own-api.ts";
import type { Middleware } from "./middleware.ts";
import type { Pipeline } from "./pipeline.ts";
import { problemOf, signInNeeded, unauthorized } from "./problem.ts";
import { problemResponse, type RequestContext } from "./request-context.ts";
import type { AuditNotes } from "./session/audit-notes.ts";
import { authorise } from "./session/rights.ts";
import type { StoreDeadline } from "./store-deadline.ts";

interface RouteHandlerDependencies {
  readonly middleware: Middleware;
  readonly pipeline: Pipeline;
  /** Its routes only the dashboard's pages may call. */
  readonly ownApi: Pick<OwnApi, "has" | "pipeline">;
  readonly sessions: Pick<Sessions, "requireRecent">;
  readonly audit: AuditNotes;
  readonly storeDeadline: StoreDeadline;
  readonly database: Pick<Database, "settled">;
  readonly clock: Clock;
  readonly log: Log;
}

type PathParams = Readonly<Record<string, string>>;

export class RouteHandler {
  #underWay = 0;
  #onIdle: (() => void) | null = null;

  constructor(private readonly deps: RouteHandlerDependencies) {}

  async handle(route: Route, request: Request, params: PathParams): Promise<Response> {
    const response = this.#respond(route, request, params);
    // How a change ended must be told.
    if (route.contract.method !== "GET") return await response;
    try {
      return await this.deps.storeDeadline(response);
    } catch (error) {
      return problemResponse(this.deps.middleware.requestContextOf(request), problemOf(error));
    }
  }

  async #respond(route: Route, request: Request, params: PathParams): Promise<Response> {
    const { middleware, ownApi, audit, database, clock, log } = this.deps;
    const pipeline = (ownApi.has(route) ? ownApi.pipeline : null) ?? this.deps.pipeline;
    this.#underWay++;
    try {
      const requestContext = middleware.requestContextOf(request);
      const response =
        (await this.#rejection(route, requestContext)) ??
        (await pipeline(route, requestContext, request, params));
      await audit.note(route.contract, requestContext, response.status);
      const settling = database.settled();
      if (settling) await settling;
      log.debug("http.request", {
        request_id: requestContext.requestId,
        method: request.method,
        path: requestContext.path,
        status: response.status,
        ms: Math.round(clock.monotonic() - requestContext.startedAt),
      });
      return response;
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) this.#onIdle?.();
    }
  }

  /** Resolves when no request is under way, or after `limitMs`. */
  async idle(limitMs: number): Promise<void> {
    if (this.#underWay === 0) return;
    const idle = Promise.withResolvers<void>();
    this.#onIdle = idle.resolve;
    const timer = this.deps.clock.after(limitMs, idle.resolve);
    await idle.promise;
    timer.cancel();
  }

  /** Without a tenant or the right role a request reaches open routes only. */
  async #rejection(route: Route, requestContext: RequestContext): Promise<Response | null> {
    const { middleware, sessions, ownApi } = this.deps;
    try {
      // The middleware reads the origins of every request to these routes.
      if (ownApi.has(route) && !requestContext.origins) throw signInNeeded();
      if (route.contract.open) return null;
      if (requestContext.session) {
        authorise(route.contract, requestContext.session);
        if (route.contract.recent) sessions.requireRecent(requestContext.session);
      } else if (requestContext.tenantId === 0) throw unauthorized();
      else requireScope(requestContext.keyLimits, requiredScope(route.contract));
      await middleware.chargeWeight(requestContext, route.contract.weight ?? 1);
      return null;
    } catch (error) {
      return problemResponse(requestContext, problemOf(error));
    }
  }
}
