/**
 * What every request passes before routing: an exchange with its id, draining, authentication, the
 * rate limit. Nothing of the body has been read when a request is turned away here.
 */
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import type { ApiKeys } from "../tenant/api-keys.ts";
import { bearerOf } from "./authenticate.ts";
import { type Exchange, problemResponse, saneRequestId, splitUrl } from "./exchange.ts";
import type { RateLimiter } from "./ports.ts";
import {
  draining,
  methodNotAllowed,
  problemOf,
  rateLimited,
  unauthorized,
  unknownPath,
} from "./problem.ts";
import type { RouteTable } from "./route-table.ts";

export interface GateDependencies {
  readonly table: RouteTable;
  readonly apiKeys: ApiKeys;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export type Gate = ReturnType<typeof createGate>;

export function createGate({ table, apiKeys, limiter, clock, random, log }: GateDependencies) {
  const exchanges = new WeakMap<Request, Exchange>();
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
      rate: null,
    };
    exchanges.set(request, exchange);
    return exchange;
  }

  /** Throws what the request is refused with. */
  async function identify(exchange: Exchange, request: Request): Promise<void> {
    if (!table.isApi(exchange.path)) return;
    if (refusing) throw draining();
    if (table.isOpen(exchange.path)) return;
    const secret = bearerOf(request.headers);
    const key = secret === null ? null : await apiKeys.identify(secret);
    if (!key) throw unauthorized();
    exchange.tenantId = key.tenantId;
    exchange.keyId = key.keyId;
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

    refuse(): void {
      refusing = true;
    },

    isRefusing: () => refusing,
  };
}
