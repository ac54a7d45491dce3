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
} from "../../adapter/sip/message/index.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { type Random, systemRandom } from "../../core/random.ts";
import { type Address, sendDatagram } from "../phone/datagram.ts";
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

export async function startCarrier(options: CarrierOptions): Promise<Carrier> {
  const clock = options.clock ?? systemClock;
  const registrar = new Registrar({
    realm: options.domain,
    clock,
    random: options.random ?? systemRandom,
  });
  /** Number → username. */
  const owners = new Map<string, string>();
  const socket = await Bun.udpSocket({
    hostname: options.host,
    port: options.port ?? 0,
    socket: {
      data: (_socket, datagram, port, host) => receive(datagram.toString("utf8"), { host, port }),
      error: () => {},
    },
  });
  const address: Address = { host: options.host, port: socket.port };
  const recordRoute = `<sip:${address.host}:${address.port};lr>`;

  function send(text: string, peer: Address): void {
    options.onMessage?.("out", text, peer);
    sendDatagram(socket, text, peer);
  }

  function receive(text: string, source: Address): void {
    const message = parseMessage(text);
    if (message.kind === "failure") return;
    options.onMessage?.("in", message, source);
    if (message.kind === "response") forwardResponse(message);
    else receiveRequest(stamped(message, source));
  }

  function receiveRequest(request: SipRequest): void {
    if (request.method === "ACK" && isOurRejection(request)) return;
    if (Number(request.headers.get("max-forwards") ?? 70) <= 0) reply(request, 483);
    else if (request.method === "REGISTER") register(request);
    else if (belongsToDialog(request)) forwardInDialog(request);
    else if (request.method === "OPTIONS" && userOf(request.uri) === null) reply(request, 200);
    else routeNew(request);
  }

  /** The ACK of a rejection also has a To tag, but no Route: it follows its INVITE (17.1.1.3). */
  const belongsToDialog = (request: SipRequest) =>
    request.to.parameters.has("tag") && (request.method !== "ACK" || request.headers.has("route"));

  const isOurRejection = (request: SipRequest) =>
    request.to.parameters.get("tag")?.startsWith(OWN_TAG) ?? false;

  function register(request: SipRequest): void {
    const { result, username } = registrar.verify(request, "authorization");
    if (result !== "accepted" || username === null)
      challenge(request, 401, "www-authenticate", result === "stale");
    else if (userOf(request.to.uri) !== username) reply(request, 403);
    else {
      const binding = registrar.save(username, request);
      const headers = binding
        ? ([["contact", withExpires(binding.contact, binding.expiresSeconds)]] as const)
        : [];
      reply(request, 200, headers);
    }
  }

  /** Forwards a request outside a dialog from an authenticated subscriber to a registered one. */
  function routeNew(request: SipRequest): void {
    if (request.method !== "CANCEL" && request.method !== "ACK") {
      const { result } = registrar.verify(request, "proxy-authorization");
      if (result !== "accepted") {
        challenge(request, 407, "proxy-authenticate", result === "stale");
        return;
      }
    }
    const number = userOf(request.uri);
    const owner = number === null ? undefined : owners.get(number);
    const contact = owner === undefined ? null : registrar.locate(owner);
    if (contact) forward(request, contact, addressOf(contact));
    else reply(request, owner === undefined ? 404 : 480);
  }

  /**
   * Loose routing (16.12): the topmost Route is ours; forwards to the next one, or to the target.
   */
  function forwardInDialog(request: SipRequest): void {
    const [, ...rest] = request.headers.all("route");
    const next = rest[0] === undefined ? request.uri : parseNameAddr(rest[0])?.uri;
    const destination = next && addressOf(next);
    if (destination) forward(request, request.uri, destination, rest);
    else if (request.method !== "ACK") reply(request, 404);
  }

  function forward(
    request: SipRequest,
    uri: Uri,
    destination: Address | null,
    routes: readonly string[] = [],
  ): void {
    if (!destination) {
      reply(request, 480);
      return;
    }
    const via = `SIP/2.0/UDP ${address.host}:${address.port};branch=${statelessBranch(request)}`;
    const headers = Headers.from([["via", via]]);
    for (const [name, value] of request.headers) {
      if (name === "proxy-authorization" || name === "route") continue;
      const hops = name === "max-forwards" ? String(Number(value) - 1) : value;
      headers.append(name, hops);
    }
    for (const route of routes) headers.append("route", route);
    if (request.method === "INVITE") headers.append("record-route", recordRoute);
    send(serialise({ ...request, uri, headers }), destination);
  }

  /** The topmost Via is ours: removes it and forwards to the next one. */
  function forwardResponse(response: SipResponse): void {
    const [, ...below] = response.headers.all("via");
    const next = below[0] === undefined ? undefined : parseVia(below[0]);
    if (!next) return;
    const rest = [...response.headers].filter(([name]) => name !== "via");
    const headers = Headers.from([...below.map((via) => ["via", via] as const), ...rest]);
    send(serialise({ ...response, headers }), responseDestination(next));
  }

  function challenge(request: SipRequest, code: 401 | 407, header: string, stale: boolean): void {
    if (request.method === "ACK") return;
    reply(
      request,
      code,
      registrar.challenges(stale).map((value) => [header, value] as const),
    );
  }

  function reply(
    request: SipRequest,
    statusCode: number,
    headers: readonly (readonly [string, string])[] = [],
  ): void {
    if (request.method === "ACK") return;
    const toTag = OWN_TAG + statelessBranch(request).slice(-12);
    send(buildResponse(request, { statusCode, toTag, headers }), responseDestination(request.via));
  }

  const isRegistered = (username: string) => registrar.locate(username) !== null;

  return {
    address,
    domain: options.domain,
    addSubscriber({ numbers, ...subscriber }) {
      registrar.add(subscriber);
      for (const number of numbers) owners.set(number, subscriber.username);
    },
    isRegistered,
    registered: (username, timeoutMs) =>
      new Promise((resolve, reject) => {
        const deadline = clock.monotonic() + timeoutMs;
        const look = () => {
          if (isRegistered(username)) resolve();
          else if (clock.monotonic() > deadline)
            reject(new Error(`${username} did not register within ${timeoutMs} ms`));
          else clock.after(REGISTERED_POLL_MS, look);
        };
        look();
      }),
    close: () => socket.close(),
  };
}

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
