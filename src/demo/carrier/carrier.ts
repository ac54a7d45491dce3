/**
 * The demo's telephone carrier: a registrar and a stateless proxy with digest (RFC 3261 16.11) on
 * one UDP socket. Subscribers own telephone numbers; an INVITE to a number goes to the registered
 * contact of its owner. The proxy stays in the path of every dialog (Record-Route), so that a trunk
 * receives messages only from its carrier's address.
 *
 * Stateless: a repeated request gets the same branch; the endpoints handle loss. Rejections by the
 * carrier have a recognisable tag, so that their ACK can be dropped.
 */
import { createHash } from "node:crypto";
import { type Clock, sleep, systemClock } from "../../core/clock.ts";
import { silentLog } from "../../core/log.ts";
import { type Random, systemRandom } from "../../core/random.ts";
import {
  branchOf,
  buildResponse,
  Headers,
  parseMessage,
  parseNameAddr,
  parseVia,
  responseDestination,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  type SipUri,
  serialise,
  stamped,
  type Uri,
  userOf,
} from "../../sip/message/index.ts";
import type { Address } from "../../sip/transport/flow.ts";
import { openUdpTransport, type UdpTransport } from "../../sip/transport/udp.ts";
import { Registrar, type Subscriber } from "./registrar.ts";

interface CarrierOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port?: number;
  readonly domain: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Called for every message, e.g. to print or count it. */
  readonly onMessage?: (
    direction: "in" | "out",
    message: SipMessage | string,
    peer: Address,
  ) => void;
}

export interface Carrier {
  readonly address: Address;
  readonly domain: string;
  addSubscriber(subscriber: Subscriber & { readonly numbers: readonly string[] }): void;
  isRegistered(username: string): boolean;
  /** Resolves when a subscriber is registered; rejects after `timeoutMs`. */
  registered(username: string, timeoutMs: number): Promise<void>;
  close(): void;
}

const OWN_TAG = "carrier-";
const REGISTERED_POLL_MS = 20;

type HeaderFields = readonly (readonly [string, string])[];

export async function startCarrier(options: CarrierOptions): Promise<Carrier> {
  const carrier: StatelessProxy = new StatelessProxy(
    options,
    await openUdpTransport(
      { host: options.host, port: options.port ?? 0 },
      (bytes, { remote }) => carrier.receive(new TextDecoder().decode(bytes), remote),
      { clock: options.clock ?? systemClock, log: silentLog },
    ),
  );
  return carrier;
}

class StatelessProxy implements Carrier {
  readonly address: Address;
  readonly domain: string;
  readonly #registrar: Registrar;
  readonly #clock: Clock;
  /** Number → username. */
  readonly #owners = new Map<string, string>();

  constructor(
    private readonly options: CarrierOptions,
    private readonly transport: UdpTransport,
  ) {
    const { domain, clock = systemClock, random = systemRandom } = options;
    this.address = transport.local;
    this.domain = domain;
    this.#clock = clock;
    this.#registrar = new Registrar({ realm: domain, clock, random });
  }

  addSubscriber({ numbers, ...subscriber }: Parameters<Carrier["addSubscriber"]>[0]): void {
    this.#registrar.add(subscriber);
    for (const number of numbers) this.#owners.set(number, subscriber.username);
  }

  isRegistered(username: string): boolean {
    return this.#registrar.locate(username) !== null;
  }

  async registered(username: string, timeoutMs: number): Promise<void> {
    const deadline = this.#clock.monotonic() + timeoutMs;
    while (!this.isRegistered(username)) {
      if (this.#clock.monotonic() > deadline)
        throw new Error(`${username} did not register within ${timeoutMs} ms`);
      await sleep(this.#clock, REGISTERED_POLL_MS);
    }
  }

  close(): void {
    void this.transport.close();
  }

  receive(text: string, source: Address): void {
    const message = parseMessage(text);
    if (message.kind === "failure") return;
    this.options.onMessage?.("in", message, source);
    if (message.kind === "response") this.#forwardResponse(message);
    else this.#receiveRequest(stamped(message, source));
  }

  #send(text: string, peer: Address): void {
    this.options.onMessage?.("out", text, peer);
    this.transport.flowTo(peer).send(text);
  }

  #receiveRequest(request: SipRequest): void {
    if (request.method === "ACK" && isOurRejection(request)) return;
    if (Number(request.headers.get("max-forwards") ?? 70) <= 0) this.#reply(request, 483);
    else if (request.method === "REGISTER") this.#register(request);
    else if (belongsToDialog(request)) this.#forwardInDialog(request);
    else if (request.method === "OPTIONS" && userOf(request.uri) === null)
      this.#reply(request, 200);
    else this.#routeNew(request);
  }

  #register(request: SipRequest): void {
    const { result, username } = this.#registrar.verify(request, "authorization");
    if (result !== "accepted" || username === null)
      this.#challenge(request, 401, "www-authenticate", result === "stale");
    else if (userOf(request.to.uri) !== username) this.#reply(request, 403);
    else {
      const binding = this.#registrar.save(username, request);
      const headers = binding
        ? ([["contact", withExpires(binding.contact, binding.expiresSeconds)]] as const)
        : [];
      this.#reply(request, 200, headers);
    }
  }

  /** Forwards a request outside a dialog from an authenticated subscriber to a registered one. */
  #routeNew(request: SipRequest): void {
    if (request.method !== "CANCEL" && request.method !== "ACK") {
      const { result } = this.#registrar.verify(request, "proxy-authorization");
      if (result !== "accepted") {
        this.#challenge(request, 407, "proxy-authenticate", result === "stale");
        return;
      }
    }
    const number = userOf(request.uri);
    const owner = number === null ? undefined : this.#owners.get(number);
    const contact = owner === undefined ? null : this.#registrar.locate(owner);
    if (contact) this.#forward(request, contact, addressOf(contact));
    else this.#reply(request, owner === undefined ? 404 : 480);
  }

  /**
   * Loose routing (16.12): the topmost Route is ours; forwards to the next one, or to the target.
   */
  #forwardInDialog(request: SipRequest): void {
    const [, ...rest] = request.headers.all("route");
    const next = rest[0] === undefined ? request.uri : parseNameAddr(rest[0])?.uri;
    const destination = next && addressOf(next);
    if (destination) this.#forward(request, request.uri, destination, rest);
    else if (request.method !== "ACK") this.#reply(request, 404);
  }

  #forward(
    request: SipRequest,
    uri: Uri,
    destination: Address | null,
    routes: readonly string[] = [],
  ): void {
    if (!destination) {
      this.#reply(request, 480);
      return;
    }
    const { host, port } = this.address;
    const via = `SIP/2.0/UDP ${host}:${port};branch=${statelessBranch(request)}`;
    const headers = Headers.from([["via", via]]);
    for (const [name, value] of request.headers) {
      if (name === "proxy-authorization" || name === "route") continue;
      const hops = name === "max-forwards" ? String(Number(value) - 1) : value;
      headers.append(name, hops);
    }
    for (const route of routes) headers.append("route", route);
    if (request.method === "INVITE") headers.append("record-route", `<sip:${host}:${port};lr>`);
    this.#send(serialise({ ...request, uri, headers }), destination);
  }

  /** The topmost Via is ours: removes it and forwards to the next one. */
  #forwardResponse(response: SipResponse): void {
    const [, ...below] = response.headers.all("via");
    const next = below[0] === undefined ? undefined : parseVia(below[0]);
    if (!next) return;
    const rest = [...response.headers].filter(([name]) => name !== "via");
    const headers = Headers.from([...below.map((via) => ["via", via] as const), ...rest]);
    this.#send(serialise({ ...response, headers }), responseDestination(next));
  }

  #challenge(request: SipRequest, code: 401 | 407, header: string, stale: boolean): void {
    const challenges = this.#registrar.challenges(stale);
    this.#reply(
      request,
      code,
      challenges.map((value) => [header, value] as const),
    );
  }

  #reply(request: SipRequest, statusCode: number, headers: HeaderFields = []): void {
    if (request.method === "ACK") return;
    const toTag = OWN_TAG + statelessBranch(request).slice(-12);
    const response = buildResponse(request, { statusCode, toTag, headers });
    this.#send(response, responseDestination(request.via));
  }
}

/** The ACK of a rejection also has a To tag, but no Route: it follows its INVITE (17.1.1.3). */
const belongsToDialog = (request: SipRequest): boolean =>
  request.to.parameters.has("tag") && (request.method !== "ACK" || request.headers.has("route"));

const isOurRejection = (request: SipRequest): boolean =>
  request.to.parameters.get("tag")?.startsWith(OWN_TAG) ?? false;

function withExpires(contact: string, expiresSeconds: number): string {
  return `${contact.replace(/;\s*expires=\d+/i, "")};expires=${expiresSeconds}`;
}

/** Addresses must be literal: this carrier resolves no names. */
function addressOf(uri: Uri): Address | null {
  if (uri.scheme !== "sip" || !/^[\d.]+$/.test(uri.host)) return null;
  return { host: uri.host, port: (uri as SipUri).port ?? 5060 };
}

/**
 * RFC 3261 16.11: a repetition must get the same branch; CANCEL and the ACK of a rejection get the
 * branch of their INVITE, since all have the same received branch.
 */
function statelessBranch(request: SipRequest): string {
  const seed = `${branchOf(request.via)}|${request.callId}|${request.cseq.number}`;
  return `z9hG4bK${createHash("sha256").update(seed).digest("hex").slice(0, 24)}`;
}
