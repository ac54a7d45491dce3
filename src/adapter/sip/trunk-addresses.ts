/**
 * What the far end shall call us on one trunk: configured, learned from the registrar's answers or
 * by STUN, or our own address on the way there.
 */
import { isIP } from "node:net";
import type { Log } from "../../core/log.ts";
import type { LocalMedia } from "../../domain/call/sip-port.ts";
import type { SipResponse } from "./message/index.ts";
import type { Address, TransportName } from "./transport/flow.ts";
import { localAddressToward } from "./transport/udp.ts";

interface TrunkAddressesDeps {
  readonly log: Log;
  /** What the endpoint is bound to. */
  readonly local: Address;
  /** An IP address, or "auto". */
  readonly externalIp: string;
  /** What a STUN server said of our UDP socket; null: nobody asked one. */
  readonly mapped: () => Address | null;
  /** Where TLS connections are taken; null: nowhere. */
  readonly localTls: Address | null;
  /** Of the trunk's server, now. */
  readonly transport: () => TransportName;
}

export class TrunkAddresses {
  #localHost: string;
  /** Our address as the registrar saw it; null until told. */
  #learned: Address | null = null;
  /** The bound port, or our end of the trunk's connection. */
  #port: number;

  constructor(private readonly deps: TrunkAddressesDeps) {
    this.#localHost = deps.local.host;
    this.#port = deps.local.port;
  }

  /**
   * What the far end shall call us. Over a connection that is where connections are taken: its own port
   * leads nowhere once it has closed. Behind a NAT that nobody told us of, and over TLS without a
   * listener, its port is all there is.
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

  /** Null over UDP, whose port is one for all, and where nothing is listened for. */
  get #listeningPort(): number | null {
    const transport = this.deps.transport();
    if (transport === "TCP") return this.deps.local.port;
    return transport === "TLS" ? (this.deps.localTls?.port ?? null) : null;
  }

  get both(): { readonly advertised: Address; readonly local: Address } {
    return { advertised: this.public, local: this.local };
  }

  /** As seen from here, without what the far end said. */
  get local(): Address {
    return { host: this.#localHost, port: this.#port };
  }

  /** A request leaves for that address: which of ours is on the way there. */
  async toward(remote: Address): Promise<void> {
    const { local } = this.deps;
    const wildcard = local.host === "0.0.0.0" || local.host === "::";
    if (wildcard) this.#localHost = await localAddressToward(remote);
  }

  /** The trunk's connection stands, this is our end of it. */
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
   * RFC 3581: the registrar says in Via from where it got our REGISTER. True when that changed our
   * public address. `over`: a REGISTER too long for a datagram went over TCP, and the port of that
   * connection is not where we are called.
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

  /** Our address outside has changed: what the registrar said of the old one holds no more. */
  forget(): void {
    this.#learned = null;
  }

  /** The registrar's word counts more than a STUN server's: it is who must reach us. */
  get #seen(): Address | null {
    if (this.#learned) return this.#learned;
    const mapped = this.deps.transport() === "UDP" ? this.deps.mapped() : null;
    return mapped && isIP(mapped.host) === isIP(this.#localHost) ? mapped : null;
  }
}
