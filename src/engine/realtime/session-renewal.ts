/**
 * Replaces expiring sessions of a socket. Before the expiry, a second socket is opened, which
 * replaces the first one at an idle moment. Without a successor the session expires, and its owner
 * opens a new one as after any loss.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import type { ProviderFailure } from "../provider-failure.ts";
import type { RealtimeSocket } from "./socket.ts";

interface SessionRenewalOptions {
  readonly clock: Clock;
  readonly open: () => RealtimeSocket;
  /** True if no words are pending. */
  readonly isIdle: () => boolean;
  /** Makes the successor the current socket. The owner closes the old one. */
  readonly succeed: (successor: RealtimeSocket) => void;
  readonly onFailed: (failure: ProviderFailure) => void;
}

/** Lifetime of a session if the server reports none. */
const SESSION_MS_MAX = 60 * 60_000;
/**
 * Time before expiry at which a session is replaced. Short sessions are replaced in their last
 * quarter.
 */
const RENEWED_BEFORE_MS = 5 * 60_000;
const IDLE_CHECK_MS = 100;
/**
 * A shorter lifetime means that the server's clock differs. The session would be replaced again and
 * again.
 */
const SESSION_MS_MIN = 1_000;

export class SessionRenewal {
  #timer: Timer | null = null;
  #successor: RealtimeSocket | null = null;

  constructor(private readonly options: SessionRenewalOptions) {}

  /** For a ready session. `expiresAt`: milliseconds since the epoch, if the server reports it. */
  schedule(expiresAt: number | null): void {
    const { clock } = this.options;
    const toldMs = (expiresAt ?? Number.POSITIVE_INFINITY) - clock.now();
    const lifeMs = toldMs < SESSION_MS_MIN ? SESSION_MS_MAX : Math.min(SESSION_MS_MAX, toldMs);
    const delayMs = lifeMs - Math.min(RENEWED_BEFORE_MS, lifeMs / 4);
    this.#timer?.cancel();
    this.#timer = clock.after(Math.max(0, delayMs), () => this.#renew());
  }

  /** The session ended early. */
  cancel(): void {
    this.#timer?.cancel();
  }

  /** The successor, for an owner that needs it at once; null if there is none. */
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
