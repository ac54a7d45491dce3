/**
 * Authenticates a request with a cookie: first its origin, then the session. Used by the dashboard's API and
 * REST v1.
 */
import { createHash } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import { AppError, describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { networkOf } from "../../features/identity/lock-out.ts";
import type { ActiveSession, Sessions } from "../../features/identity/sessions.ts";
import { forbidden, tooManyRequests } from "../problem.ts";
import { memoryRateLimiter } from "../rate-limit.ts";
import type { RequestContext } from "../request-context.ts";
import { cookieName, cookieOf } from "./cookie.ts";
import { isAllowedProvenance } from "./same-origin.ts";
import type { OriginReader } from "./source.ts";

/** Limit per person over all sessions. It is high because a page sends many requests at once. */
const PERSON_REQUESTS_PER_MINUTE = 600;
/** Limit per network address without a session. */
const OPEN_REQUESTS_PER_MINUTE = 120;

interface SessionAuthenticationDependencies {
  readonly sessions: Sessions;
  readonly origins: OriginReader;
  /** Remote address of the connection; "" after a disconnect. */
  readonly peerOf: (request: Request) => string;
  readonly clock: Clock;
  readonly log: Log;
}

export type SessionAuthentication = ReturnType<typeof createSessionAuthentication>;

export function createSessionAuthentication(deps: SessionAuthenticationDependencies) {
  const { clock } = deps;
  const byPerson = memoryRateLimiter(() => PERSON_REQUESTS_PER_MINUTE, clock);
  const bySource = memoryRateLimiter(() => OPEN_REQUESTS_PER_MINUTE, clock);

  function readOrigins(requestContext: RequestContext, request: Request): void {
    requestContext.origins = deps.origins.read(request.headers, deps.peerOf(request));
    requestContext.userAgent = request.headers.get("user-agent") ?? "";
    requestContext.token = cookieOf(request.headers, cookieName(requestContext.origins.secure));
  }

  function limit(requestContext: RequestContext): void {
    const { session, origins } = requestContext;
    const result = session
      ? byPerson.take(session.user.id)
      : bySource.take(numberOf(networkOf(origins?.ip ?? "")));
    if (!result.allowed) throw tooManyRequests(result.limit, result.resetSeconds);
  }

  return {
    /** The client's address, read through trusted proxies. */
    ipOf: (request: Request): string => deps.origins.ipOf(request.headers, deps.peerOf(request)),

    /** True if the request has a session cookie with the expected name. */
    hasCookie(requestContext: RequestContext, request: Request): boolean {
      readOrigins(requestContext, request);
      return requestContext.token !== null;
    },

    /** Sets the session of the request, if it has one. Throws the reason for a rejection. */
    async authenticate(
      requestContext: RequestContext,
      request: Request,
      isOpen: boolean,
    ): Promise<void> {
      if (!requestContext.origins) readOrigins(requestContext, request);
      requireOurPages(deps.log, requestContext, request);
      await findSession(deps, requestContext, request);
      // Without a session only open routes do work, so only they are counted.
      if (requestContext.session || isOpen) limit(requestContext);
    },

    /** Counts the rest of a heavy request's weight for a session's person. Throws rate_limited. */
    chargeWeight({ user }: Pick<ActiveSession, "user">, weight: number): void {
      const result = byPerson.take(user.id, weight - 1);
      if (!result.allowed) throw tooManyRequests(result.limit, result.resetSeconds, weight);
    },

    /** For pages: the rejection of an unknown host name (DNS rebinding); null if the name is known. */
    hostProblem(request: Request): { readonly own: string; readonly error: AppError } | null {
      const { hostKnown, own } = deps.origins.read(request.headers, "");
      return hostKnown ? null : { own, error: misdirected() };
    },
  };
}

/** Throws forbidden if the request does not come from our own pages. */
function requireOurPages(log: Log, requestContext: RequestContext, request: Request): void {
  const own = requestContext.origins?.own ?? "";
  if (!requestContext.origins?.hostKnown) throw misdirected();
  if (isAllowedProvenance({ method: request.method, headers: request.headers, own })) return;
  log.warn("session.foreign_request_refused", {
    request_id: requestContext.requestId,
    path: requestContext.path,
    ip: requestContext.origins.ip,
  });
  throw forbidden("This request did not come from a page of the dashboard.");
}

async function findSession(
  { sessions, log }: SessionAuthenticationDependencies,
  requestContext: RequestContext,
  request: Request,
): Promise<void> {
  const { token, origins } = requestContext;
  if (!token || !origins) return;
  const session = await sessions.find(token);
  if (session?.stage !== "full") return;
  requestContext.session = session;
  requestContext.tenantId = session.tenant?.id ?? 0;
  if (session.isActingOver) await sessions.endOverdueActing();
  const opensSocket = request.headers.has("upgrade");
  if (session.rotate && !session.former && !opensSocket)
    requestContext.newToken = await sessions.rotate(session, token);
  try {
    await sessions.seen(session, { ip: origins.ip, userAgent: requestContext.userAgent });
  } catch (error) {
    log.warn("session.activity_not_saved", { session: session.id, error: describeError(error) });
  }
}

const misdirected = () =>
  new AppError({
    code: "forbidden",
    publicMessage:
      "This appliance does not accept that host name. Use its address, or set [server] public_url.",
  });

/** A number for the limiter's table: 48 bits of a hash. */
export const numberOf = (text: string): number =>
  Number.parseInt(createHash("sha256").update(text).digest("hex").slice(0, 12), 16);
