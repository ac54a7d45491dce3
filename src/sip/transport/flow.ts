/**
 * The port of transports for the layers above. A flow is a path to one peer for responses and later
 * requests: a remote address for UDP, a connection for TCP and TLS (RFC 5626 2). The layers above
 * only distinguish them by `reliable`.
 */
import type { Unsubscribe } from "../../core/emitter.ts";

export type TransportName = "UDP" | "TCP" | "TLS";
export type StreamName = Exclude<TransportName, "UDP">;

export interface Address {
  /** IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface Flow {
  readonly transport: TransportName;
  readonly remote: Address;
  /** True if the transport repeats lost data itself: no retransmission timers then. */
  readonly reliable: boolean;
  /** Never throws; a message that cannot be sent counts as lost. */
  send(message: string): void;
  /** UDP: called once, in a later task, when that address is known to refuse datagrams. */
  onRefused?(listener: () => void): Unsubscribe;
}

/** A connection. It ends by its peer, by a timeout, or with the transport. */
export interface StreamFlow extends Flow {
  readonly transport: StreamName;
  /** Our address of the connection. */
  readonly local: Address;
  readonly isOpen: boolean;
  /**
   * Reason of a TLS alert with which the peer closed the connection, for the user; null if none.
   */
  readonly refusal: string | null;
  /** True if the peer has answered a ping. */
  readonly answersPings: boolean;
  /** Sends a keep-alive (RFC 5626 4.4.1). A peer that answered one before must answer this one. */
  ping(): void;
  /** A request was sent: closes the connection unless the peer sends something in time. */
  expectAnswer(): void;
  /** Closes the connection, e.g. because its peer is silent. Idempotent. */
  drop(): void;
  /** Called once; in a later task if the connection is already closed. */
  onClosed(listener: () => void): Unsubscribe;
}

export const isStream = (flow: Flow): flow is StreamFlow => flow.transport !== "UDP";

export interface Transport {
  readonly name: TransportName;
  /** The bound address with its actual port. */
  readonly local: Address;
  flowTo(remote: Address): Flow;
  close(): Promise<void>;
}

/** The bytes of one message as received, not yet parsed. */
export type OnBytes = (bytes: Uint8Array, flow: Flow) => void;
