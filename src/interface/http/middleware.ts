/**
 * What every request passes before routing: an exchange with its id, draining, authentication, the
 * rate limit. Nothing of the body has been read when a request is turned away here.
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
import { DASHBOARD_MOUNT } from "./dashboard/document.ts";
import type { RateLimiter } from "./ports.ts";
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
import { numberOf, type SessionAuthentication } from "./session/session-authentication.ts";

interface MiddlewareDependencies {
  readonly table: RouteTable;
  readonly apiKeys: ApiKeys;
  readonly limiter: RateLimiter;
  readonly sessionAuthentication: SessionAuthentication;
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

export function createMiddleware(deps: MiddlewareDependencies) {
  const { table, apiKeys, limiter, sessionAuthentication, clock, random, log } = deps;
  const requestContexts = new WeakMap<Request, RequestContext>();
  const unknownKeys = memoryRateLimiter(() => UNKNOWN_KEYS_PER_MINUTE, clock);
  let refusing = false;

  function open(request: Request): RequestContext {
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
    };
    requestContexts.set(request, requestContext);
    return requestContext;
  }

  /** Whoever sends many keys that are none is not looked up any more, unless the key was known before. */
  async function keyOf(secret: string, ip: string): Promise<KnownKey | null> {
    const source = numberOf(networkOf(ip));
    if (unknownKeys.isFull(source) && !apiKeys.wasKnown(secret))
      throw tooManyRequests(UNKNOWN_KEYS_PER_MINUTE, 60);
    const key = await apiKeys.identify(secret, ip);
    if (!key) unknownKeys.take(source);
    return key;
  }

  /** Throws what the request is refused with. */
  async function identify(requestContext: RequestContext, request: Request): Promise<void> {
    const { path } = requestContext;
    if (isPage(path)) sessionAuthentication.requireKnownHost(request);
    if (!table.isApi(path)) return;
    if (refusing) throw draining();
    if (isDashboard(path)) {
      const isOpen = table.isOpen(path);
      await sessionAuthentication.authenticate(requestContext, request, isOpen);
      if (!requestContext.session && !isOpen) throw signInNeeded();
      return;
    }
    if (table.isOpen(path)) return;
    const secret = bearerOf(request.headers);
    if (secret === null && sessionAuthentication.hasCookie(requestContext, request)) {
      await sessionAuthentication.authenticate(requestContext, request, false);
      if (!requestContext.session) throw unauthorized();
      return;
    }
    requestContext.origins = null;
    const key = secret === null ? null : await keyOf(secret, sessionAuthentication.ipOf(request));
    if (!key) throw unauthorized();
    requestContext.tenantId = key.tenantId;
    requestContext.keyId = key.keyId;
    requestContext.keyLimits = key;
    requestContext.rate = await limiter.take(key.keyId);
    if (!requestContext.rate.allowed) throw rateLimited(requestContext.rate.limit);
  }

  return {
    requestContextOf: (request: Request): RequestContext =>
      requestContexts.get(request) ?? open(request),

    /** Undefined: go on to the route. */
    async admit(request: Request): Promise<Response | undefined> {
      const requestContext = open(request);
      try {
        await identify(requestContext, request);
        return undefined;
      } catch (error) {
        const problem = problemOf(error);
        if (problem.cause !== null && !refusing)
          log.error("http.admission_failed", {
            request_id: requestContext.requestId,
            error: describeError(problem.cause),
          });
        return problemResponse(requestContext, problem);
      }
    },

    /** No route took it: an unknown path, another method, or the question which there are. */
    notFound(requestContext: RequestContext, request: Request): Response {
      const allow = table.allow(requestContext.path);
      if (allow === null) return problemResponse(requestContext, problemOf(unknownPath()));
      if (request.method === "OPTIONS")
        return new Response(null, {
          status: 204,
          headers: { allow, "x-request-id": requestContext.requestId },
        });
      return problemResponse(requestContext, problemOf(methodNotAllowed(allow)), { allow });
    },

    /** Counts what a heavy route costs beside the request itself. Throws rate_limited. */
    async chargeWeight(requestContext: RequestContext, weight: number): Promise<void> {
      if (weight <= 1) return;
      if (requestContext.session) {
        sessionAuthentication.chargeWeight(requestContext.session, weight - 1);
        return;
      }
      requestContext.rate = await limiter.take(requestContext.keyId, weight - 1);
      if (!requestContext.rate.allowed) throw rateLimited(requestContext.rate.limit);
    },

    refuse(): void {
      refusing = true;
    },

    isDraining: () => refusing,
  };
}
