/**
 * WebSockets of the dashboard, below its mount. Before a socket opens, its session, role and origin page are
 * checked. The server closes it when the session ends or loses its rights, when the browser reads too slowly
 * or sends too much, and at shutdown. The number of open sockets is limited.
 */
import type { Elysia } from "elysia";
import type { Clock, Timer } from "../../../core/clock.ts";
import { AppError, describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import type { ActiveSession, Sessions } from "../../../features/identity/sessions.ts";
import type { Role } from "../../contracts/operation.ts";
import { DASHBOARD_MOUNT } from "../../mounts.ts";
import { problemOf, signInNeeded } from "../../problem.ts";
import { problemResponse, type RequestContext } from "../../request-context.ts";
import { authorise } from "../../session/rights.ts";
import type { RawSocket, SocketData } from "./transport.ts";

/** Close codes (RFC 6455 7.4.2: 4000 to 4999 are ours). */
export const CLOSE = {
  done: 1000,
  goingAway: 1001,
  noSession: 4401,
  tooSlow: 4408,
  tooFast: 4429,
} as const;

export interface Socket {
  readonly tenantId: number;
  readonly session: ActiveSession;
  /** Closes the socket if the browser is more than a megabyte behind. */
  json(message: object): void;
  /** Sends audio in real time and drops frames for a slow browser. */
  binary(bytes: Uint8Array): void;
  /** Idempotent. */
  close(code: number, reason: string): void;
}

export interface SocketHandler {
  message?(data: string | Uint8Array): void;
  /** Called once when either side closes. */
  closed(): void;
}

export interface SocketRoute {
  /** Path below the mount, with `{id}` and `{uuid}` as in contracts. */
  readonly path: string;
  readonly role: Role;
  /** Throws the error that rejects the upgrade. */
  open(
    params: Readonly<Record<string, string>>,
    requestContext: RequestContext,
  ): Promise<SocketOpener>;
}

/** Called when the socket is open. */
type SocketOpener = (socket: Socket) => SocketHandler;

interface SocketDependencies {
  /** Returns false if the request is not for a WebSocket, or its connection is gone. */
  readonly upgrade: (request: Request, data: SocketData) => boolean;
  readonly requestContextOf: (request: Request) => RequestContext;
  /** Returns the error response for a request without a valid session. */
  readonly admit: (request: Request) => Promise<Response | undefined> | Response | undefined;
  readonly sessions: Pick<Sessions, "again">;
  readonly clock: Clock;
  readonly log: Log;
}

const SOCKETS_MAX = 500;
const SOCKETS_OF_USER_MAX = 20;
const BACKLOG_BYTES_MAX = 1_048_576;
/** Audio that waits longer than 4 s is useless. */
const BACKLOG_AUDIO_BYTES_MAX = 128 * 1024;
const CHECK_EVERY_MS = 3_000;
/** A browser sends 50 audio frames per second, and a backlog after a network stall. */
const MESSAGES_PER_SECOND = 100;
const AUDIO_AT_ONCE_MAX = 100;
const TEXTS_AT_ONCE_MAX = 100;
const SENT_AT_ONCE_MAX = 2_000;

/** Mounts the routes. Returns a function that closes every socket when the server stops. */
export function mountSockets(
  app: Elysia,
  routes: readonly SocketRoute[],
  deps: SocketDependencies,
): { closeAll(): void } {
  const open = new Set<OpenSocket>();

  async function upgrade(
    route: SocketRoute,
    request: Request,
    params: Readonly<Record<string, string>>,
  ): Promise<Response | undefined> {
    const requestContext = deps.requestContextOf(request);
    try {
      const { session } = requestContext;
      if (!session) throw signInNeeded();
      const contract = { method: "GET", role: route.role } as const;
      authorise(contract, session);
      if (request.headers.get("upgrade")?.toLowerCase() !== "websocket")
        throw new AppError({
          code: "method_not_allowed",
          publicMessage: "This path accepts only WebSocket connections.",
        });
      const { tenantId } = requestContext;
      admit(open, tenantId, session);
      const socket = new OpenSocket(tenantId, session, deps, () => open.delete(socket));
      // Count the socket before the route waits, so that concurrent requests cannot exceed the limit.
      open.add(socket);
      try {
        socket.opener = await route.open(params, requestContext);
        if (deps.upgrade(request, socket.data)) {
          socket.watch(contract);
          return undefined;
        }
      } catch (error) {
        open.delete(socket);
        throw error;
      }
      open.delete(socket);
      throw new AppError({ code: "unavailable", publicMessage: "The WebSocket was not opened." });
    } catch (error) {
      return problemResponse(requestContext, problemOf(error));
    }
  }

  for (const route of routes)
    app.route(
      "GET",
      DASHBOARD_MOUNT + route.path.replace(/\{(\w+)\}/g, ":$1"),
      async ({ request, params }) =>
        (await deps.admit(request)) ?? upgrade(route, request, params as Record<string, string>),
      { parse: "none" },
    );
  return {
    closeAll() {
      for (const socket of [...open]) socket.close(CLOSE.goingAway, "the server is stopping");
    },
  };
}

/** If all sockets are in use, the tenant with the most loses its oldest one to a tenant with fewer. */
function admit(open: ReadonlySet<OpenSocket>, tenantId: number, session: ActiveSession): void {
  const ofUser = [...open].filter((socket) => socket.session.user.id === session.user.id).length;
  if (ofUser >= SOCKETS_OF_USER_MAX) throw tooManyWindows();
  if (open.size < SOCKETS_MAX) return;
  const byTenant = Map.groupBy(open, (socket) => socket.tenantId);
  const most = [...byTenant.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
  if (most.length <= (byTenant.get(tenantId)?.length ?? 0) + 1) throw tooManyWindows();
  most[0]?.close(CLOSE.goingAway, "others need room");
}

const tooManyWindows = () =>
  new AppError({
    code: "rate_limited",
    publicMessage: "Too many windows are open. Close some, then try again.",
  });

class OpenSocket implements Socket {
  readonly data: SocketData;
  opener: SocketOpener | null = null;
  #raw: RawSocket | null = null;
  #handler: SocketHandler | null = null;
  #check: Timer | null = null;
  #closed = false;
  readonly #audio: Pace;
  readonly #texts: Pace;
  readonly #sent: Pace;

  constructor(
    readonly tenantId: number,
    readonly session: ActiveSession,
    private readonly deps: SocketDependencies,
    private readonly onGone: () => void,
  ) {
    const { clock } = deps;
    this.#audio = new Pace(clock, AUDIO_AT_ONCE_MAX);
    this.#texts = new Pace(clock, TEXTS_AT_ONCE_MAX);
    this.#sent = new Pace(clock, SENT_AT_ONCE_MAX);
    this.data = {
      open: (raw) => this.#opened(raw),
      message: (_, data) => this.#received(data),
      close: () => this.#gone(),
    };
  }

  /** Checks the session regularly while the socket is open. */
  watch(contract: { readonly method: "GET"; readonly role: Role }): void {
    if (this.#closed) return;
    this.#check = this.deps.clock.every(CHECK_EVERY_MS, () => void this.#recheck(contract));
  }

  json(message: object): void {
    if (this.#closed || !this.#raw) return;
    if (this.#raw.getBufferedAmount() > BACKLOG_BYTES_MAX) {
      this.close(CLOSE.tooSlow, "the browser does not keep up");
      return;
    }
    this.#raw.send(JSON.stringify(message));
  }

  binary(bytes: Uint8Array): void {
    if (this.#closed || !this.#raw) return;
    if (this.#raw.getBufferedAmount() > BACKLOG_AUDIO_BYTES_MAX) return;
    this.#raw.send(bytes as Uint8Array<ArrayBuffer>);
  }

  close(code: number, reason: string): void {
    if (this.#closed) return;
    // A client that does not read would not read the close frame, and its queue would stay in memory.
    if (code === CLOSE.tooSlow) this.#raw?.terminate();
    else this.#raw?.close(code, reason);
    this.#gone();
  }

  #opened(raw: RawSocket): void {
    if (this.#closed) {
      raw.close(CLOSE.goingAway, "others need room");
      return;
    }
    this.#raw = raw;
    this.#guard(() => {
      this.#handler = this.opener?.(this) ?? null;
    });
    if (this.#closed) this.#handler?.closed();
  }

  /** One network read may contain tens of thousands of messages. Audio above the rate limit is dropped. */
  #received(data: string | Uint8Array): void {
    const isText = typeof data === "string";
    if (!this.#sent.take() || (isText && !this.#texts.take())) {
      this.close(CLOSE.tooFast, "too many messages");
      return;
    }
    if (isText || this.#audio.take()) this.#guard(() => this.#handler?.message?.(data));
  }

  #gone(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#check?.cancel();
    this.onGone();
    this.#guard(() => this.#handler?.closed());
  }

  async #recheck(contract: { readonly method: "GET"; readonly role: Role }): Promise<void> {
    try {
      const now = await this.deps.sessions.again(this.session);
      if (!now || now.tenant?.id !== (this.session.tenant?.id ?? undefined)) {
        this.close(CLOSE.noSession, "the session has ended or works elsewhere");
        return;
      }
      authorise(contract, now);
    } catch (error) {
      if (error instanceof AppError) this.close(CLOSE.noSession, "the rights were taken away");
      else this.deps.log.warn("socket.session_unavailable", { error: describeError(error) });
    }
  }

  #guard(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.deps.log.error("socket.failed", { error: describeError(error) });
      this.close(1011, "failed");
    }
  }
}

/** Rate limiter for messages of a browser: a burst, then a steady rate. */
class Pace {
  #paidUntilMs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly atOnceMax: number,
  ) {}

  take(): boolean {
    const now = this.clock.monotonic();
    const paidUntilMs = Math.max(now, this.#paidUntilMs) + 1000 / MESSAGES_PER_SECOND;
    if (paidUntilMs - now > (this.atOnceMax * 1000) / MESSAGES_PER_SECOND) return false;
    this.#paidUntilMs = paidUntilMs;
    return true;
  }
}
