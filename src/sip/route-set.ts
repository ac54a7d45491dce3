/**
 * How a trunk's requests are sent, and with which address: routes (destination), transport binding,
 * addresses (our own), sender (failover to the next server). The trunk itself only writes requests
 * and reads responses.
 */

import type { ProbedServer, SipTransportName, TrunkSettings } from "../call/sip-port.ts";
import { type Clock, type Timer, within } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import { parseOwnMessage, plainHost, type SipRequest, type SipResponse } from "./message/index.ts";
import { hostForUri } from "./registration.ts";
import type { FailedTargets } from "./routing/failed-targets.ts";
import { LateResponse } from "./routing/late-response.ts";
import type { Target } from "./routing/locate.ts";
import type { Locator } from "./routing/locator.ts";
import { type Draft, RequestSender, type Route, type SendUser } from "./routing/sender.ts";
import type { ServiceRoute } from "./service-route.ts";
import type { TransactionLayer } from "./transaction/layer.ts";
import type { Address, Flow, StreamFlow, TransportName } from "./transport/flow.ts";
import type { Peer } from "./transport/stream.ts";
import { TransportBinding } from "./transport-binding.ts";
import { TrunkAddresses } from "./trunk-addresses.ts";
import { type Hop, TrunkRoutes, transportOf } from "./trunk-routes.ts";

export interface RouteSetDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly transactions: TransactionLayer;
  readonly locator: Locator;
  readonly failed: FailedTargets;
  /** True if a trunk may send to that address. */
  readonly mayReach: (host: string) => boolean;
  /** See TrunkRoutesDeps. */
  readonly isOpen: (host: string) => boolean;
  readonly local: Address;
  readonly localTls: Address | null;
  readonly externalIp: string;
  /** See TrunkAddressesDeps. */
  readonly mapped: () => Address | null;
  flowTo(remote: Address): Flow | undefined;
  connectionTo(peer: Peer): Promise<StreamFlow>;
  /** The registrar's route for our requests outside dialogs. */
  readonly serviceRoute: () => ServiceRoute;
  /** Called when the addresses of the trunk have changed. */
  readonly onAddresses: () => void;
  /** Called when a connection to the server is established again. */
  readonly onConnected: () => void;
  /** Called when the connection is lost and should be reopened. */
  readonly onLost: () => void;
  /** Called when our local address towards the server has changed. */
  readonly onMoved: () => void;
}

export interface Answered {
  readonly response: SipResponse;
  readonly flow: Flow;
}

/** How often the local address is checked. */
const LOCAL_PERIOD_MS = 30_000;

export class RouteSet {
  readonly addresses: TrunkAddresses;
  readonly #routes: TrunkRoutes;
  readonly #binding: TransportBinding;
  readonly #sender: RequestSender;
  /** The server that accepted our last REGISTER: calls go there too, while it works. */
  #preferred: Target | undefined;
  /** The server for which our local address was looked up. */
  #toward: string | undefined;
  #timer: Timer | undefined;
  #closed = false;

  /** Throws if the outbound proxy is not host[:port]. */
  constructor(
    private readonly settings: TrunkSettings,
    private readonly deps: RouteSetDeps,
  ) {
    const { clock, log, locator, mayReach, isOpen, local, externalIp, mapped } = deps;
    const onChange = deps.onAddresses;
    this.#routes = new TrunkRoutes(settings, { clock, log, locator, mayReach, isOpen, onChange });
    this.addresses = new TrunkAddresses({
      log,
      local,
      localTls: deps.localTls,
      externalIp,
      mapped,
      transport: () => this.transport,
    });
    this.#binding = new TransportBinding({
      clock,
      random: deps.random,
      flowTo: deps.flowTo,
      connectionTo: deps.connectionTo,
      onConnected: (own) => {
        this.addresses.connected(own);
        deps.onAddresses();
        deps.onConnected();
      },
      onLost: () => {
        deps.onAddresses();
        deps.onLost();
      },
    });
    this.#sender = new RequestSender(deps);
  }

  /** The server's transport, as far as known. */
  get transport(): TransportName {
    const stated = transportOf(this.settings);
    if (stated !== "AUTO") return stated;
    return (this.#preferred ?? this.#routes.first)?.transport ?? "UDP";
  }

  /** Source addresses of the trunk's peers: the servers', and our connection's. */
  get remotes(): readonly string[] {
    const connectedHost = this.#binding.connectedHost;
    const all = this.#routes.all;
    return connectedHost === null || all.includes(connectedHost) ? all : [...all, connectedHost];
  }

  /** True if the host is one of the trunk's servers, by name or address. */
  isOwn(host: string): boolean {
    const names = [this.#routes.place.host, plainHost(this.settings.server)];
    return names.includes(host) || this.remotes.includes(host);
  }

  /**
   * True for hosts that may challenge us for credentials: the trunk's servers and those in its
   * Service-Route.
   */
  mayChallenge(host: string): boolean {
    const isRouted = this.deps.serviceRoute().length > 0 && this.#routes.routed.includes(host);
    return isRouted || this.remotes.includes(host);
  }

  /** Reason for a missing response, as text for the user; null if unknown. */
  get problem(): string | null {
    return this.#routes.problem ?? this.#binding.problem;
  }

  /**
   * Resolves the servers. Returns when requests can be sent, or when it is known that they cannot.
   */
  async start(): Promise<void> {
    await this.#routes.refresh();
    const { first } = this.#routes;
    if (first) await this.#towards(first);
    if (this.#closed) return;
    this.#timer = this.deps.clock.every(LOCAL_PERIOD_MS, () => void this.#checkLocalAddress());
  }

  /** Sends a request of a dialog or a call to its destination. Never throws. */
  async send(message: SipRequest, draft: Draft, user: SendUser): Promise<void> {
    const followed = draft.method === "ACK" || draft.method === "CANCEL";
    if (followed && this.#sender.follow(draft, user)) return;
    try {
      const hop = await this.#routes.nextHop(message);
      this.#sender.send(draft, this.#routeOf(this.#preferredFirst(hop)), user);
    } catch (reason) {
      user.onFailure({ silent: false, reason });
    }
  }

  /**
   * Sends a request to the trunk's server outside any dialog, along its Service-Route unless it is
   * a REGISTER. `compose` gets its Via. Resolves with null if there is no response or no route.
   * Never rejects.
   */
  async ask(method: string, compose: (via: string) => string): Promise<Answered | null> {
    const registering = method === "REGISTER";
    const hop = await this.#initialHop(registering ? [] : this.deps.serviceRoute());
    if (!hop) return null;
    return await new Promise((resolve) => {
      this.#sendOutside(method, compose, registering ? hop : this.#preferredFirst(hop), {
        onResponse: (response, flow) => {
          if (response.statusCode < 200) return;
          if (registering) this.#settle(flow, hop);
          resolve({ response, flow });
        },
        onFailure: ({ reason }) => {
          if (reason) this.deps.log.warn("sip.unreachable", { error: describeError(reason) });
          resolve(null);
        },
      });
    });
  }

  /**
   * Sends an INVITE that must not become a call: it is cancelled when it rings and hung up when it
   * is answered. Resolves with null without a final response within `limitMs`. Never rejects.
   */
  async tryCall(compose: (via: string) => string, limitMs: number): Promise<Answered | null> {
    const hop = await this.#initialHop(this.deps.serviceRoute());
    if (!hop) return null;
    let sent: LateResponse | undefined;
    let trying: Flow | undefined;
    const composeAndKeep = (via: string) => {
      const text = compose(via);
      const message = parseOwnMessage(text);
      if (message.kind === "request") sent = new LateResponse(message, this.deps);
      return text;
    };
    const asked = new Promise<Answered | null>((resolve) => {
      this.#sendOutside("INVITE", composeAndKeep, this.#preferredFirst(hop), {
        onResponse: (response, flow) => {
          trying = flow;
          if (response.statusCode > 100) sent?.receive(response, flow);
          if (response.statusCode >= 200) resolve({ response, flow });
        },
        onFailure: () => resolve(null),
      });
    });
    const answered = await within(this.deps.clock, limitMs, asked);
    if (!answered && trying) sent?.cancel(trying);
    return answered;
  }

  /** Sends a request outside any dialog; `compose` gets its Via. */
  #sendOutside(method: string, compose: (via: string) => string, hop: Hop, user: SendUser): void {
    const branch = this.#newBranch();
    const draft: Draft = {
      method,
      branch,
      compose: (actual) => compose(this.#viaOf(actual.flow, actual.branch)),
    };
    this.#sender.send(draft, this.#routeOf(hop), user);
  }

  /** The servers from the last lookup, in the order in which they are tried. */
  get servers(): readonly ProbedServer[] {
    const { failed } = this.deps;
    return failed.order(this.#routes.targets).map((target) => ({
      ...target.remote,
      transport: target.transport.toLowerCase() as SipTransportName,
      failed: failed.has(target),
    }));
  }

  /** Reopens a lost connection to the server when no request does. Never rejects. */
  async reconnect(): Promise<void> {
    if (!this.#binding.isLost || this.#closed) return;
    const server = await this.#initialHop([]);
    const hop = server && this.#preferredFirst(server);
    const [target] = hop?.targets ?? [];
    if (!hop || !target) return;
    try {
      await this.#routeOf(hop).open(target);
    } catch (error) {
      this.deps.log.warn("sip.unreachable", { error: describeError(error) });
    }
  }

  /** Returns the open connection to the server if it answers no pings. */
  keepAlive(): StreamFlow | null {
    const target = this.#preferred ?? this.#routes.first;
    return target
      ? this.#binding.keepAlive(target.transport === "UDP" ? target.remote : null)
      : null;
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#routes.close();
    this.#binding.close();
  }

  async #initialHop([first]: ServiceRoute): Promise<Hop | undefined> {
    try {
      return await this.#routes.initialHop(first?.uri);
    } catch (error) {
      this.deps.log.warn("trunk.unresolved", { error: describeError(error) });
      return undefined;
    }
  }

  #routeOf(hop: Hop): Route {
    return {
      targets: hop.targets,
      open: async (target) => {
        if (hop.isServer) await this.#towards(target);
        return await this.#binding.open(target, hop);
      },
      openTcp: (target) => this.#binding.openTcp(target, hop),
    };
  }

  #preferredFirst(hop: Hop): Hop {
    const connectedHost =
      this.#preferred && hop.targets.find((target) => isSame(target, this.#preferred));
    if (!hop.isServer || !connectedHost) return hop;
    return {
      ...hop,
      targets: [connectedHost, ...hop.targets.filter((target) => target !== connectedHost)],
    };
  }

  #settle(flow: Flow, hop: Hop): void {
    const target = { transport: flow.transport, remote: flow.remote };
    this.#preferred = hop.targets.find((each) => isSame(each, target)) ?? this.#preferred;
  }

  async #towards({ remote }: Target): Promise<void> {
    if (this.#toward === remote.host) return;
    try {
      await this.addresses.toward(remote);
      this.#toward = remote.host;
    } catch (error) {
      // No route from here. Sending fails, and the operator sees that error.
      this.deps.log.warn("sip.no_route", { error: describeError(error) });
    }
  }

  /** The machine may have moved to another network. */
  async #checkLocalAddress(): Promise<void> {
    const target = this.#preferred ?? this.#routes.first;
    if (target?.transport !== "UDP") return;
    const before = this.addresses.local.host;
    try {
      await this.addresses.toward(target.remote);
    } catch {
      return;
    }
    if (this.#closed || this.addresses.local.host === before) return;
    this.addresses.forget();
    this.deps.onMoved();
  }

  #newBranch(): string {
    return `z9hG4bK${hex(this.deps.random.bytes(12))}`;
  }

  #viaOf(flow: Flow, branch: string): string {
    const { host, port } = this.addresses.public;
    return `SIP/2.0/${flow.transport} ${hostForUri(host)}:${port};rport;branch=${branch}`;
  }
}

const isSame = (one: Target, other: Target | undefined): boolean =>
  one.transport === other?.transport &&
  one.remote.host === other.remote.host &&
  one.remote.port === other.remote.port;
