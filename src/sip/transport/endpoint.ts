/**
 * The network boundary: bytes in, parsed messages out. Rejected input (too big, too fast, not SIP)
 * is dropped without a response, so that a scanner learns nothing. An unknown source's connection
 * is closed if it sends too fast. The layers above only see messages that our parser has accepted.
 */

import type { Clock } from "../../core/clock.ts";
import { listenError } from "../../core/listen-error.ts";
import type { Log } from "../../core/log.ts";
import { pii } from "../../core/log.ts";
import {
  MESSAGE_BYTES_MAX,
  type ParseFailure,
  parseMessage,
  rejectMalformed,
  type SipMessage,
} from "../message/index.ts";
import { isStun } from "../nat/stun.ts";
import { BanList } from "./ban-list.ts";
import { type Address, type Flow, isStream, type StreamFlow } from "./flow.ts";
import { InboundQueue } from "./inbound-queue.ts";
import { RateLimit } from "./rate-limit.ts";
import { type Peer, StreamTransport, type TlsListener } from "./stream.ts";
import { openUdpTransport, type UdpTransport } from "./udp.ts";

interface EndpointOptions {
  /** UDP and TCP. Port 0: any free port for both. */
  readonly bind: Address;
  /** Address and certificate for incoming TLS, or null. */
  readonly tls: TlsListener | null;
  /** PEM of the only certificate authorities for outgoing TLS; null for the public ones. */
  readonly tlsCa: string | null;
  /** Logs every message at debug level. */
  readonly trace: boolean;
  /** Called for every message except those of unknown sources; null if not needed. */
  readonly seen: ((direction: "in" | "out", message: string) => void) | null;
  readonly clock: Clock;
  readonly log: Log;
  /** True for sources that belong to a trunk: they are never limited. */
  readonly isTrusted: (host: string) => boolean;
  readonly onMessage: (message: SipMessage, flow: Flow) => void;
  /** Called for STUN datagrams. */
  readonly onStun: (bytes: Uint8Array, source: Address) => void;
}

/** Limit for unknown sources; a carrier's addresses are trusted and not counted. */
const UNKNOWN_SOURCE_LIMIT = { tokensPerSecond: 20, burst: 60, sourcesMax: 4096 };
/** Cost of invalid data, so that a source that sends mostly that is soon ignored. */
const JUNK_TOKENS = 5;
const SHORTEST_MESSAGE_BYTES = 24;
/** Attempts to find a free port for UDP and TCP. */
const PORT_TRIES = 10;

export class Endpoint {
  #keepAlives = 0;
  readonly #streams: StreamTransport;
  #udp: UdpTransport | undefined;
  readonly #limit: RateLimit;
  readonly #bans: BanList;
  readonly #intake: InboundQueue;
  readonly #decoder = new TextDecoder("utf-8");

  private constructor(private readonly options: EndpointOptions) {
    const { clock, log, bind, tlsCa } = options;
    this.#limit = new RateLimit(clock, UNKNOWN_SOURCE_LIMIT);
    this.#bans = new BanList(clock);
    this.#intake = new InboundQueue(clock);
    this.#streams = new StreamTransport({
      clock,
      log,
      tlsCa,
      localHost: bind.host,
      isTrusted: options.isTrusted,
      isBanned: (host) => this.#bans.isBanned(host),
      turn: (host) => this.#intake.turn(this.#lineOf(host)),
      onMessage: (bytes, flow) => this.#receive(bytes, flow),
      onKeepAlive: () => this.#keepAlives++,
      onSent: (message, flow) => this.#note(flow, message),
    });
  }

  /**
   * Throws AppError `unavailable` if the address cannot be bound for UDP and TCP, or the TLS
   * address for TLS. Otherwise a connecting carrier could find another program there. The caller
   * must close it.
   */
  static async open(options: EndpointOptions): Promise<Endpoint> {
    const endpoint = new Endpoint(options);
    try {
      await endpoint.#open();
      return endpoint;
    } catch (error) {
      await endpoint.close();
      throw error;
    }
  }

  get keepAlives(): number {
    return this.#keepAlives;
  }

  get local(): Address {
    if (!this.#udp) throw new Error("the endpoint is closed");
    return this.#udp.local;
  }

  /** The address for incoming TLS, or null. */
  get localTls(): Address | null {
    return this.#streams.localTls;
  }

  /** Applies to new TLS connections; open ones are unaffected. */
  renewCertificate(pair: Pick<TlsListener, "cert" | "key">): void {
    this.#streams.renewCertificate(pair);
  }

  sendBytes(bytes: Uint8Array, remote: Address): void {
    this.#udp?.sendBytes(bytes, remote);
  }

  /** The UDP flow to that address. Undefined if closed. */
  flowTo(remote: Address): Flow | undefined {
    const flow = this.#udp?.flowTo(remote);
    return flow && this.#isWatched ? this.#traced(flow) : flow;
  }

  /** The open connection to that peer, or a new one. Rejects with ConnectFailed. */
  connectionTo(peer: Peer): Promise<StreamFlow> {
    return this.#streams.connectionTo(peer);
  }

  async close(): Promise<void> {
    const udp = this.#udp;
    this.#udp = undefined;
    this.#intake.close();
    await Promise.all([udp?.close(), this.#streams.close()]);
  }

  async #open(): Promise<void> {
    const { bind, clock, log, tls } = this.options;
    // Configured TLS must work or fail: it is never skipped silently.
    if (tls)
      await this.#streams.listenTls(tls).catch((error) => {
        throw listenError("SIP over TLS", tls.bind, "[sip] tls_bind", error);
      });
    const onBytes = (bytes: Uint8Array, flow: Flow) => this.#receive(bytes, flow);
    for (let attempt = 1; ; attempt++) {
      const udp = await openUdpTransport(bind, onBytes, { clock, log }).catch((error) => {
        throw listenError("SIP over UDP", bind, "[sip] bind", error);
      });
      this.#udp = udp;
      try {
        await this.#streams.listen(udp.local);
        return;
      } catch (error) {
        if (bind.port !== 0 || attempt === PORT_TRIES)
          throw listenError("SIP over TCP", udp.local, "[sip] bind", error);
        await udp.close();
      }
    }
  }

  #receive(bytes: Uint8Array, flow: Flow): void {
    if (isKeepAlive(bytes)) {
      this.#keepAlives++;
      return;
    }
    if (!flow.reliable && isStun(bytes)) {
      this.options.onStun(bytes, flow.remote);
      return;
    }
    const source = flow.remote.host;
    const trusted = this.options.isTrusted(source);
    if (!trusted && (this.#bans.isBanned(source) || !this.#limit.take(source))) {
      // If the peer sends as fast as it can, reading on would use a whole core.
      if (isStream(flow)) flow.drop();
      return;
    }
    const { byteLength } = bytes;
    if (byteLength > MESSAGE_BYTES_MAX) return;
    if (flow.reliable) this.#handle(bytes, flow, trusted);
    else
      this.#intake.add(this.#lineOf(source), byteLength, () => this.#handle(bytes, flow, trusted));
  }

  /** All unknown sources share one queue, so that they don't slow down the trunks' peers. */
  #lineOf(host: string): string {
    return this.options.isTrusted(host) ? host : "";
  }

  #handle(bytes: Uint8Array, flow: Flow, trusted: boolean): void {
    const source = flow.remote.host;
    const message = parseMessage(this.#decoder.decode(bytes));
    if (message.kind === "failure") {
      if (trusted) this.#reject(message, bytes, flow);
      else {
        this.#limit.take(source, JUNK_TOKENS);
        this.strike(source);
      }
      this.options.log.debug("sip.malformed", { source, reason: message.reason });
      return;
    }
    if (this.options.trace) this.#trace("in", flow, this.#decoder.decode(bytes));
    // Messages of unknown sources are not passed on: they could fill the bounded trace.
    if (trusted) this.options.seen?.("in", this.#decoder.decode(bytes));
    this.options.onMessage(message, this.#isWatched && !flow.reliable ? this.#traced(flow) : flow);
  }

  /** An unknown source sent an unwanted request. */
  strike(host: string): void {
    if (this.options.isTrusted(host) || !this.#bans.strike(host)) return;
    this.options.log.warn("sip.source_banned", { source: host });
  }

  /** A trunk's peer gets a response with the error in its request; unknown sources get none. */
  #reject(failure: ParseFailure, bytes: Uint8Array, flow: Flow): void {
    const rejection = rejectMalformed(this.#decoder.decode(bytes), failure, flow.remote);
    if (!rejection) return;
    const back = flow.reliable ? flow : this.flowTo(rejection.destination);
    back?.send(rejection.text);
  }

  /** Connections trace their own messages. */
  #traced(flow: Flow): Flow {
    return {
      ...flow,
      send: (message) => {
        this.#note(flow, message);
        flow.send(message);
      },
    };
  }

  get #isWatched(): boolean {
    return this.options.trace || this.options.seen !== null;
  }

  #note(flow: Flow, message: string): void {
    this.options.seen?.("out", message);
    if (this.options.trace) this.#trace("out", flow, message);
  }

  #trace(direction: "in" | "out", flow: Flow, message: string): void {
    const peer = `${flow.transport} ${flow.remote.host}:${flow.remote.port}`;
    const withoutSecrets = message
      .replace(/response="[0-9a-f]+"/gi, 'response="…"')
      .replace(/inline:[A-Za-z0-9+/=]+/g, "inline:…")
      // A key press in a SIP INFO may be part of a PIN.
      .replace(/^Signal\s*=.*$/gim, "Signal=…")
      .replace(
        /^((?:content-type|c)\s*:\s*application\/dtmf\b(?!-)[\s\S]*?\r\n\r\n)[\s\S]*/im,
        "$1…",
      );
    this.options.log.debug("sip.trace", { direction, peer, message: pii(withoutSecrets) });
  }
}

/** CRLF keep-alives (RFC 5626 4.4.1) and NULs of NAT keep-alives: nothing to parse. */
function isKeepAlive(bytes: Uint8Array): boolean {
  if (bytes.byteLength >= SHORTEST_MESSAGE_BYTES) return false;
  return bytes.every((byte) => byte === 13 || byte === 10 || byte === 0 || byte === 32);
}
