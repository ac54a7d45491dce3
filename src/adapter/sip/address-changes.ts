/**
 * Our address on the way to a trunk's server has changed: the registrar is told, and the far end of every
 * call. Behind a NAT only the registrar knows a new connection's address, so calls wait for its answer.
 */
import type { Clock, Timer } from "../../core/clock.ts";

interface AddressChangesDeps {
  readonly clock: Clock;
  /** The trunk has a registration to keep. */
  readonly registers: () => boolean;
  /** Renews it, where it stands. */
  readonly register: () => void;
  /** The calls to tell. Each decides whether there is news for its far end. */
  readonly calls: () => Iterable<{ readdress(): void }>;
}

/** Some NATs give each REGISTER another port. */
const RENEWAL_PAUSE_MS = 60_000;

export class AddressChanges {
  readonly #timers = new Set<Timer>();
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  /** Connected, and the registrar has not said as what. */
  #isDue = false;

  constructor(private readonly deps: AddressChangesDeps) {}

  /** A connection to the server stands anew. */
  connected(): void {
    this.#renewedAtMs = Number.NEGATIVE_INFINITY;
    this.#isDue = this.deps.registers();
    // What made the connection leaves first: it may say the new address itself.
    if (!this.#isDue) this.#soon(() => this.#updateCalls());
  }

  /** The registrar has answered; `changed`: it sees us elsewhere than we said. */
  answered(changed: boolean): void {
    if (changed) this.#renewBinding();
    this.#isDue = false;
    this.#updateCalls();
  }

  /** It is another one without a connection: the machine's network, or a NAT's mapping. */
  moved(): void {
    this.#renewedAtMs = Number.NEGATIVE_INFINITY;
    this.#renewBinding();
    this.#updateCalls();
  }

  /** A call stands whose far end was told our address when it was asked. */
  begun(call: { readdress(): void }): void {
    if (!this.#isDue) call.readdress();
  }

  close(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  #updateCalls(): void {
    for (const call of this.deps.calls()) call.readdress();
  }

  #renewBinding(): void {
    const now = this.deps.clock.monotonic();
    if (now - this.#renewedAtMs < RENEWAL_PAUSE_MS) return;
    this.#renewedAtMs = now;
    this.#soon(() => this.deps.register());
  }

  #soon(task: () => void): void {
    const timer = this.deps.clock.after(0, () => {
      this.#timers.delete(timer);
      task();
    });
    this.#timers.add(timer);
  }
}
