/**
 * Handles a change of our address towards a trunk's server: renews the registration and informs the
 * remote party of every call. Behind a NAT only the registrar sees the address of a new connection,
 * so calls wait for its response.
 */
import type { Clock, Timer } from "../core/clock.ts";

interface AddressChangesDeps {
  readonly clock: Clock;
  /** True if the trunk has a registration to keep. */
  readonly registers: () => boolean;
  /** Renews the registration, if there is one. */
  readonly register: () => void;
  /** The calls to inform. Each decides whether its remote party needs the new address. */
  readonly calls: () => Iterable<{ readdress(): void }>;
}

/** Some NATs use a different port for each REGISTER. */
const RENEWAL_PAUSE_MS = 60_000;

export class AddressChanges {
  readonly #timers = new Set<Timer>();
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  /** Connected, but the registrar has not reported our address yet. */
  #isDue = false;

  constructor(private readonly deps: AddressChangesDeps) {}

  /** A connection to the server is established again. */
  connected(): void {
    this.#renewedAtMs = Number.NEGATIVE_INFINITY;
    this.#isDue = this.deps.registers();
    // The request that opened the connection is sent first: it may carry the new address itself.
    if (!this.#isDue) this.#soon(() => this.#updateCalls());
  }

  /** The registrar has responded. `changed`: it sees another address than we sent. */
  answered(changed: boolean): void {
    if (changed) this.#renewBinding();
    this.#isDue = false;
    this.#updateCalls();
  }

  /** The address changed without a connection: the machine's network, or a NAT mapping. */
  moved(): void {
    this.#renewedAtMs = Number.NEGATIVE_INFINITY;
    this.#renewBinding();
    this.#updateCalls();
  }

  /** A call is established whose remote party was given our address when it was invited. */
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
