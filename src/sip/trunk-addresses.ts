/**
 * The addresses of one trunk: where its server is (looked up again every five minutes), and what
 * the far end shall call us (configured, learned from the registrar, or local).
 */
import { isIP } from "node:net";
import type { Clock, Timer } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { parseNameAddr, type SipRequest, type SipResponse } from "./message/index.ts";
import type { LocalMedia, TrunkSettings } from "./ports.ts";
import type { Address } from "./transport/flow.ts";
import { parseHostPort, type Resolve } from "./transport/resolver.ts";
import { localAddressToward } from "./transport/udp.ts";

export interface TrunkAddressesDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly resolve: Resolve;
  /** What the endpoint is bound to. */
  readonly local: Address;
  /** An IP address, or "auto". */
  readonly externalIp: string;
  /** `all` changed. */
  readonly onChange: () => void;
}

/** Where a request goes. */
export interface Hop {
  /** In order of preference; at least one. */
  readonly remotes: readonly Address[];
  /** Whom a certificate must name there. */
  readonly serverName: string;
  /** It is the trunk's own server (or outbound proxy). */
  readonly isServer: boolean;
}

const RESOLVE_PERIOD_MS = 300_000;
const RESOLVE_RETRY_MS = 15_000;

export class TrunkAddresses {
  /** Where requests go: the outbound proxy, else the server. A name or an address. */
  readonly target: Address;
  #all: readonly string[] = [];
  #localHost: string;
  /** Our address as the registrar saw it; null until told. */
  #learned: Address | null = null;
  /** Where the far end reaches us: the bound port, or our end of the trunk's connection. */
  #port: number;
  #timer: Timer | undefined;
  #closed = false;

  /** Throws when the outbound proxy is not host[:port]. */
  constructor(
    private readonly settings: TrunkSettings,
    private readonly deps: TrunkAddressesDeps,
  ) {
    this.target = targetOf(settings);
    this.#localHost = deps.local.host;
    this.#port = deps.local.port;
  }

  /** Addresses that belong to the trunk: requests from there are its own. */
  get all(): readonly string[] {
    return this.#all;
  }

  /** What the far end shall call us. */
  get public(): Address {
    const { externalIp } = this.deps;
    if (externalIp === "auto") return this.#learned ?? { host: this.#localHost, port: this.#port };
    // Only over TLS nobody can connect to us: the port of our connection is all there is.
    const learned = this.settings.transport === "tls" ? this.#learned?.port : undefined;
    return { host: externalIp, port: learned ?? this.#port };
  }

  /** As seen from here, without what the far end said. */
  get local(): Address {
    return { host: this.#localHost, port: this.#port };
  }

  /**
   * The trunk's connection stands, this is our end of it. A registrar reaches us over it; peers
   * without registration open their own TCP connections, to the bound port.
   */
  connected(local: Address): void {
    const { transport, register } = this.settings;
    this.#localHost = local.host;
    this.#learned = null;
    const reachable = transport === "tcp" && (!register || this.deps.externalIp !== "auto");
    this.#port = reachable ? this.deps.local.port : local.port;
  }

  /** The address to write into SDP for a local RTP socket. */
  advertise(media: LocalMedia): LocalMedia {
    const { externalIp } = this.deps;
    if (externalIp !== "auto") return { host: externalIp, port: media.port };
    const seen = this.#learned?.host ?? this.#localHost;
    const unspecified = media.host === "0.0.0.0" || media.host === "::";
    return seen !== this.#localHost || unspecified ? { host: seen, port: media.port } : media;
  }

  /**
   * RFC 3581: the registrar says in Via from where it got our REGISTER. True when that changed our
   * public address.
   */
  learn(response: SipResponse): boolean {
    const { parameters } = response.via;
    const received = parameters.get("received") ?? "";
    const host = isIP(received) === 0 ? this.#localHost : received;
    const rport = Number(parameters.get("rport") ?? Number.NaN);
    const before = this.public;
    this.#learned = { host, port: rport >= 1 && rport <= 65535 ? rport : this.#port };
    const now = this.public;
    if (now.host === before.host && now.port === before.port) return false;
    this.deps.log.info("public_address_learned", { host: now.host, port: now.port });
    return true;
  }

  /** Looks the trunk up, and again from time to time until `close`. Never rejects. */
  async refresh(): Promise<void> {
    let nextMs = RESOLVE_PERIOD_MS;
    try {
      const found = await this.deps.resolve(this.target.host);
      const [first] = found;
      if (first === undefined) throw new Error("no address");
      this.#localHost = await this.#localToward(first);
      this.#change(found);
      if (this.settings.server !== this.target.host) void this.#addServer(found);
    } catch (error) {
      // What was found earlier stands.
      nextMs = RESOLVE_RETRY_MS;
      this.deps.log.warn("trunk_unresolved", { error: describeError(error) });
    }
    if (this.#closed) return;
    this.#timer = this.deps.clock.after(nextMs, () => void this.refresh());
  }

  /** The trunk's own server, looked up now. Rejects when it has no address. */
  async server(): Promise<Hop> {
    return { ...(await this.#hop(this.target)), isServer: true };
  }

  /** Next hop (RFC 3261 8.1.2): the outbound proxy for everything, else Route, else Request-URI. */
  async nextHop(request: SipRequest): Promise<Hop> {
    const stated =
      this.settings.outboundProxy === null
        ? statedNextHop(request, defaultPortOf(this.settings))
        : undefined;
    if (!stated || (stated.host === this.target.host && stated.port === this.target.port)) {
      return this.server();
    }
    return await this.#hop(stated);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  async #hop({ host, port }: Address): Promise<Hop> {
    const hosts = await this.deps.resolve(host);
    if (hosts.length === 0) throw new Error(`no address for ${host}`);
    // A literal address of the server is the server: its certificate carries the name.
    const serverName = this.#all.includes(host) ? this.target.host : host;
    return { remotes: hosts.map((each) => ({ host: each, port })), serverName, isServer: false };
  }

  /** Behind an outbound proxy the server's name need not resolve; where it does, it is trusted. */
  async #addServer(found: readonly string[]): Promise<void> {
    try {
      const servers = await this.deps.resolve(this.settings.server);
      if (!this.#closed) this.#change([...found, ...servers]);
    } catch {
      return;
    }
  }

  #change(addresses: readonly string[]): void {
    this.#all = [...new Set(addresses)];
    this.deps.onChange();
  }

  async #localToward(host: string): Promise<string> {
    const { local } = this.deps;
    if (local.host !== "0.0.0.0" && local.host !== "::") return local.host;
    return localAddressToward({ host, port: this.target.port });
  }
}

export const defaultPortOf = ({ transport }: Pick<TrunkSettings, "transport">): number =>
  transport === "tls" ? 5061 : 5060;

function targetOf(settings: TrunkSettings): Address {
  const { outboundProxy, server, port } = settings;
  if (outboundProxy === null) return { host: server, port };
  const proxy = parseHostPort(outboundProxy, defaultPortOf(settings));
  if (!proxy) throw new Error("the outbound proxy is not host[:port]");
  return proxy;
}

/** Host and port of the top Route, or of the Request-URI. */
function statedNextHop(request: SipRequest, defaultPort: number): Address | undefined {
  const route = parseNameAddr(request.headers.get("route") ?? "")?.uri;
  const uri = route ?? request.uri;
  if (uri.scheme !== "sip" && uri.scheme !== "sips") return undefined;
  const port = uri.port ?? (uri.scheme === "sips" ? 5061 : defaultPort);
  return { host: uri.host.replace(/^\[|\]$/g, ""), port };
}
