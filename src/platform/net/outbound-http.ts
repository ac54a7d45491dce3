/**
 * The outbound HTTP client (SSRF-safe) for webhooks and tools. It requests tenants' URLs, so it
 * must not reach the appliance's own network.
 *
 * The address that is checked is the address that is connected to. The check runs in the socket's
 * own lookup (names), before it (literals, which are not looked up), and once more on the connected
 * socket. A connection is not reused, so that a name cannot rebind in between, unless the request
 * allows it: then the checked connection may serve the next request to the same host for one
 * second, without a new lookup. TLS certificates are verified against the name. Redirects are
 * returned, not followed. Time, response size and decompressed size are limited, and the caller can
 * abort. Plain `http:` is allowed only to networks that the operator lists.
 */
import { lookup as systemLookup } from "node:dns";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { createSecureContext, rootCertificates } from "node:tls";
import { type Clock, systemClock } from "../../core/clock.ts";
import { type AddressCheckResult, AddressRules } from "./address-rules.ts";
import { asOutboundHttpError, OutboundHttpError } from "./outbound-http-error.ts";
import { readBody, skipBody } from "./response-body.ts";

export interface OutboundHttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the whole request: lookup, connect, TLS, response. */
  readonly timeoutMs: number;
  /**
   * Largest response, before and after decompression. A larger one fails, unless `statusOnly` is
   * set.
   */
  readonly responseBytesMax: number;
  /**
   * Only the status matters: the response resolves with an empty body as soon as the headers
   * arrive. The rest of the body is read and discarded, within the size and time limits, so that
   * the receiver can finish.
   */
  readonly statusOnly?: boolean;
  readonly signal?: AbortSignal;
  /**
   * For many requests in a row to one host that are safe to send twice: an idle connection may be
   * reused for one second. If it turns out to be closed, the request is sent again on a new one.
   */
  readonly mayReuse?: boolean;
}

export interface OutboundHttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export interface OutboundHttpClient {
  /** Rejects only with OutboundHttpError. A status of 300 or more is a response, not an error. */
  request(request: OutboundHttpRequest): Promise<OutboundHttpResponse>;
}

/** The part of `dns.lookup` that is used. Tests pass their own resolver. */
export type Resolve = (
  hostname: string,
  done: (error: Error | null, addresses: readonly { address: string; family: number }[]) => void,
) => void;

interface OutboundHttpClientOptions {
  /** `[http_client] allow_networks`. */
  readonly allowNetworks: readonly string[];
  /** PEM of `[http_client] ca_file`: trusted in addition to the built-in roots. */
  readonly caPem?: string | null;
  readonly clock?: Clock;
  readonly resolve?: Resolve;
}

const URL_LENGTH_MAX = 2048;
const HEADER_BYTES_MAX = 16 * 1024;
const IDLE_CONNECTION_MS = 1000;
/** Per host, which may serve many endpoints. Equals the number of concurrent deliveries. */
const IDLE_CONNECTIONS_MAX = 256;
const NO_BODY = Buffer.alloc(0);
/**
 * Responses whose status is known and whose body is still being read. Above this number the
 * connection is closed.
 */
const BODIES_DRAINING_MAX = 256;

const resolveBySystem: Resolve = (hostname, done) =>
  systemLookup(hostname, { all: true, verbatim: true }, (error, addresses) =>
    done(error, addresses ?? []),
  );

/**
 * Node's agent builds a connection name from every TLS setting on each request. Here the settings
 * are the same for all.
 */
class KeepAliveAgent extends https.Agent {
  override getName(options: https.RequestOptions = {}): string {
    return `${options.host}:${options.port}`;
  }
}

/** The server closed a reused connection, perhaps before the request arrived. Not exported. */
class ReusedConnectionClosed extends Error {
  constructor(override readonly cause: OutboundHttpError) {
    super(cause.message);
  }
}

/** Parses a tenant's URL. Throws OutboundHttpError invalid_url. */
export function parseTenantUrl(text: string): URL {
  const invalidUrl = (message: string) => new OutboundHttpError("invalid_url", message);
  if (text.length > URL_LENGTH_MAX) throw invalidUrl("the URL is too long");
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url) throw invalidUrl("not a URL");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw invalidUrl("the URL must be https");
  if (url.username || url.password)
    throw invalidUrl("the URL must not carry a user name or password");
  if (!url.hostname) throw invalidUrl("the URL has no host");
  return url;
}

const trusting = (more: readonly string[]) =>
  createSecureContext({ ca: [...rootCertificates, ...more], minVersion: "TLSv1.2" });

export class SafeHttpClient implements OutboundHttpClient {
  readonly #clock: Clock;
  readonly #resolve: Resolve;
  readonly #rules: AddressRules;
  // Created once: loading the roots for each connection costs more than the handshake. Created on
  // first use, unless the operator configured a certificate: then an invalid one must fail at
  // start.
  #madeContext: import("node:tls").SecureContext | null;
  readonly #keepAliveAgent = new KeepAliveAgent({
    ...{ keepAlive: true, timeout: IDLE_CONNECTION_MS, scheduling: "lifo" },
    maxFreeSockets: IDLE_CONNECTIONS_MAX,
  });
  /** Reused connections whose address passed the check; it cannot change while they are open. */
  readonly #checkedSockets = new WeakSet<Duplex>();
  #bodiesDraining = 0;

  constructor(private readonly options: OutboundHttpClientOptions) {
    this.#clock = this.options.clock ?? systemClock;
    this.#resolve = this.options.resolve ?? resolveBySystem;
    this.#rules = new AddressRules(this.options.allowNetworks);
    this.#madeContext = this.options.caPem ? trusting([this.options.caPem]) : null;
  }

  #secureContext() {
    this.#madeContext ??= trusting([]);
    return this.#madeContext;
  }

  #requireAllowed(result: AddressCheckResult, url: URL): void {
    // The same message for all: tenants must not learn what internal names resolve to.
    if (!result.allowed)
      throw new OutboundHttpError("blocked_address", "the address is not allowed");
    if (url.protocol === "http:" && !result.listed)
      throw new OutboundHttpError("blocked_address", "plain http is not allowed, use https");
  }

  /** Gives the socket only addresses that pass the check, so that it may connect to any of them. */
  #allowedLookup(url: URL): LookupFunction {
    return (hostname, lookupOptions, done) => {
      this.#resolve(hostname, (error, addresses) => {
        if (error || addresses.length === 0)
          return done(new OutboundHttpError("name_not_found", "the host name was not found"), "");
        try {
          const passed = addresses.filter(({ address }) => this.#rules.check(address).allowed);
          for (const { address } of passed.length > 0 ? passed : addresses)
            this.#requireAllowed(this.#rules.check(address), url);
          const first = passed[0];
          if (lookupOptions.all) done(null, [...passed]);
          else done(null, first?.address ?? "", first?.family);
        } catch (blocked) {
          done(blocked as Error, "");
        }
      });
    };
  }

  #open(request: OutboundHttpRequest, url: URL): http.ClientRequest {
    const mayReuse = request.mayReuse === true && url.protocol === "https:";
    const literal = url.hostname.replace(/^\[|\]$/g, "");
    const isLiteral = url.hostname.startsWith("[") || /^[\d.]+$/.test(url.hostname);
    if (isLiteral) this.#requireAllowed(this.#rules.check(literal), url);
    const shared = {
      method: request.method,
      host: literal,
      port: url.port || (url.protocol === "https:" ? 443 : 80),
      path: `${url.pathname}${url.search}`,
      headers: {
        ...request.headers,
        host: url.host,
        "content-length": String(Buffer.byteLength(request.body)),
        "accept-encoding": "identity",
        ...(mayReuse ? {} : { connection: "close" }),
      },
      lookup: this.#allowedLookup(url),
      maxHeaderSize: HEADER_BYTES_MAX,
    };
    if (url.protocol === "http:") return http.request({ ...shared, agent: false });
    const secured = { ...shared, secureContext: this.#secureContext(), rejectUnauthorized: true };
    return https.request({ ...secured, agent: mayReuse ? this.#keepAliveAgent : false });
  }

  async #drainBody(response: http.IncomingMessage, bytesMax: number): Promise<void> {
    if (this.#bodiesDraining >= BODIES_DRAINING_MAX) return;
    this.#bodiesDraining++;
    try {
      await skipBody(response, bytesMax);
    } finally {
      this.#bodiesDraining--;
    }
  }

  #performRequest(request: OutboundHttpRequest, url: URL): Promise<OutboundHttpResponse> {
    return new Promise((done, fail) => {
      const outgoing = this.#open(request, url);
      const stop = (error: OutboundHttpError | ReusedConnectionClosed) => {
        settle();
        fail(error);
        outgoing.destroy(error);
      };
      const onAbort = () => stop(new OutboundHttpError("aborted", "the request was abandoned"));
      const timer = this.#clock.after(request.timeoutMs, () =>
        stop(new OutboundHttpError("timeout", `no answer within ${request.timeoutMs} ms`)),
      );
      const settle = () => {
        timer.cancel();
        request.signal?.removeEventListener("abort", onAbort);
      };
      request.signal?.addEventListener("abort", onAbort, { once: true });
      outgoing.on("socket", (socket) => {
        const checkSocket = () => {
          if (this.#rules.check(socket.remoteAddress ?? "").allowed)
            this.#checkedSockets.add(socket);
          else stop(new OutboundHttpError("blocked_address", "the address is not allowed"));
        };
        if (!outgoing.reusedSocket) socket.once("connect", checkSocket);
        else if (!this.#checkedSockets.has(socket)) checkSocket();
      });
      let isAnswered = false;
      outgoing.on("error", (error) => {
        const known = asOutboundHttpError(error);
        stop(outgoing.reusedSocket && !isAnswered ? new ReusedConnectionClosed(known) : known);
      });
      outgoing.on("response", (response) => {
        isAnswered = true;
        const head = { status: response.statusCode ?? 0, headers: flatten(response.headers) };
        const finish = () => {
          settle();
          if (!request.mayReuse || !response.complete) outgoing.destroy();
        };
        const isRead = request.statusOnly
          ? this.#drainBody(response, request.responseBytesMax)
          : readBody(response, request.responseBytesMax).then((body) => done({ ...head, body }));
        isRead.then(finish, (error) => stop(asOutboundHttpError(error)));
        if (request.statusOnly) done({ ...head, body: NO_BODY });
      });
      if (request.signal?.aborted) onAbort();
      else outgoing.end(request.body);
    });
  }

  async request(request: OutboundHttpRequest) {
    const startedAt = this.#clock.monotonic();
    const url = parseTenantUrl(request.url);
    try {
      return await this.#performRequest(request, url);
    } catch (error) {
      if (!(error instanceof ReusedConnectionClosed)) throw asOutboundHttpError(error);
      const timeoutMs = Math.max(1, request.timeoutMs - (this.#clock.monotonic() - startedAt));
      return this.#performRequest({ ...request, mayReuse: false, timeoutMs }, url).catch(
        (again) => {
          throw asOutboundHttpError(again);
        },
      );
    }
  }
}

function flatten(headers: http.IncomingHttpHeaders): Record<string, string | undefined> {
  const flat: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers))
    flat[name] = Array.isArray(value) ? value[0] : value;
  return flat;
}
