/**
 * A trunk's path to its peers: by datagrams, or over connections that it keeps open. Requests
 * inside a dialog reuse the connection to the trunk's server if they go to the same host (as in RFC
 * 5923, but without its Via parameter). The loss of that connection is reported.
 */
import { type Clock, type Timer, within } from "../core/clock.ts";
import type { Unsubscribe } from "../core/emitter.ts";
import type { Random } from "../core/random.ts";
import type { Target } from "./routing/locate.ts";
import { ConnectFailed } from "./transport/connect-failure.ts";
import type { Address, Flow, StreamFlow } from "./transport/flow.ts";
import type { Peer } from "./transport/stream.ts";
import type { Hop } from "./trunk-routes.ts";

interface TransportBindingDeps {
  readonly clock: Clock;
  readonly random: Random;
  flowTo(remote: Address): Flow | undefined;
  connectionTo(peer: Peer): Promise<StreamFlow>;
  /** The connection to the server is established; `local` is our end. */
  readonly onConnected: (local: Address) => void;
  /** The connection to the server is lost and should be reopened; not called after `close`. */
  readonly onLost: () => void;
}

/** If a connection is lost sooner than this, the pause before the next one grows. */
const SHORT_LIFE_MS = 60_000;
const BACK_OFF_BASE_MS = 2000;
const BACK_OFF_MAX_MS = 45_000;
/**
 * Time limit for TCP for a request too long for a datagram. After it, the request is sent by UDP
 * anyway.
 */
const TCP_INSTEAD_MS_MAX = 3000;

export class TransportBinding {
  #connection: StreamFlow | undefined;
  #isLost = false;
  #unsubscribeClosed: Unsubscribe = () => {};
  #problem: string | null = null;
  #settledAtMs = 0;
  #shortLives = 0;
  #timer: Timer | undefined;
  #closed = false;

  constructor(private readonly deps: TransportBindingDeps) {}

  /**
   * Reason for the failed connection to the server, as text for the user. Null if it did not fail,
   * or was not tried.
   */
  get problem(): string | null {
    return this.#problem;
  }

  /** True if the connection to the server was lost and is not reopened yet. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Remote host of the trunk's connection, or null. */
  get connectedHost(): string | null {
    return this.#connection?.isOpen ? this.#connection.remote.host : null;
  }

  /**
   * Opens a flow to that target of the hop; uses the trunk's connection if it leads to the same
   * host. Rejects with ConnectFailed if no connection can be made.
   */
  async open(target: Target, { serverName, isServer }: Hop): Promise<Flow> {
    const { transport, remote } = target;
    if (transport === "UDP") return this.#datagrams(remote);
    const connection = this.#connection;
    if (
      connection?.isOpen &&
      connection.transport === transport &&
      connection.remote.host === remote.host
    )
      return connection;
    try {
      const flow = await this.deps.connectionTo({ transport, remote, serverName });
      return isServer ? this.#settleAt(flow) : flow;
    } catch (error) {
      if (isServer && error instanceof ConnectFailed) this.#problem = error.explanation;
      throw error;
    }
  }

  /** TCP instead of that UDP target. Rejects if it is refused or takes too long. */
  async openTcp({ remote }: Target, { serverName }: Hop): Promise<Flow> {
    const { clock, connectionTo } = this.deps;
    const opening = connectionTo({ transport: "TCP", remote, serverName });
    const connection = await within(clock, TCP_INSTEAD_MS_MAX, opening);
    if (!connection) throw new Error("no TCP in time");
    return connection;
  }

  /**
   * `remote`: the server, for datagrams; null for a connection. Returns the connection if it is open
   * and answers no pings.
   */
  keepAlive(remote: Address | null): StreamFlow | null {
    if (remote) {
      this.deps.flowTo(remote)?.send("\r\n\r\n");
      return null;
    }
    const connection = this.#connection;
    connection?.ping();
    return connection?.isOpen && !connection.answersPings ? connection : null;
  }

  /** From now on, a lost connection is not reported. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#unsubscribeClosed();
  }

  #datagrams(remote: Address): Flow {
    const flow = this.deps.flowTo(remote);
    if (!flow) throw new Error("no UDP transport is open");
    return flow;
  }

  #settleAt(flow: StreamFlow): StreamFlow {
    this.#problem = null;
    if (flow === this.#connection) return flow;
    this.#unsubscribeClosed();
    this.#connection = flow;
    this.#isLost = false;
    this.#settledAtMs = this.deps.clock.monotonic();
    this.#unsubscribeClosed = flow.onClosed(() => this.#lose(flow));
    this.deps.onConnected(flow.local);
    return flow;
  }

  #lose(flow: StreamFlow): void {
    if (this.#connection !== flow) return;
    this.#connection = undefined;
    this.#isLost = true;
    this.#problem = flow.refusal;
    if (this.#closed) return;
    const livedMs = this.deps.clock.monotonic() - this.#settledAtMs;
    this.#shortLives = livedMs < SHORT_LIFE_MS ? this.#shortLives + 1 : 0;
    this.#timer?.cancel();
    this.#timer = this.deps.clock.after(this.#pauseMs(), () => this.deps.onLost());
  }

  /** None after the first loss; then 2, 4, 8, … s, so that the server is not flooded. */
  #pauseMs(): number {
    if (this.#shortLives < 2) return 0;
    const doubled = BACK_OFF_BASE_MS * 2 ** Math.min(this.#shortLives - 2, 10);
    return Math.min(doubled, BACK_OFF_MAX_MS) * (0.75 + 0.25 * this.deps.random.float());
  }
}
