/**
 * What every request passes before routing: its context and id, draining, authentication, the rate
 * limit. A request is rejected here before any of its body is read.
 */
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { hex } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import { networkOf } from "../../domain/identity/lock-out.ts";
import type { ApiKeys, KnownKey } from "../../domain/tenant/api-keys.ts";
import { NO_LIMITS } from "../../domain/tenant/key-limits.ts";
import { bearerOf } from "./authenticate.ts";
import type { RateLimiter, RateLimitResult } from "./ports.ts";
import {
  draining,
  methodNotAllowed,
  problemOf,
  rateLimited,
  signInNeeded,
  tooManyRequests,
  unauthorized,
  unknownPath,
} from "./problem.ts";
import { memoryRateLimiter } from "./rate-limit.ts";
import {
  problemResponse,
  type RequestContext,
  saneRequestId,
  splitUrl,
} from "./request-context.ts";
import type { RouteTable } from "./route-table.ts";
import { DASHBOARD_MOUNT } from "./route-table.ts";
import { numberOf, type SessionAuthentication } from "./session/session-authentication.ts";
import type { StoreDeadline } from "./store-deadline.ts";

interface MiddlewareDependencies {
  readonly table: RouteTable;
  readonly apiKeys: ApiKeys;
  readonly limiter: RateLimiter;
  readonly sessionAuthentication: SessionAuthentication;
  readonly storeDeadline: StoreDeadline;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Of one network address. */
const UNKNOWN_KEYS_PER_MINUTE = 120;

const isDashboard = (path: string) =>
  path === DASHBOARD_MOUNT || path.startsWith(`${DASHBOARD_MOUNT}/`);

/** The web app's pages and the redirect to them. */
const isPage = (path: string) => path === "/" || path === "/app" || path.startsWith("/app/");

export class Middleware {
  readonly #requestContexts = new WeakMap<Request, RequestContext>();
  readonly #unknownKeys: ReturnType<typeof memoryRateLimiter>;
  #refusing = false;

  constructor(private readonly deps: MiddlewareDependencies) {
    this.#unknownKeys = memoryRateLimiter(() => UNKNOWN_KEYS_PER_MINUTE, deps.clock);
  }

  /** From now on API requests are answered with 503. */
  refuse(): void {
    this.#refusing = true;
  }

  get isDraining(): boolean {
    return this.#refusing;
  }

  requestContextOf(request: Request): RequestContext {
    return this.#requestContexts.get(request) ?? this.#open(request);
  }

  /** Returns the rejection; undefined: the request goes on to its route. */
  admit(request: Request): Promise<Response | undefined> | Response | undefined {
    const requestContext = this.#open(request);
    try {
      const waiting = this.#identify(requestContext, request);
      return waiting ? this.#admitLater(request, requestContext, waiting) : undefined;
    } catch (error) {
      return this.#rejection(request, requestContext, error);
    }
  }

  async #admitLater(
    request: Request,
    requestContext: RequestContext,
    waiting: Promise<void>,
  ): Promise<Response | undefined> {
    try {
      await this.deps.storeDeadline(waiting);
      return undefined;
    } catch (error) {
      return this.#rejection(request, requestContext, error);
    }
  }

  #rejection(request: Request, requestContext: RequestContext, error: unknown): Response {
    const problem = problemOf(error);
    if (problem.cause !== null && !this.#refusing)
      this.deps.log.error("http.admission_failed", {
        request_id: requestContext.requestId,
        error: describeError(problem.cause),
      });
    return this.logged(request, requestContext, problemResponse(requestContext, problem));
  }

  logged({ method }: Request, requestContext: RequestContext, response: Response): Response {
    const { clock, log } = this.deps;
    const { requestId, path, startedAt } = requestContext;
    const { status } = response;
    const ms = Math.round(clock.monotonic() - startedAt);
    log.debug("http.request", { request_id: requestId, method, path, status, ms });
    return response;
  }

  notFound(request: Request): Response {
    const requestContext = this.requestContextOf(request);
    return this.logged(request, requestContext, this.#withoutRoute(request, requestContext));
  }

  /** An unknown path, another method, or OPTIONS. */
  #withoutRoute(request: Request, requestContext: RequestContext): Response {
    const allow = this.deps.table.allow(requestContext.path);
    if (allow === null) return problemResponse(requestContext, problemOf(unknownPath()));
    if (request.method === "OPTIONS")
      return new Response(null, {
        status: 204,
        headers: { Allow: allow, "X-Request-Id": requestContext.requestId },
      });
    return problemResponse(requestContext, problemOf(methodNotAllowed(allow)), { Allow: allow });
  }

  /** Counts the additional cost of a heavy route. Throws or rejects with rate_limited. */
  chargeWeight(requestContext: RequestContext, weight: number): Promise<void> | null {
    if (weight <= 1) return null;
    const { session, keyId } = requestContext;
    if (!session) return this.#take(requestContext, keyId, weight - 1);
    this.deps.sessionAuthentication.chargeWeight(session, weight - 1);
    return null;
  }

  /** The address that a request came from. */
  sourceOf(request: Request): string {
    return this.deps.sessionAuthentication.ipOf(request);
  }

  /** The key of a request that was admitted, as it is now. Throws unauthorized. */
  async keyAgain(request: Request): Promise<KnownKey> {
    const { apiKeys, sessionAuthentication } = this.deps;
    const secret = bearerOf(request.headers) ?? "";
    const key = await apiKeys.identify(secret, sessionAuthentication.ipOf(request));
    if (!key) throw unauthorized();
    return key;
  }

  #open(request: Request): RequestContext {
    const { clock, random } = this.deps;
    const { path, search } = splitUrl(request.url);
    const requestContext: RequestContext = {
      requestId: saneRequestId(request.headers.get("x-request-id")) ?? hex(random.bytes(16)),
      path,
      search,
      startedAt: clock.monotonic(),
      tenantId: 0,
      keyId: 0,
      keyLimits: NO_LIMITS,
      rate: null,
      origins: null,
      userAgent: "",
      session: null,
      token: null,
      newToken: null,
      actor: null,
      details: null,
      onLargeBody: () => Promise.resolve(),
      onLate: () => Promise.resolve(),
    };
    this.#requestContexts.set(request, requestContext);
    return requestContext;
  }

  /** Null: nothing has to be waited for. Throws the reason for a rejection. */
  #identify(requestContext: RequestContext, request: Request): Promise<void> | null {
    const { table, sessionAuthentication } = this.deps;
    const { path } = requestContext;
    if (isPage(path)) sessionAuthentication.requireKnownHost(request);
    if (!table.isApi(path)) return null;
    if (isDashboard(path)) return this.#identifyBrowser(requestContext, request);
    if (this.#refusing) throw draining();
    if (table.isOpen(path)) return null;
    const secret = bearerOf(request.headers);
    if (secret === null) return this.#identifySession(requestContext, request);
    const ipOf = () => sessionAuthentication.ipOf(request);
    const key = this.deps.apiKeys.identifyCached(secret, ipOf);
    if (key) return this.#admitKey(requestContext, key);
    return this.#identifyKey(requestContext, secret, ipOf());
  }

  async #identifyBrowser(requestContext: RequestContext, request: Request): Promise<void> {
    const { table, sessionAuthentication } = this.deps;
    if (this.#refusing) throw draining();
    const isOpen = table.isOpen(requestContext.path);
    await sessionAuthentication.authenticate(requestContext, request, isOpen);
    if (!requestContext.session && !isOpen) throw signInNeeded();
  }

  /** Of a request to REST v1 without a key. */
  async #identifySession(requestContext: RequestContext, request: Request): Promise<void> {
    const { sessionAuthentication } = this.deps;
    if (sessionAuthentication.hasCookie(requestContext, request))
      await sessionAuthentication.authenticate(requestContext, request, false);
    else requestContext.origins = null;
    if (!requestContext.session) throw unauthorized();
  }

  async #identifyKey(requestContext: RequestContext, secret: string, ip: string): Promise<void> {
    const key = await this.#keyOf(secret, ip);
    if (!key) throw unauthorized();
    await this.#admitKey(requestContext, key);
  }

  #admitKey(requestContext: RequestContext, key: KnownKey): Promise<void> | null {
    requestContext.tenantId = key.tenantId;
    requestContext.keyId = key.keyId;
    requestContext.keyLimits = key;
    return this.#take(requestContext, key.keyId);
  }

  /** After many unknown keys from one network, keys from there that were never valid are not looked up. */
  async #keyOf(secret: string, ip: string): Promise<KnownKey | null> {
    const { apiKeys } = this.deps;
    const source = () => numberOf(networkOf(ip));
    if (!apiKeys.wasKnown(secret) && this.#unknownKeys.isFull(source()))
      throw tooManyRequests(UNKNOWN_KEYS_PER_MINUTE, 60);
    const key = await apiKeys.identify(secret, ip);
    if (!key) this.#unknownKeys.take(source());
    return key;
  }

  #take(requestContext: RequestContext, keyId: number, weight?: number): Promise<void> | null {
    const note = (rate: RateLimitResult) => {
      requestContext.rate = rate;
      if (!rate.allowed) throw rateLimited(rate.limit);
    };
    const taken = this.deps.limiter.take(keyId, weight);
    if (taken instanceof Promise) return taken.then(note);
    note(taken);
    return null;
  }
}
