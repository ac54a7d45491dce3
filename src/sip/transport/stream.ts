/**
 * SIP over TCP and TLS (RFC 3261 18, 26.3.1): outgoing connections, pooled by peer, and incoming
 * ones. TLS 1.2 or newer. Certificate chain and name are verified before a byte is written, and
 * there is no fallback to an unverified or plain connection.
 *
 * Limits: connections in total and per source, connect time, idle time.
 */
import { connect, createServer, isIP, type Server, type Socket } from "node:net";
import {
  connect as connectTls,
  createServer as createTlsServer,
  rootCertificates,
  type Server as TlsServer,
} from "node:tls";
import type { Clock, Timer } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { unmapped } from "../../platform/net/ip-address.ts";
import { connectFailed, isAlert } from "./connect-failure.ts";
import { type ConnectionDeps, StreamConnection } from "./connection.ts";
import type { Address, StreamFlow, StreamName } from "./flow.ts";

interface StreamOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The local address of outgoing connections; a wildcard leaves it to the routing table. */
  readonly localHost: string;
  /** PEM of certificate authorities in addition to the public ones, or null. */
  readonly tlsCa: string | null;
  /** True for a trunk's peer: connections of unknown sources don't count against it. */
  readonly isTrusted: (host: string) => boolean;
  /** True for unknown sources whose connections are rejected. */
  readonly isBanned: (host: string) => boolean;
  readonly turn: ConnectionDeps["turn"];
  readonly onMessage: (bytes: Uint8Array, flow: StreamFlow) => void;
  readonly onKeepAlive: () => void;
  readonly onSent: (message: string, flow: StreamFlow) => void;
}

export interface TlsListener {
  readonly bind: Address;
  /** PEM of the certificate chain and its key. */
  readonly cert: string;
  readonly key: string;
}

export interface Peer {
  readonly transport: StreamName;
  readonly remote: Address;
  /** The name that the certificate must contain: a host name or an address. */
  readonly serverName: string;
}

const TLS_MIN = "TLSv1.2";
const CONNECT_MS_MAX = 10_000;
/** Limit for unknown sources. The trunks' peers together have a separate limit of the same size. */
const ACCEPTED_MAX = 512;
const ACCEPTED_PER_SOURCE_MAX = 16;
/**
 * Limit per peer of a trunk: some carriers open one per call. Another program behind its address
 * shares the limit, and with a lower one would block the carrier. Four such addresses reach the
 * total limit.
 */
const ACCEPTED_PER_PEER_MAX = 128;
/** Longer than any keep-alive period; an unused connection is closed. */
const IDLE_MS_MAX = 300_000;
/** For an incoming connection without any message. */
const MUTE_MS_MAX = 10_000;
const SWEEP_MS = 5_000;

export class StreamTransport {
  readonly #open = new Set<StreamConnection>();
  readonly #byKey = new Map<string, StreamConnection>();
  readonly #connecting = new Map<string, Promise<StreamConnection>>();
  /** Outgoing sockets without an established connection. */
  readonly #raw = new Set<Socket>();
  /** Incoming sockets, during and after the TLS handshake, with their source. */
  readonly #accepted = new Map<Socket, string>();
  readonly #spoken = new WeakSet<StreamConnection>();
  readonly #sweep: Timer;
  readonly #deps: ConnectionDeps;
  readonly #servers: Server[] = [];
  #tls: TlsServer | undefined;
  #localTls: Address | null = null;
  #closed = false;

  constructor(private readonly options: StreamOptions) {
    const { clock, log, turn, onKeepAlive, onSent } = options;
    this.#deps = {
      clock,
      log,
      turn,
      onKeepAlive,
      onSent,
      onMessage: (bytes, flow) => {
        if (flow instanceof StreamConnection) this.#spoken.add(flow);
        options.onMessage(bytes, flow);
      },
      replacement: (closed) => this.#replacementOf(closed),
      onClosed: (connection) => this.#forget(connection),
    };
    this.#sweep = clock.every(SWEEP_MS, () => this.#closeIdle());
  }

  get localTls(): Address | null {
    return this.#localTls;
  }

  /** Accepts TCP connections on that address. Rejects if it cannot be bound. */
  async listen(bind: Address): Promise<void> {
    await this.#listen(
      createServer((socket) => this.#accept("TCP", socket)),
      bind,
    );
  }

  /**
   * Accepts TLS connections, 1.2 or newer. Rejects if it cannot be bound or the key does not match.
   */
  async listenTls({ bind, cert, key }: TlsListener): Promise<void> {
    const server = createTlsServer(
      { cert, key, minVersion: TLS_MIN, handshakeTimeout: MUTE_MS_MAX },
      (socket) => this.#accept("TLS", socket),
    );
    // A client that fails the handshake is disconnected.
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    const port = await this.#listen(server, bind);
    this.#tls = server;
    this.#localTls = { host: bind.host, port };
  }

  /** Applies to new connections; open ones are unaffected. Does nothing without `listenTls`. */
  renewCertificate({ cert, key }: Pick<TlsListener, "cert" | "key">): void {
    this.#tls?.setSecureContext({ cert, key, minVersion: TLS_MIN });
  }

  /** The open connection to that peer, or a new one. Rejects with ConnectFailed. */
  async connectionTo(peer: Peer): Promise<StreamFlow> {
    const key = keyOf(peer);
    const known = this.#byKey.get(key);
    if (known?.isOpen) return known;
    const started = this.#connecting.get(key) ?? this.#connect(peer, key);
    this.#connecting.set(key, started);
    try {
      return await started;
    } finally {
      if (this.#connecting.get(key) === started) this.#connecting.delete(key);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#sweep.cancel();
    for (const socket of [...this.#raw, ...this.#accepted.keys()]) socket.destroy();
    for (const connection of [...this.#open]) connection.drop();
    await Promise.all(
      this.#servers.map((server) => new Promise<void>((done) => server.close(() => done()))),
    );
  }

  async #listen(server: Server, bind: Address): Promise<number> {
    server.maxConnections = ACCEPTED_MAX * 2;
    server.prependListener("connection", (socket: Socket) => this.#admit(socket));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(bind.port, bind.host, () => resolve());
    });
    server.on("error", () => {});
    this.#servers.push(server);
    const address = server.address();
    return typeof address === "object" && address ? address.port : bind.port;
  }

  async #connect(peer: Peer, key: string): Promise<StreamConnection> {
    const { remote, serverName } = peer;
    let socket: Socket | undefined;
    let timer: Timer | undefined;
    try {
      if (this.#closed) throw new Error("the transport is closed");
      const opened = this.#dial(peer);
      socket = opened;
      this.#raw.add(opened);
      await new Promise<void>((resolve, reject) => {
        let reached = false;
        opened.once("connect", () => {
          reached = true;
        });
        timer = this.options.clock.after(CONNECT_MS_MAX, () => reject(timedOut(reached)));
        opened.once(peer.transport === "TLS" ? "secureConnect" : "connect", () => resolve());
        // Permanent: a destroyed socket may still emit an error, which needs a listener.
        opened.on("error", reject);
        opened.once("close", () => reject(new Error("closed before it was open")));
      });
      const connection = new StreamConnection(peer.transport, key, opened, this.#deps);
      opened.on("error", (error) => {
        if (isAlert(error))
          connection.refusal = connectFailed(error, serverName, remote.port).explanation;
      });
      this.#byKey.set(key, connection);
      this.#open.add(connection);
      return connection;
    } catch (error) {
      socket?.destroy();
      const failure = connectFailed(error, serverName, remote.port);
      this.options.log.warn("sip.connect_failed", { server: serverName, reason: failure.reason });
      throw failure;
    } finally {
      timer?.cancel();
      if (socket) this.#raw.delete(socket);
    }
  }

  #dial({ transport, remote, serverName }: Peer): Socket {
    const { localHost, tlsCa } = this.options;
    const wildcard = localHost === "0.0.0.0" || localHost === "::";
    const target = {
      host: remote.host,
      port: remote.port,
      ...(wildcard ? {} : { localAddress: localHost }),
    };
    if (transport === "TCP") return connect(target);
    return connectTls({
      ...target,
      // An address is compared with the certificate's addresses; SNI allows only names.
      ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
      ...(tlsCa === null ? {} : { ca: [...rootCertificates, tlsCa] }),
      minVersion: TLS_MIN,
      rejectUnauthorized: true,
    });
  }

  /** Runs before the TLS handshake, which a peer may leave unfinished. */
  #admit(socket: Socket): void {
    const host = unmapped(socket.remoteAddress ?? "");
    if (!this.#hasRoomFor(host)) {
      socket.on("error", () => {});
      socket.destroy();
      return;
    }
    this.#accepted.set(socket, host);
    socket.once("close", () => this.#accepted.delete(socket));
  }

  #hasRoomFor(host: string): boolean {
    const { isTrusted, isBanned } = this.options;
    const trusted = isTrusted(host);
    if (!trusted && isBanned(host)) return false;
    const sources = [...this.#accepted.values()];
    const most = trusted ? ACCEPTED_PER_PEER_MAX : ACCEPTED_PER_SOURCE_MAX;
    if (sources.filter((source) => source === host).length >= most) return false;
    return trusted || sources.filter((source) => !isTrusted(source)).length < ACCEPTED_MAX;
  }

  #accept(transport: StreamName, socket: Socket): void {
    if (!this.#accepted.has(socket)) return;
    this.#open.add(new StreamConnection(transport, null, socket, this.#deps));
  }

  /** A connection to the same peer by name, or of the same kind to the same host. */
  #replacementOf(closed: StreamConnection): StreamConnection | undefined {
    if (closed.key !== null) {
      const named = this.#byKey.get(closed.key);
      return named?.isOpen ? named : undefined;
    }
    return [...this.#open].find(
      (other) => other.transport === closed.transport && other.remote.host === closed.remote.host,
    );
  }

  #forget(connection: StreamConnection): void {
    this.#open.delete(connection);
    const { key } = connection;
    if (key !== null && this.#byKey.get(key) === connection) this.#byKey.delete(key);
  }

  #closeIdle(): void {
    const now = this.options.clock.monotonic();
    for (const connection of [...this.#open]) {
      const mute = connection.key === null && !this.#spoken.has(connection);
      const idle = now - connection.usedAtMs > IDLE_MS_MAX;
      if (idle || (mute && now - connection.openedAtMs > MUTE_MS_MAX)) connection.drop();
    }
  }
}

const keyOf = ({ transport, remote, serverName }: Peer): string =>
  `${transport}|${remote.host}|${remote.port}|${transport === "TLS" ? serverName : ""}`;

/** `reached`: the TCP connection was established, but TLS did not respond. */
const timedOut = (reached: boolean) =>
  Object.assign(new Error("no answer"), { code: reached ? "ERR_SSL_SILENCE" : "ETIMEDOUT" });
