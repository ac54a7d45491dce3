/**
 * One TCP or TLS connection as a flow. It is closed if a message is not completed in time, the peer
 * does not answer in time, or too many bytes are unsent. It is also closed if pings flood it, the
 * stream cannot be framed, or a message failed. Nothing is written before TLS has verified the peer
 * (see stream.ts).
 */
import type { Socket } from "node:net";
import type { Clock, Timer } from "../../core/clock.ts";
import type { Unsubscribe } from "../../core/emitter.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { unmapped } from "../../platform/net/ip-address.ts";
import type { Address, StreamFlow, StreamName } from "./flow.ts";
import { StreamFramer, UnframedStream } from "./framer.ts";

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Resolves when a message of that host may be handled; null: now. One read may contain hundreds.
   */
  readonly turn: (host: string) => Promise<void> | null;
  readonly onMessage: (bytes: Uint8Array, flow: StreamFlow) => void;
  readonly onKeepAlive: () => void;
  readonly onSent: (message: string, flow: StreamFlow) => void;
  /** Another flow to the same peer after this one has closed (RFC 3261 18.2.2). */
  readonly replacement: (closed: StreamConnection) => StreamConnection | undefined;
  readonly onClosed: (connection: StreamConnection) => void;
}

/** Maximum time from the first byte of a message to its end (against slow loris attacks). */
const MESSAGE_MS_MAX = 10_000;
/**
 * Maximum silence after a request or a ping. RFC 5626 4.4.1 allows 10 s for a pong; callers wait.
 * After half of it a ping is sent: a server may be slow with a request, but not with a ping.
 */
const ANSWER_MS_MAX = 8000;
const UNSENT_BYTES_MAX = 1_048_576;
const PING = "\r\n\r\n";
const PONG = "\r\n";
/**
 * Limit per read. A peer pings every few seconds, but one read may contain a hundred thousand
 * pings.
 */
const CRLFS_AT_ONCE_MAX = 100;

export class StreamConnection implements StreamFlow {
  readonly reliable = true;
  readonly remote: Address;
  readonly local: Address;
  readonly #framer = new StreamFramer();
  readonly #closedListeners = new Set<() => void>();
  #messageTimer: Timer | undefined;
  #answerTimer: Timer | undefined;
  #answersPings = false;
  #awaitsPong = false;
  #crlfs = 0;
  /** Chunks not framed yet; the first is being processed. */
  readonly #chunks: Buffer[] = [];
  #ended = false;
  /** In TLS 1.3, the server rejects the client only after the handshake. */
  refusal: string | null = null;
  readonly openedAtMs: number;
  #usedAtMs: number;
  #open = true;

  /** `key` names the peer in the pool; null for a connection that the peer opened. */
  constructor(
    readonly transport: StreamName,
    readonly key: string | null,
    private readonly socket: Socket,
    private readonly deps: ConnectionDeps,
  ) {
    this.remote = { host: unmapped(socket.remoteAddress ?? ""), port: socket.remotePort ?? 0 };
    this.local = { host: unmapped(socket.localAddress ?? ""), port: socket.localPort ?? 0 };
    this.openedAtMs = deps.clock.monotonic();
    this.#usedAtMs = this.openedAtMs;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) =>
      deps.log.debug("sip.connection_failed", { error: describeError(error) }),
    );
    socket.on("end", () => this.#end());
    socket.on("close", () => this.#end());
  }

  get answersPings(): boolean {
    return this.#answersPings;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Monotonic milliseconds of the last byte sent or received. */
  get usedAtMs(): number {
    return this.#usedAtMs;
  }

  send(message: string): void {
    if (!this.#open) {
      this.deps.replacement(this)?.send(message);
      return;
    }
    this.deps.onSent(message, this);
    this.#write(message);
  }

  ping(): void {
    if (!this.#open) return;
    this.#writePing();
    if (this.#answersPings) this.expectAnswer();
  }

  expectAnswer(): void {
    if (!this.#open || this.#answerTimer) return;
    const { clock, log } = this.deps;
    this.#answerTimer = clock.after(ANSWER_MS_MAX / 2, () => {
      this.#writePing();
      if (!this.#open) return;
      this.#answerTimer = clock.after(ANSWER_MS_MAX / 2, () => {
        log.warn("sip.connection_silent", { remote: this.remote.host });
        this.drop();
      });
    });
  }

  drop(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#messageTimer?.cancel();
    this.#answerTimer?.cancel();
    this.socket.destroy();
    this.deps.onClosed(this);
    for (const listener of this.#closedListeners) listener();
    this.#closedListeners.clear();
  }

  onClosed(listener: () => void): Unsubscribe {
    if (!this.#open) {
      const timer = this.deps.clock.after(0, listener);
      return () => timer.cancel();
    }
    this.#closedListeners.add(listener);
    return () => this.#closedListeners.delete(listener);
  }

  #writePing(): void {
    this.#write(PING);
    this.#awaitsPong = true;
  }

  #write(text: string): void {
    this.#usedAtMs = this.deps.clock.monotonic();
    this.socket.write(text);
    if (this.socket.writableLength > UNSENT_BYTES_MAX) this.drop();
  }

  #receive(chunk: Buffer): void {
    if (!this.#open) return;
    this.#usedAtMs = this.deps.clock.monotonic();
    this.#answerTimer?.cancel();
    this.#answerTimer = undefined;
    if (this.#chunks.push(chunk) === 1) void this.#work();
  }

  /** The peer has closed. Earlier messages still count. */
  #end(): void {
    this.#ended = true;
    if (this.#chunks.length === 0) this.drop();
  }

  /** Processes the received chunks in order: at once, unless there are many. */
  async #work(): Promise<void> {
    let hasWaited = false;
    for (let chunk = this.#chunks[0]; chunk && this.#open; chunk = this.#chunks[0]) {
      let crlfs = 0;
      try {
        for (const item of this.#framer.push(chunk)) {
          const turn = item.kind === "message" ? this.deps.turn(this.remote.host) : null;
          if (turn) {
            hasWaited = true;
            this.socket.pause();
            await turn;
          }
          if (!this.#open) return;
          if (item.kind === "message") this.#receiveMessage(item.bytes);
          else if (++crlfs > CRLFS_AT_ONCE_MAX) this.drop();
          else this.#receiveCrlf();
          if (!this.#open) return;
        }
      } catch (error) {
        this.drop();
        if (!(error instanceof UnframedStream)) throw error;
        this.deps.log.debug("sip.stream_unframed", { reason: error.message });
      }
      this.#watchMessage();
      this.#chunks.shift();
    }
    if (this.#ended) this.drop();
    else if (hasWaited) this.socket.resume();
  }

  #receiveMessage(bytes: Uint8Array): void {
    this.#crlfs = 0;
    this.#messageTimer?.cancel();
    this.#messageTimer = undefined;
    this.deps.onMessage(bytes, this);
  }

  #receiveCrlf(): void {
    if (this.#awaitsPong) {
      this.#awaitsPong = false;
      this.#answersPings = true;
      return;
    }
    this.#crlfs++;
    if (this.#crlfs < 2) return;
    this.#crlfs = 0;
    this.deps.onKeepAlive();
    this.#write(PONG);
  }

  #watchMessage(): void {
    if (!this.#open) return;
    if (!this.#framer.unfinished) {
      this.#messageTimer?.cancel();
      this.#messageTimer = undefined;
    } else {
      this.#messageTimer ??= this.deps.clock.after(MESSAGE_MS_MAX, () => this.drop());
    }
  }
}
