/**
 * The destinations of a trunk's requests. The servers behind its name are looked up periodically.
 * The next hop of a request inside a dialog follows RFC 3261 8.1.2 and RFC 3263. All addresses
 * found belong to the trunk: the stack accepts calls from them.
 */
import { isIP } from "node:net";
import type { TrunkSettings } from "../call/sip-port.ts";
import type { Clock, Timer } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { parseNameAddr, plainHost, type SipRequest, tagOf, type Uri } from "./message/index.ts";
import { type Place, type Target, usualPort } from "./routing/locate.ts";
import { type Locator, WrongFamily } from "./routing/locator.ts";
import type { TransportName } from "./transport/flow.ts";
import { parseHostPort } from "./transport/host-port.ts";

interface TrunkRoutesDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly locator: Locator;
  /** True if a trunk may send to that address (decisions 12). */
  readonly mayReach: (host: string) => boolean;
  /** True for a public address, and for one in a network that the operator opened to trunks. */
  readonly isOpen: (host: string) => boolean;
  /** Called when `all` changes. */
  readonly onChange: () => void;
}

/** The destination of a request. */
export interface Hop {
  /** In order of preference; at least one. */
  readonly targets: readonly Target[];
  /**
   * The name that the certificate must contain: the domain, not the result of DNS (RFC 5922 7.1).
   */
  readonly serverName: string;
  /** True for the trunk's own server (or outbound proxy). */
  readonly isServer: boolean;
}

/** DNS results are cached for their TTL; this only checks whether they are still valid. */
const RESOLVE_PERIOD_MS = 60_000;
const RESOLVE_RETRY_MS = 15_000;
const ADDRESSES_MAX = 128;

export class TrunkRoutes {
  /** Destination of requests: the outbound proxy, otherwise the server. */
  readonly place: Place;
  #all: readonly string[] = [];
  /** Addresses of the trunk's server behind an outbound proxy. */
  #proxyHosts: readonly string[] = [];
  #targets: readonly Target[] = [];
  #problem: string | null = null;
  /** Addresses from the latest lookup of a Service-Route. */
  #routed: readonly string[] = [];
  #timer: Timer | undefined;
  #closed = false;

  /** Throws if the outbound proxy is not host[:port]. */
  constructor(
    private readonly settings: TrunkSettings,
    private readonly deps: TrunkRoutesDeps,
  ) {
    this.place = placeOf(settings);
  }

  /** Addresses that belong to the trunk: requests from them are its own. */
  get all(): readonly string[] {
    return this.#all;
  }

  /** The preferred server from the last lookup. */
  get first(): Target | undefined {
    return this.#targets[0];
  }

  /** All servers from the last lookup. */
  get targets(): readonly Target[] {
    return this.#targets;
  }

  /** The first hosts of the registrar's Service-Route. They may challenge us like the server. */
  get routed(): readonly string[] {
    return this.#routed;
  }

  /**
   * Reason if the server's name cannot be resolved, as text for the user. Null if it can, or was
   * not looked up.
   */
  get problem(): string | null {
    return this.#problem;
  }

  /** Looks the trunk up, now and periodically until `close`. Never rejects. */
  async refresh(): Promise<void> {
    let nextMs = RESOLVE_PERIOD_MS;
    try {
      await this.server();
      if (this.settings.server !== this.place.host) void this.#addServer();
    } catch (error) {
      // The previous result remains valid.
      nextMs = RESOLVE_RETRY_MS;
      this.deps.log.warn("trunk.unresolved", { error: describeError(error) });
    }
    if (this.#closed) return;
    this.#timer = this.deps.clock.after(nextMs, () => void this.refresh());
  }

  /** The trunk's own servers. Rejects if its name cannot be resolved. */
  async server(): Promise<Hop> {
    try {
      const targets = await this.#find(this.place);
      this.#problem = null;
      this.#targets = targets;
      if (!this.#closed) this.#admit(targets);
      return { targets, serverName: this.place.host, isServer: true };
    } catch (error) {
      this.#problem =
        error instanceof NotAllowed || error instanceof WrongFamily
          ? error.message
          : `The name ${this.place.host} does not resolve to a server. Check the spelling, and this machine's DNS.`;
      throw error;
    }
  }

  /**
   * The outbound proxy for everything. Otherwise, inside a dialog: Route, otherwise Request-URI. If
   * no trunk may use the host, or nothing leads to it, the request goes to the server.
   */
  async nextHop(request: SipRequest): Promise<Hop> {
    const route = parseNameAddr(request.headers.get("route") ?? "")?.uri;
    if (tagOf(request.to) === null) return await this.initialHop(route);
    return await this.#hopTo(route ?? request.uri);
  }

  /**
   * For a request outside any dialog, also a call to a SIP URI: the outbound proxy, otherwise
   * `route` (the first host of a Service-Route), otherwise the server. If no trunk may use the
   * host, or it cannot be resolved, the request goes to the server, which sees the host in Route.
   */
  async initialHop(route: Uri | undefined): Promise<Hop> {
    const hop = await this.#hopTo(route);
    if (!hop.isServer) this.#routed = hop.targets.map(({ remote }) => remote.host);
    return hop;
  }

  async #hopTo(uri: Uri | undefined): Promise<Hop> {
    const followed = this.settings.outboundProxy === null ? uri : undefined;
    const stated = followed && placeOfUri(followed, this.place.transport);
    if (!stated || this.#isServer(stated)) return await this.server();
    const found = await this.#find(stated).catch(() => []);
    const targets = found.filter(({ remote }) => this.#isReachable(remote.host));
    if (targets.length === 0) return await this.server();
    // An IP address of the server means the server, whose certificate contains the name.
    const serverName = this.#all.includes(stated.host) ? this.place.host : stated.host;
    return { targets, serverName, isServer: false };
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  /**
   * False for a private address in a message from a public server: it is behind a NAT, not in our
   * network.
   */
  #isReachable(host: string): boolean {
    const { isOpen } = this.deps;
    return isOpen(host) || !this.#all.every(isOpen);
  }

  /** Rejects with NotAllowed if no address may be used. */
  async #find(place: Place): Promise<readonly Target[]> {
    const targets = await this.deps.locator.find(place);
    const open = targets.filter(({ remote }) => this.deps.mayReach(remote.host));
    if (open.length === 0) throw new NotAllowed(place.host);
    return open;
  }

  #isServer({ host, port }: Place): boolean {
    const ours = this.place;
    const usual = ours.transport === "AUTO" ? 5060 : usualPort(ours.transport);
    return host === ours.host && (port ?? usual) === (ours.port ?? usual);
  }

  /**
   * Behind an outbound proxy the server's name need not resolve; if it does, its addresses are
   * trusted.
   */
  async #addServer(): Promise<void> {
    const { server, port } = this.settings;
    const place = { host: server, port: port === 0 ? null : port, transport: this.place.transport };
    try {
      const targets = await this.#find(place);
      if (this.#closed) return;
      this.#proxyHosts = targets.map(({ remote }) => remote.host);
      await this.server();
    } catch {
      return;
    }
  }

  #admit(targets: readonly Target[]): void {
    const hosts = targets.map(({ remote }) => remote.host);
    const all = [...new Set([...hosts, ...this.#proxyHosts])].slice(0, ADDRESSES_MAX).sort();
    if (all.join() === this.#all.join()) return;
    this.#all = all;
    this.deps.onChange();
  }
}

/** The same for every port: a tenant must not learn whether it is open, closed or filtered. */
class NotAllowed extends Error {
  override readonly name = "NotAllowed";
  constructor(host: string) {
    super(
      `Trunks cannot use the address of ${host}. For a server in your own network, ask the operator to add that network to [sip] allow_networks.`,
    );
  }
}

/** `AUTO` and port 0 of the settings mean: not given. */
function placeOf(settings: TrunkSettings): Place {
  const { outboundProxy, server, port } = settings;
  const transport = transportOf(settings);
  if (outboundProxy === null) {
    return { host: plainHost(server), port: port === 0 ? null : port, transport };
  }
  const proxy = parseHostPort(outboundProxy);
  if (!proxy) throw new Error("the outbound proxy is not host[:port]");
  return { ...proxy, transport };
}

export const transportOf = ({ transport }: Pick<TrunkSettings, "transport">) =>
  transport.toUpperCase() as TransportName | "AUTO";

/**
 * RFC 3263 4.1, with two additions: without an explicit transport the trunk's own is used, and a
 * TLS trunk always uses TLS.
 */
function placeOfUri(uri: Uri, own: Place["transport"]): Place | undefined {
  if (uri.scheme !== "sip" && uri.scheme !== "sips") return undefined;
  const host = plainHost(uri.host);
  const stated = uri.parameters.get("transport")?.toUpperCase();
  const named = stated === "UDP" || stated === "TCP" || stated === "TLS" ? stated : undefined;
  const secure = own === "TLS" || uri.scheme === "sips";
  const literal = own === "AUTO" && isIP(host) !== 0 ? "UDP" : own;
  return { host, port: uri.port, transport: secure ? "TLS" : (named ?? literal) };
}
