/**
 * The outbound HTTP client (SSRF-safe) for webhooks and tools. It requests tenants' URLs, so it
 * must not reach the appliance's own network.
 *
 * The client connects to exactly the address that it has checked. The check runs in the socket's
 * own lookup (names), before it (literals, which need no lookup), and again on the connected
 * socket. A connection is not reused, so that a name cannot rebind in between. If the request
 * allows reuse, the checked connection may serve the next request to the same host for one second,
 * without a new lookup. TLS certificates are verified against the name. Redirects are returned, not
 * followed. Time, response size and decompressed size are limited, and the caller can abort. Plain
 * `http:` is allowed only to networks that the operator lists.
 */
import { lookup as systemLookup } from "node:dns";
import net, { type LookupFunction } from "node:net";
import tls, { createSecureContext, rootCertificates } from "node:tls";
import { type Clock, systemClock } from "../../core/clock.ts";
import { type AddressCheckResult, AddressRules } from "./address-rules.ts";
import { type AnswerHead, HttpConnection } from "./http-connection.ts";
import { KeptConnections } from "./kept-connections.ts";
import { asOutboundHttpError, OutboundHttpError } from "./outbound-http-error.ts";
import { decompress, tooLarge } from "./response-body.ts";

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
   * For many idempotent requests in a row to one host: an idle connection may be reused for one
   * second. If it turns out to be closed, the request is sent again on a new one.
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

/** The used part of `dns.lookup`. Tests pass their own resolver. */
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
/** Addresses per name; they are tried one after another. */
const ADDRESSES_MAX = 8;
const NO_BODY = Buffer.alloc(0);
/** RFC 9110, sections 5.1 and 5.5. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const NO_HEADER_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
/**
 * Responses whose status is known and whose body is still being read. Above this number the
 * connection is closed.
 */
const BODIES_DRAINING_MAX = 256;

const resolveBySystem: Resolve = (hostname, done) =>
  systemLookup(hostname, { all: true, verbatim: true }, (error, addresses) =>
    done(error, addresses ?? []),
  );

/** The server closed a kept connection, perhaps before the request arrived. Not exported. */
class KeptConnectionClosed extends Error {}

const abandoned = () => new OutboundHttpError("aborted", "the request was abandoned");

/** Parses a tenant's URL. Throws OutboundHttpError invalid_url. */
export function parseTenantUrl(text: string): URL {
  const invalidUrl = (message: string) => new OutboundHttpError("invalid_url", message);
  if (text.length > URL_LENGTH_MAX) throw invalidUrl("the URL is too long");
  const url = URL.parse(text);
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
  readonly #kept = new KeptConnections();
  /** Callbacks that an abort runs. Hundreds of requests share a signal, and its own listener list is slow. */
  readonly #stops = new WeakMap<AbortSignal, Set<() => void>>();
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
          const passed = addresses
            .filter(({ address }) => this.#rules.check(address).allowed)
            .slice(0, ADDRESSES_MAX);
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

  /** Connects, and checks the remote address before anything is sent. */
  #connect(url: URL): HttpConnection {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const isLiteral = url.hostname.startsWith("[") || /^[\d.]+$/.test(url.hostname);
    if (isLiteral) this.#requireAllowed(this.#rules.check(host), url);
    const isPlain = url.protocol === "http:";
    const port = Number(url.port) || (isPlain ? 80 : 443);
    const to = { host, port, lookup: this.#allowedLookup(url), noDelay: true };
    const named = isLiteral ? to : { ...to, servername: host };
    const socket = isPlain ? net.connect(to) : this.#connectSecurely(named);
    socket.once("connect", () => {
      if (!this.#rules.check(socket.remoteAddress ?? "").allowed)
        socket.destroy(new OutboundHttpError("blocked_address", "the address is not allowed"));
    });
    return new HttpConnection(socket, isPlain ? "connect" : "secureConnect");
  }

  #connectSecurely(to: tls.ConnectionOptions): tls.TLSSocket {
    const secureContext = this.#secureContext();
    return tls.connect({ ...to, secureContext, rejectUnauthorized: true });
  }

  /** Stops a request at its time limit, or when the caller aborts it. Returns a function that ends the watch. */
  #watch({ timeoutMs, signal }: OutboundHttpRequest, stop: (error: Error) => void): () => void {
    const onAbort = () => stop(abandoned());
    const timer = this.#clock.after(timeoutMs, () =>
      stop(new OutboundHttpError("timeout", `no answer within ${timeoutMs} ms`)),
    );
    const stops = signal && this.#stopsOf(signal);
    stops?.add(onAbort);
    return () => {
      timer.cancel();
      stops?.delete(onAbort);
    };
  }

  #stopsOf(signal: AbortSignal): Set<() => void> {
    const known = this.#stops.get(signal);
    if (known) return known;
    const stops = new Set<() => void>();
    const stopAll = () => {
      for (const stop of stops) stop();
    };
    signal.addEventListener("abort", stopAll, { once: true });
    this.#stops.set(signal, stops);
    return stops;
  }

  #exchange(request: OutboundHttpRequest, url: URL): Promise<OutboundHttpResponse> {
    const mayReuse = request.mayReuse === true && url.protocol === "https:";
    const bytes = bytesOf(request, url, mayReuse);
    const kept = mayReuse ? this.#kept.take(url.host) : null;
    const connection = kept ?? this.#connect(url);
    return new Promise((done, fail) => {
      let head: AnswerHead | null = null;
      const pieces: Buffer[] = [];
      let size = 0;
      let isDraining = false;
      const settle = () => {
        unwatch();
        if (isDraining) this.#bodiesDraining--;
      };
      const stop = (error?: Error) => {
        settle();
        connection.destroy();
        if (error) fail(error);
      };
      const unwatch = this.#watch(request, stop);
      connection.send(bytes, {
        head: (answered) => {
          head = answered;
          if (!request.statusOnly) return;
          done({ ...answered, body: NO_BODY });
          if (this.#bodiesDraining >= BODIES_DRAINING_MAX) return stop();
          isDraining = true;
          this.#bodiesDraining++;
        },
        body: (piece) => {
          size += piece.length;
          if (size > request.responseBytesMax)
            stop(request.statusOnly ? undefined : tooLarge(request.responseBytesMax));
          else if (!request.statusOnly) pieces.push(piece);
        },
        end: (mayGoOn) => {
          settle();
          if (mayReuse && mayGoOn) this.#kept.keep(url.host, connection);
          else connection.destroy();
          if (head && !request.statusOnly) done(whole(head, pieces, request.responseBytesMax));
        },
        fail: (error) =>
          stop(kept && !head ? new KeptConnectionClosed() : asOutboundHttpError(error)),
      });
    });
  }

  async request(request: OutboundHttpRequest) {
    const startedAt = this.#clock.monotonic();
    const url = parseTenantUrl(request.url);
    if (request.signal?.aborted) throw abandoned();
    try {
      return await this.#exchange(request, url).catch((error) => {
        if (!(error instanceof KeptConnectionClosed)) throw error;
        const timeoutMs = Math.max(1, request.timeoutMs - (this.#clock.monotonic() - startedAt));
        return this.#exchange({ ...request, mayReuse: false, timeoutMs }, url);
      });
    } catch (error) {
      throw asOutboundHttpError(error);
    }
  }
}

function bytesOf({ method, headers, body }: OutboundHttpRequest, url: URL, mayReuse: boolean) {
  const bodyBytes = Buffer.byteLength(body);
  const own: Record<string, string> = {
    Host: url.host,
    "Content-Length": String(bodyBytes),
    "Accept-Encoding": "identity",
    Connection: mayReuse ? "keep-alive" : "close",
  };
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries({ ...headers, ...own })) {
    if (!HEADER_NAME.test(name) || NO_HEADER_VALUE.test(value))
      throw new OutboundHttpError("bad_response", "a header cannot be sent");
    head += `${name}: ${value}\r\n`;
  }
  head += "\r\n";
  const bytes = Buffer.allocUnsafe(head.length + bodyBytes);
  bytes.write(head, "latin1");
  bytes.write(body, head.length);
  return bytes;
}

async function whole(
  head: AnswerHead,
  pieces: readonly Buffer[],
  bytesMax: number,
): Promise<OutboundHttpResponse> {
  const raw = Buffer.concat(pieces);
  return { ...head, body: await decompress(raw, head.headers["content-encoding"], bytesMax) };
}
