/**
 * Our address on one trunk for the remote party: configured, from the registrar's responses or
 * STUN, or our local address.
 */
import { isIP } from "node:net";
import type { LocalMedia } from "../call/sip-port.ts";
import type { Log } from "../core/log.ts";
import type { SipResponse } from "./message/index.ts";
import type { Address, TransportName } from "./transport/flow.ts";
import { localAddressToward } from "./transport/udp.ts";

interface TrunkAddressesDeps {
  readonly log: Log;
  /** The address that the endpoint is bound to. */
  readonly local: Address;
  /** An IP address, or "auto". */
  readonly externalIp: string;
  /** Our UDP socket's address according to a STUN server; null if unknown. */
  readonly mapped: () => Address | null;
  /** The address for incoming TLS connections, or null. */
  readonly localTls: Address | null;
  /** The current transport of the trunk's server. */
  readonly transport: () => TransportName;
}

export class TrunkAddresses {
  #localHost: string;
  /** Our address as the registrar saw it; null until known. */
  #learned: Address | null = null;
  /** The bound port, or our port of the trunk's connection. */
  #port: number;

  constructor(private readonly deps: TrunkAddressesDeps) {
    this.#localHost = deps.local.host;
    this.#port = deps.local.port;
  }

  /**
   * Our address for the remote party. With connections it is the listening address: the
   * connection's own port is useless after it has closed. Behind an unknown NAT, and over TLS
   * without a listener, only that port is available.
   */
  get public(): Address {
    const { externalIp } = this.deps;
    const listening = this.#listeningPort;
    if (externalIp !== "auto")
      return { host: externalIp, port: listening ?? this.#learned?.port ?? this.#port };
    const seen = this.#seen ?? { host: this.#localHost, port: this.#port };
    const isReachable = listening !== null && seen.host === this.#localHost;
    return isReachable ? { host: seen.host, port: listening } : seen;
  }

  /** Null without a listener, and over UDP, which has one port for everything. */
  get #listeningPort(): number | null {
    const transport = this.deps.transport();
    if (transport === "TCP") return this.deps.local.port;
    return transport === "TLS" ? (this.deps.localTls?.port ?? null) : null;
  }

  get both(): { readonly advertised: Address; readonly local: Address } {
    return { advertised: this.public, local: this.local };
  }

  /** Our local address, without what the remote party reported. */
  get local(): Address {
    return { host: this.#localHost, port: this.#port };
  }

  /** Before a request to that address: determines the local address towards it. */
  async toward(remote: Address): Promise<void> {
    const { local } = this.deps;
    const wildcard = local.host === "0.0.0.0" || local.host === "::";
    if (wildcard) this.#localHost = await localAddressToward(remote);
  }

  /** The trunk's connection is established with this local address. */
  connected(local: Address): void {
    this.#localHost = local.host;
    this.#learned = null;
    this.#port = local.port;
  }

  /** The address to write into SDP for a local RTP socket. */
  advertise(media: LocalMedia): LocalMedia {
    const { externalIp } = this.deps;
    if (externalIp !== "auto") return { host: externalIp, port: media.port };
    const seen = this.#seen?.host ?? this.#localHost;
    const unspecified = media.host === "0.0.0.0" || media.host === "::";
    return seen !== this.#localHost || unspecified ? { host: seen, port: media.port } : media;
  }

  /**
   * RFC 3581: the registrar's Via shows the source of our REGISTER. Returns true if that changed
   * our public address. `over`: transport of the REGISTER. One too long for a datagram used TCP,
   * and the port of that connection is not our listening port.
   */
  learn(response: SipResponse, over: TransportName): boolean {
    const { parameters } = response.via;
    const received = parameters.get("received") ?? "";
    const host = isIP(received) === 0 ? this.#localHost : received;
    const isOurs = over === this.deps.transport();
    const rport = isOurs ? Number(parameters.get("rport") ?? Number.NaN) : Number.NaN;
    const before = this.public;
    const otherwise = isOurs ? this.#port : before.port;
    this.#learned = { host, port: rport >= 1 && rport <= 65535 ? rport : otherwise };
    const now = this.public;
    if (now.host === before.host && now.port === before.port) return false;
    this.deps.log.info("public_address.learned", { host: now.host, port: now.port });
    return true;
  }

  /** Our public address has changed: the registrar's earlier report is no longer valid. */
  forget(): void {
    this.#learned = null;
  }

  /**
   * The registrar's report takes precedence over a STUN server's, because the registrar must reach
   * us.
   */
  get #seen(): Address | null {
    if (this.#learned) return this.#learned;
    const mapped = this.deps.transport() === "UDP" ? this.deps.mapped() : null;
    return mapped && isIP(mapped.host) === isIP(this.#localHost) ? mapped : null;
  }
}
