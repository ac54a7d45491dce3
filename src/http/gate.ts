/**
 * What every request passes before routing: an exchange with its id, draining, authentication, the
 * rate limit. Nothing of the body has been read when a request is turned away here.
 */
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import { networkOf } from "../identity/lock-out.ts";
import type { ApiKeys, KnownKey } from "../tenant/api-keys.ts";
import { NO_LIMITS } from "../tenant/key-limits.ts";
import { bearerOf } from "./authenticate.ts";
import { DASHBOARD_MOUNT } from "./dashboard/document.ts";
import { type Exchange, problemResponse, saneRequestId, splitUrl } from "./exchange.ts";
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
import type { RouteTable } from "./route-table.ts";
import { numberOf, type Recognise } from "./session/recognise.ts";

export interface GateDependencies {
  readonly table: RouteTable;
  readonly apiKeys: ApiKeys;
  readonly limiter: RateLimiter;
  readonly people: Recognise;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Of one network address. */
const UNKNOWN_KEYS_PER_MINUTE = 120;

export type Gate = ReturnType<typeof createGate>;

const isDashboard = (path: string) =>
  path === DASHBOARD_MOUNT || path.startsWith(`${DASHBOARD_MOUNT}/`);

/** The web app's pages and the redirect to them. */
const isPage = (path: string) => path === "/" || path === "/app" || path.startsWith("/app/");

export function createGate(deps: GateDependencies) {
  const { table, apiKeys, limiter, people, clock, random, log } = deps;
  const exchanges = new WeakMap<Request, Exchange>();
  const unknownKeys = memoryRateLimiter(() => UNKNOWN_KEYS_PER_MINUTE, clock);
  let refusing = false;

  function open(request: Request): Exchange {
    const { path, search } = splitUrl(request.url);
    const exchange: Exchange = {
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
    exchanges.set(request, exchange);
    return exchange;
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
  async function identify(exchange: Exchange, request: Request): Promise<void> {
    const { path } = exchange;
    if (isPage(path)) people.requireKnownHost(request);
    if (!table.isApi(path)) return;
    if (refusing) throw draining();
    if (isDashboard(path)) {
      const isOpen = table.isOpen(path);
      await people.recognise(exchange, request, isOpen);
      if (!exchange.session && !isOpen) throw signInNeeded();
      return;
    }
    if (table.isOpen(path)) return;
    const secret = bearerOf(request.headers);
    if (secret === null && people.hasCookie(exchange, request)) {
      await people.recognise(exchange, request, false);
      if (!exchange.session) throw unauthorized();
      return;
    }
    exchange.origins = null;
    const key = secret === null ? null : await keyOf(secret, people.ipOf(request));
    if (!key) throw unauthorized();
    exchange.tenantId = key.tenantId;
    exchange.keyId = key.keyId;
    exchange.keyLimits = key;
    exchange.rate = await limiter.take(key.keyId);
    if (!exchange.rate.allowed) throw rateLimited(exchange.rate.limit);
  }

  return {
    exchangeOf: (request: Request): Exchange => exchanges.get(request) ?? open(request),

    /** Undefined: go on to the route. */
    async admit(request: Request): Promise<Response | undefined> {
      const exchange = open(request);
      try {
        await identify(exchange, request);
        return undefined;
      } catch (error) {
        const problem = problemOf(error);
        if (problem.cause !== null && !refusing)
          log.error("http_admission_failed", {
            request_id: exchange.requestId,
            error: describeError(problem.cause),
          });
        return problemResponse(exchange, problem);
      }
    },

    /** No route took it: an unknown path, another method, or the question which there are. */
    nowhere(exchange: Exchange, request: Request): Response {
      const allow = table.allow(exchange.path);
      if (allow === null) return problemResponse(exchange, problemOf(unknownPath()));
      if (request.method === "OPTIONS")
        return new Response(null, {
          status: 204,
          headers: { allow, "x-request-id": exchange.requestId },
        });
      return problemResponse(exchange, problemOf(methodNotAllowed(allow)), { allow });
    },

    /** Counts what a heavy route costs beside the request itself. Throws rate_limited. */
    async weigh(exchange: Exchange, weight: number): Promise<void> {
      if (weight <= 1) return;
      if (exchange.session) {
        people.weigh(exchange.session, weight - 1);
        return;
      }
      exchange.rate = await limiter.take(exchange.keyId, weight - 1);
      if (!exchange.rate.allowed) throw rateLimited(exchange.rate.limit);
    },

    refuse(): void {
      refusing = true;
    },

    isRefusing: () => refusing,
  };
}
