/**
 * Our re-INVITEs and UPDATEs of one dialog (RFC 3261 14.1): one at a time, again after a glare. When both
 * sides ask at once both are told 491; who owns the Call-ID waits 2.1 to 4 s, the other up to 2 s,
 * so that they do not meet again.
 *
 *   idle ──request──► asking ──2xx──► idle      asking ──491, busy here──► waiting ──► asking
 *                       └──refused──► idle, and the leg is told
 */
import type { Clock, Timer } from "../../../core/clock.ts";
import { type Random, randomInt } from "../../../core/random.ts";

/** `busy`: another request of its kind is under way in this dialog. */
export type ReinviteOutcome =
  | { readonly kind: "accepted" | "busy" }
  | { readonly kind: "refused"; readonly sipCode: number | null; readonly minSe?: string };

interface RenegotiationDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** We made the Call-ID: the call is an outgoing one. */
  readonly weCalled: boolean;
  /** Sends one; never rejects. */
  readonly ask: () => Promise<ReinviteOutcome>;
  readonly onRefused: (outcome: Extract<ReinviteOutcome, { kind: "refused" }>) => void;
}

const TRIES_MAX = 6;
const GLARE = 491;

/** Nothing is decided: it crossed another one. */
export const isAskedAgain = (outcome: ReinviteOutcome): boolean =>
  outcome.kind === "busy" || (outcome.kind === "refused" && outcome.sipCode === GLARE);

export class Renegotiation {
  #asking = false;
  #again = false;
  #timer: Timer | undefined;
  #closed = false;

  constructor(private readonly deps: RenegotiationDeps) {}

  /** One more, now or when the present one is done. */
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

  /** In units of 10 ms, as RFC 3261 14.1 has it. */
  #pauseMs(): number {
    const { random, weCalled } = this.deps;
    return weCalled ? 2100 + 10 * randomInt(random, 191) : 10 * randomInt(random, 201);
  }
}
