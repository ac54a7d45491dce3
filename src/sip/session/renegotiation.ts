/**
 * Our re-INVITEs and UPDATEs of one dialog (RFC 3261 14.1): one at a time, repeated after glare. If
 * both sides send one at the same time, both get 491. The owner of the Call-ID then waits 2.1 to 4
 * s, the other side up to 2 s, so that they do not collide again.
 *
 *   idle ──request──► asking ──2xx──► idle      asking ──491, busy here──► waiting ──► asking
 *                       └──rejected──► idle, and the leg is informed
 */
import type { Clock, Timer } from "../../core/clock.ts";
import { type Random, randomInt } from "../../core/random.ts";

/** `busy`: another request of this kind is active in the dialog. */
export type ReinviteOutcome =
  | { readonly kind: "accepted" | "busy" }
  | { readonly kind: "refused"; readonly sipCode: number | null; readonly minSe?: string };

interface RenegotiationDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** We created the Call-ID: the call is outgoing. */
  readonly weCalled: boolean;
  /** Sends one request; never rejects. */
  readonly ask: () => Promise<ReinviteOutcome>;
  readonly onRefused: (outcome: Extract<ReinviteOutcome, { kind: "refused" }>) => void;
}

const TRIES_MAX = 6;
const GLARE = 491;

/** Undecided because of glare: the request is repeated. */
export const isAskedAgain = (outcome: ReinviteOutcome): boolean =>
  outcome.kind === "busy" || (outcome.kind === "refused" && outcome.sipCode === GLARE);

export class Renegotiation {
  #asking = false;
  #again = false;
  #timer: Timer | undefined;
  #closed = false;

  constructor(private readonly deps: RenegotiationDeps) {}

  /** Sends another one, now or when the current one is finished. */
  request(): void {
    if (this.#closed) return;
    if (this.#asking || this.#timer) this.#again = true;
    else void this.#ask(1);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  async #ask(attempt: number): Promise<void> {
    this.#asking = true;
    const outcome = await this.deps.ask();
    this.#asking = false;
    if (this.#closed) return;
    if (isAskedAgain(outcome) && attempt < TRIES_MAX) {
      this.#timer = this.deps.clock.after(this.#pauseMs(), () => {
        this.#timer = undefined;
        void this.#ask(attempt + 1);
      });
      return;
    }
    if (outcome.kind === "refused") this.deps.onRefused(outcome);
    if (!this.#again || this.#closed) return;
    this.#again = false;
    void this.#ask(1);
  }

  /** In units of 10 ms (RFC 3261 14.1). */
  #pauseMs(): number {
    const { random, weCalled } = this.deps;
    return weCalled ? 2100 + 10 * randomInt(random, 191) : 10 * randomInt(random, 201);
  }
}
