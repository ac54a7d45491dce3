/**
 * What a transport looks like to the layers above. A flow is a path to one peer on which answers
 * and later requests travel: a remote address for UDP, a connection for TCP and TLS (RFC 5626 2).
 * The layers above never learn which one they hold but by `reliable`.
 */
import type { Unsubscribe } from "../../../core/emitter.ts";

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
  /** True where the transport itself repeats what is lost: no retransmission timers then. */
  readonly reliable: boolean;
  /** Never throws; what cannot be sent is lost, as on any network. */
  send(message: string): void;
}

/** A connection. Ends by its peer, by silence, or with the transport. */
export interface StreamFlow extends Flow {
  readonly transport: StreamName;
  /** Our end. */
  readonly local: Address;
  readonly isOpen: boolean;
  /** Sends a keep-alive (RFC 5626 4.4.1); a peer that answered one before must answer this one. */
  ping(): void;
  /** Ends the connection, e.g. because its peer has gone silent. Idempotent. */
  drop(): void;
  /** Called once, in a later task when the connection is closed already. */
  onClosed(listener: () => void): Unsubscribe;
}

export const isStream = (flow: Flow): flow is StreamFlow => flow.transport !== "UDP";

export interface Transport {
  readonly name: TransportName;
  /** Bound address, port 0 resolved. */
  readonly local: Address;
  flowTo(remote: Address): Flow;
  close(): Promise<void>;
}

/** Bytes of one message as they came, not yet looked at. */
export type OnBytes = (bytes: Uint8Array, flow: Flow) => void;
