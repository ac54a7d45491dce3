/**
 * Creates the context and id of every request, and admits API requests: draining, authentication, rate limit.
 * Requests are rejected here before their body is read.
 */
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import { networkOf } from "../features/identity/lock-out.ts";
import type { ApiKeys, KnownKey } from "../features/key/api-keys.ts";
import { NO_LIMITS } from "../features/key/key-limits.ts";
import { bearerOf } from "./authenticate.ts";
import { DASHBOARD_MOUNT } from "./mounts.ts";
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
import { numberOf, type SessionAuthentication } from "./session/session-authentication.ts";
import type { StoreDeadline } from "./store-deadline.ts";
import { unknownHostPage } from "./unknown-host-page.ts";

interface MiddlewareDependencies {
  readonly apiKeys: ApiKeys;
  readonly limiter: RateLimiter;
  readonly sessionAuthentication: SessionAuthentication;
  readonly storeDeadline: StoreDeadline;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Limit per network address. */
const UNKNOWN_KEYS_PER_MINUTE = 120;

const isDashboard = (path: string) =>
  path === DASHBOARD_MOUNT || path.startsWith(`${DASHBOARD_MOUNT}/`);

/** True for the dashboard's pages and the redirect to them. */
const isPage = (path: string) => path === "/" || path === "/app" || path.startsWith("/app/");

export class Middleware {
  readonly #requestContexts = new WeakMap<Request, RequestContext>();
  readonly #unknownKeys: ReturnType<typeof memoryRateLimiter>;
  #refusing = false;

  constructor(private readonly deps: MiddlewareDependencies) {
    this.#unknownKeys = memoryRateLimiter(() => UNKNOWN_KEYS_PER_MINUTE, deps.clock);
  }

  /** From now on API requests get 503. */
  refuse(): void {
    this.#refusing = true;
  }

  get isDraining(): boolean {
    return this.#refusing;
  }

  requestContextOf(request: Request): RequestContext {
    return this.#requestContexts.get(request) ?? this.#newContext(request);
  }

  /** Returns the rejection of a page request with an unknown host name; undefined: continue. */
  open(request: Request): Response | undefined {
    const requestContext = this.#newContext(request);
    if (!isPage(requestContext.path)) return undefined;
    const unknown = this.deps.sessionAuthentication.hostProblem(request);
    if (!unknown) return undefined;
    return request.headers.get("accept")?.includes("text/html")
      ? this.logged(request, requestContext, unknownHostPage(request, unknown.own))
      : this.#rejection(request, requestContext, unknown.error);
  }

  /** Returns the rejection of an API request; undefined: continue. An open route needs no key. */
  admit(request: Request, isOpen: boolean): Promise<Response | undefined> | Response | undefined {
    const requestContext = this.requestContextOf(request);
    try {
      const waiting = this.#identify(requestContext, request, isOpen);
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
    const response = problemResponse(requestContext, problemOf(unknownPath()));
    return this.logged(request, requestContext, response);
  }

  /** Rejects an unsupported method. `allow` lists the supported ones. */
  notAllowed(request: Request, allow: string): Response {
    const requestContext = this.requestContextOf(request);
    const headers = { Allow: allow, "X-Request-Id": requestContext.requestId };
    const response =
      request.method === "OPTIONS"
        ? new Response(null, { status: 204, headers })
        : problemResponse(requestContext, problemOf(methodNotAllowed(allow)), { Allow: allow });
    return this.logged(request, requestContext, response);
  }

  /** Counts the additional cost of a heavy route. Throws or rejects with rate_limited. */
  chargeWeight(requestContext: RequestContext, weight: number): Promise<void> | null {
    if (weight <= 1) return null;
    const { session, keyId } = requestContext;
    // The request itself was counted on admission.
    if (!session) return this.#take(requestContext, keyId, weight);
    this.deps.sessionAuthentication.chargeWeight(session, weight);
    return null;
  }

  /** The client's address. */
  sourceOf(request: Request): string {
    return this.deps.sessionAuthentication.ipOf(request);
  }

  /** Looks up the key of an admitted request again. Throws unauthorized. */
  async keyAgain(request: Request): Promise<KnownKey> {
    const { apiKeys, sessionAuthentication } = this.deps;
    const secret = bearerOf(request.headers) ?? "";
    const key = await apiKeys.identify(secret, sessionAuthentication.ipOf(request));
    if (!key) throw unauthorized();
    return key;
  }

  #newContext(request: Request): RequestContext {
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

  /** Null if no wait is needed. Throws the reason for a rejection. */
  #identify(
    requestContext: RequestContext,
    request: Request,
    isOpen: boolean,
  ): Promise<void> | null {
    if (this.#refusing) throw draining();
    if (isDashboard(requestContext.path))
      return this.#identifyBrowser(requestContext, request, isOpen);
    if (isOpen) return null;
    const secret = bearerOf(request.headers);
    if (secret === null) return this.#identifySession(requestContext, request);
    const ipOf = () => this.deps.sessionAuthentication.ipOf(request);
    const key = this.deps.apiKeys.identifyCached(secret, ipOf);
    if (key) return this.#admitKey(requestContext, key);
    return this.#identifyKey(requestContext, secret, ipOf());
  }

  async #identifyBrowser(
    requestContext: RequestContext,
    request: Request,
    isOpen: boolean,
  ): Promise<void> {
    await this.deps.sessionAuthentication.authenticate(requestContext, request, isOpen);
    if (!requestContext.session && !isOpen) throw signInNeeded();
  }

  /** Reads the session of a REST v1 request without a key. */
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

  /** After many unknown keys from one network, only keys that were valid before are looked up from there. */
  async #keyOf(secret: string, ip: string): Promise<KnownKey | null> {
    const { apiKeys } = this.deps;
    const source = () => numberOf(networkOf(ip));
    if (!apiKeys.wasKnown(secret) && this.#unknownKeys.isFull(source()))
      throw tooManyRequests(UNKNOWN_KEYS_PER_MINUTE, 60);
    const key = await apiKeys.identify(secret, ip);
    if (!key) this.#unknownKeys.take(source());
    return key;
  }

  /** `weight`: the remaining weight of a heavy request. */
  #take(requestContext: RequestContext, keyId: number, weight = 1): Promise<void> | null {
    const note = (rate: RateLimitResult) => {
      requestContext.rate = rate;
      if (!rate.allowed) throw rateLimited(rate.limit, weight);
    };
    const taken = this.deps.limiter.take(keyId, Math.max(1, weight - 1));
    if (taken instanceof Promise) return taken.then(note);
    note(taken);
    return null;
  }
}
