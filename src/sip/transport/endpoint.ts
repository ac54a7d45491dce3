/**
 * The border to the network: bytes in, parsed messages out. What does not pass (too big, too fast,
 * not SIP) is counted and dropped in silence: a scanner learns nothing, not even that we exist.
 * Everything behind this file sees only messages that our parser has accepted.
 */
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { pii } from "../../core/log.ts";
import { MESSAGE_BYTES_MAX, parseMessage, type SipMessage } from "../message/index.ts";
import type { Address, Flow, Transport, TransportName } from "./flow.ts";
import { RateLimit } from "./rate-limit.ts";
import { openUdpTransport } from "./udp.ts";

export interface EndpointOptions {
  readonly bind: Address;
  /** Logs every message at debug level. */
  readonly trace: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Sources that belong to a trunk: never limited. */
  readonly isTrusted: (host: string) => boolean;
  readonly onMessage: (message: SipMessage, flow: Flow) => void;
}

export interface EndpointCounters {
  received: number;
  malformed: number;
  oversized: number;
  limited: number;
  keepAlives: number;
}

/** Strangers may ask this often; a carrier's addresses are trusted and not counted. */
const STRANGER_LIMIT = { tokensPerSec: 20, burst: 60, sourcesMax: 4096 };
/** What junk costs, so that a source that sends little else is soon unheard. */
const JUNK_TOKENS = 5;
const SHORTEST_MESSAGE_BYTES = 24;

export class Endpoint {
  readonly counters: EndpointCounters = {
    received: 0,
    malformed: 0,
    oversized: 0,
    limited: 0,
    keepAlives: 0,
  };
  readonly #transports = new Map<TransportName, Transport>();
  readonly #limit: RateLimit;
  readonly #decoder = new TextDecoder("utf-8");

  private constructor(private readonly options: EndpointOptions) {
    this.#limit = new RateLimit(options.clock, STRANGER_LIMIT);
  }

  /** Throws when the address cannot be bound. The caller closes it. */
  static async open(options: EndpointOptions): Promise<Endpoint> {
    const endpoint = new Endpoint(options);
    const onBytes = (bytes: Uint8Array, flow: Flow) => endpoint.#receive(bytes, flow);
    endpoint.#add(await openUdpTransport(options.bind, onBytes, options.log));
    return endpoint;
  }

  get local(): Address {
    const [transport] = this.#transports.values();
    if (!transport) throw new Error("the endpoint is closed");
    return transport.local;
  }

  /** Undefined where that transport is not open. */
  flowTo(transport: TransportName, remote: Address): Flow | undefined {
    const flow = this.#transports.get(transport)?.flowTo(remote);
    return flow && this.options.trace ? this.#traced(flow) : flow;
  }

  async close(): Promise<void> {
    const transports = [...this.#transports.values()];
    this.#transports.clear();
    await Promise.all(transports.map((transport) => transport.close()));
  }

  #add(transport: Transport): void {
    this.#transports.set(transport.name, transport);
  }

  #receive(bytes: Uint8Array, flow: Flow): void {
    this.counters.received++;
    if (isKeepAlive(bytes)) {
      this.counters.keepAlives++;
      return;
    }
    const source = flow.remote.host;
    const trusted = this.options.isTrusted(source);
    if (!trusted && !this.#limit.take(source)) {
      this.counters.limited++;
      return;
    }
    if (bytes.byteLength > MESSAGE_BYTES_MAX) {
      this.counters.oversized++;
      return;
    }
    const message = parseMessage(this.#decoder.decode(bytes));
    if (message.kind === "failure") {
      this.counters.malformed++;
      if (!trusted) this.#limit.take(source, JUNK_TOKENS);
      this.options.log.debug("sip_malformed", { source, reason: message.reason });
      return;
    }
    if (this.options.trace) this.#trace("in", flow, this.#decoder.decode(bytes));
    this.options.onMessage(message, this.options.trace ? this.#traced(flow) : flow);
  }

  #traced(flow: Flow): Flow {
    return {
      transport: flow.transport,
      remote: flow.remote,
      reliable: flow.reliable,
      send: (message) => {
        this.#trace("out", flow, message);
        flow.send(message);
      },
    };
  }

  #trace(direction: "in" | "out", flow: Flow, message: string): void {
    const peer = `${flow.transport} ${flow.remote.host}:${flow.remote.port}`;
    const withoutProof = message.replace(/response="[0-9a-f]+"/gi, 'response="…"');
    this.options.log.debug("sip_trace", { direction, peer, message: pii(withoutProof) });
  }
}

/** CRLF keep-alives (RFC 5626 4.4.1), NULs of NAT pingers, and STUN: nothing to parse. */
function isKeepAlive(bytes: Uint8Array): boolean {
  if (bytes.byteLength >= SHORTEST_MESSAGE_BYTES) return false;
  return bytes.every((byte) => byte === 13 || byte === 10 || byte === 0 || byte === 32);
}
