/**
 * Sessions of a socket expire. Before that, another socket is opened beside it, and takes its place in a
 * moment when nothing is under way. Without a successor the session expires, and its owner opens another as
 * after any loss.
 */
import type { Clock, Timer } from "../../../core/clock.ts";
import type { ProviderFailure } from "../provider-failure.ts";
import type { RealtimeSocket } from "./socket.ts";

interface SessionRenewalOptions {
  readonly clock: Clock;
  readonly open: () => RealtimeSocket;
  /** Nothing is under way: no words are waited for. */
  readonly isIdle: () => boolean;
  /** Takes the place of the socket before, which the owner closes. */
  readonly succeed: (successor: RealtimeSocket) => void;
  readonly onFailed: (failure: ProviderFailure) => void;
}

/** A session's longest life, where the server does not say when it expires. */
const SESSION_MS_MAX = 60 * 60_000;
/** A session is replaced so long before it expires; one with a short life in its last quarter. */
const RENEWED_BEFORE_MS = 5 * 60_000;
const IDLE_CHECK_MS = 100;
/** One that is to expire sooner has another clock than ours: it would be replaced again and again. */
const SESSION_MS_MIN = 1_000;

export class SessionRenewal {
  #timer: Timer | null = null;
  #successor: RealtimeSocket | null = null;

  constructor(private readonly options: SessionRenewalOptions) {}

  /** For a session that stands now. `expiresAt`: milliseconds since the epoch, where the server says it. */
  schedule(expiresAt: number | null): void {
    const { clock } = this.options;
    const toldMs = (expiresAt ?? Number.POSITIVE_INFINITY) - clock.now();
    const lifeMs = toldMs < SESSION_MS_MIN ? SESSION_MS_MAX : Math.min(SESSION_MS_MAX, toldMs);
    const delayMs = lifeMs - Math.min(RENEWED_BEFORE_MS, lifeMs / 4);
    this.#timer?.cancel();
    this.#timer = clock.after(Math.max(0, delayMs), () => this.#renew());
  }

  /** The session is gone before its time. */
  cancel(): void {
    this.#timer?.cancel();
  }

  /** The successor, for an owner that needs it at once; null: there is none. */
  take(): RealtimeSocket | null {
    const successor = this.#successor;
    this.#successor = null;
    return successor?.alive ? successor : null;
  }

  close(): void {
    this.cancel();
    this.take()?.close();
  }

  #renew(): void {
    const successor = this.options.open();
    this.#successor = successor;
    successor.ready.then(() => this.#succeed(successor), this.options.onFailed);
  }

  #succeed(successor: RealtimeSocket): void {
    if (this.#successor !== successor || !successor.alive) return;
    if (!this.options.isIdle()) {
      this.#timer = this.options.clock.after(IDLE_CHECK_MS, () => this.#succeed(successor));
      return;
    }
    this.#successor = null;
    this.options.succeed(successor);
  }
}
