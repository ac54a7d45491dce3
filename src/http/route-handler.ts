/**
 * Handles a routed request: checks its rights, runs the pipeline, writes the audit log. Counts running
 * requests, so that the server can stop after the last one.
 */
import type { Clock } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import type { Sessions } from "../features/identity/sessions.ts";
import { requireScope } from "../features/key/key-limits.ts";
import { ConcurrencyLimiter, isHeavy } from "./concurrency-limiter.ts";
import { type Route, requiredScope } from "./contract.ts";
import type { Middleware } from "./middleware.ts";
import type { Pipeline } from "./pipeline.ts";
import { problemOf, signInNeeded, unauthorized } from "./problem.ts";
import { problemResponse, type RequestContext } from "./request-context.ts";
import type { AuditNotes } from "./session/audit-notes.ts";
import { authorise } from "./session/rights.ts";
import type { StoreDeadline } from "./store-deadline.ts";

interface RouteHandlerDependencies {
  readonly middleware: Middleware;
  readonly sessions: Pick<Sessions, "requireRecent" | "again">;
  readonly audit: AuditNotes;
  readonly storeDeadline: StoreDeadline;
  readonly database: Pick<Database, "settled">;
  readonly clock: Clock;
}

/** A route below a mount, and the pipeline for its requests. */
interface MountedRoute {
  readonly route: Route;
  readonly pipeline: Pipeline;
  /** Only the dashboard's pages may call it. */
  readonly isOwn: boolean;
}

type PathParams = Readonly<Record<string, string>>;

export class RouteHandler {
  readonly #heavy: ConcurrencyLimiter;
  #underWay = 0;
  #onIdle: (() => void) | null = null;

  constructor(private readonly deps: RouteHandlerDependencies) {
    this.#heavy = new ConcurrencyLimiter(deps.clock);
  }

  /** Returns without a promise if no wait is needed, as for most cached reads. */
  handle(
    mounted: MountedRoute,
    request: Request,
    params: PathParams,
  ): Promise<Response> | Response {
    const { route } = mounted;
    const requestContext = this.deps.middleware.requestContextOf(request);
    const isNoted = this.deps.audit.concerns(route.contract, requestContext);
    // Read the address now: it is gone after a disconnect.
    const ip = isNoted ? this.deps.middleware.sourceOf(request) : null;
    const response = this.#answer(mounted, requestContext, request, params);
    const isDone = !(response instanceof Promise || isNoted);
    if (isDone && this.deps.database.settled() === null)
      return this.deps.middleware.logged(request, requestContext, response);
    return this.#later(
      route,
      requestContext,
      this.#finish(route, request, requestContext, response, ip),
    );
  }

  async #later(
    { contract }: Route,
    requestContext: RequestContext,
    response: Promise<Response>,
  ): Promise<Response> {
    // A change must report its result, so it has no deadline.
    if (contract.method !== "GET") return await response;
    try {
      return await this.deps.storeDeadline(response);
    } catch (error) {
      return problemResponse(requestContext, problemOf(error));
    }
  }

  async #finish(
    { contract }: Route,
    request: Request,
    requestContext: RequestContext,
    answer: Promise<Response> | Response,
    ip: string | null,
  ): Promise<Response> {
    const { audit, database, middleware } = this.deps;
    this.#underWay++;
    try {
      const response = await answer;
      if (ip !== null) await audit.note(contract, requestContext, response.status, ip);
      const settling = database.settled();
      if (settling) await settling;
      return middleware.logged(request, requestContext, response);
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) this.#onIdle?.();
    }
  }

  /** Resolves when no request is running, or after `limitMs`. */
  async idle(limitMs: number): Promise<void> {
    if (this.#underWay === 0) return;
    const idle = Promise.withResolvers<void>();
    this.#onIdle = idle.resolve;
    const timer = this.deps.clock.after(limitMs, idle.resolve);
    await idle.promise;
    timer.cancel();
  }

  #answer(
    mounted: MountedRoute,
    requestContext: RequestContext,
    request: Request,
    params: PathParams,
  ): Promise<Response> | Response {
    const { route } = mounted;
    const run = () => this.#run(mounted, requestContext, request, params);
    if (!route.contract.open)
      requestContext.onLate = () => this.#authoriseAgain(route, requestContext, request);
    const fail = (error: unknown) => problemResponse(requestContext, problemOf(error));
    try {
      const charging = this.#authorise(mounted, requestContext);
      return charging ? charging.then(run).catch(fail) : run();
    } catch (error) {
      return fail(error);
    }
  }

  /** A heavy request waits for a free slot of its tenant; rejects with rate_limited. */
  #run(
    { route, pipeline }: MountedRoute,
    requestContext: RequestContext,
    request: Request,
    params: PathParams,
  ): Promise<Response> | Response {
    const answer = () => pipeline(route, requestContext, request, params);
    const { tenantId } = requestContext;
    // Open routes accept small bodies only.
    if (tenantId === 0 || !(isHeavy(route.contract) || route.contract.body)) return answer();
    const seat = this.#heavy.seatOf(tenantId);
    requestContext.onLargeBody = seat.take;
    const answered = isHeavy(route.contract)
      ? seat.take().then(requestContext.onLate).then(answer)
      : answer();
    return Promise.resolve(answered).finally(seat.leave);
  }

  /** Without a tenant or the right role, only open routes are allowed. Null if no wait is needed. */
  #authorise({ route, isOwn }: MountedRoute, requestContext: RequestContext): Promise<void> | null {
    const { middleware } = this.deps;
    // The middleware reads the origins of every request to these routes.
    if (isOwn && !requestContext.origins) throw signInNeeded();
    if (route.contract.open) return null;
    if (!requestContext.session && requestContext.tenantId === 0) throw unauthorized();
    this.#requireRights(route, requestContext);
    return middleware.chargeWeight(requestContext, route.contract.weight ?? 1);
  }

  #requireRights(
    { contract }: Route,
    { session, keyLimits }: Pick<RequestContext, "session" | "keyLimits">,
  ): void {
    if (session) authorise(contract, session);
    else requireScope(keyLimits, requiredScope(contract));
    if (session && contract.recent) this.deps.sessions.requireRecent(session);
  }

  /** Checks rights again after a wait: key, session or role may have been revoked meanwhile. */
  async #authoriseAgain(route: Route, requestContext: RequestContext, request: Request) {
    const { middleware, sessions } = this.deps;
    const { session: before } = requestContext;
    const session = before && (await sessions.again(before));
    if (before && (!session || session.tenant?.id !== before.tenant?.id)) throw signInNeeded();
    const keyLimits = before ? requestContext.keyLimits : await middleware.keyAgain(request);
    this.#requireRights(route, { session, keyLimits });
  }
}
