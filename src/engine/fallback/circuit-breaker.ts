/**
 * Circuit breaker of a service. After some failures in a row it gets no requests for a while; then
 * one request may probe it.
 *
 *   closed ── failures in a row ──► open ── time passes ──► half-open ── success ──► closed
 *                                    ▲                         │
 *                                    └───────── failure ───────┘
 */
import type { Clock } from "../../core/clock.ts";
import type { GuardSettings } from "./guard-settings.ts";

type BreakerSettings = Pick<GuardSettings, "breaker_failures" | "breaker_open_sec">;

type State =
  | { readonly name: "closed"; readonly failures: number }
  | { readonly name: "open"; readonly until: number }
  /** The probe is in progress. */
  | { readonly name: "half_open"; readonly since: number };

export class CircuitBreaker {
  #state: State = { name: "closed", failures: 0 };

  constructor(
    private readonly settings: BreakerSettings,
    private readonly clock: Clock,
    private readonly onChange: (state: State["name"]) => void = () => {},
  ) {}

  get state(): State["name"] {
    return this.#state.name;
  }

  /**
   * Whether a request may be sent now. A `true` in `half-open` is for one request; its result must
   * be reported.
   */
  tryPass(): boolean {
    const now = this.clock.monotonic();
    const state = this.#state;
    switch (state.name) {
      case "closed":
        return true;
      case "open":
        if (now < state.until) return false;
        this.#become({ name: "half_open", since: now });
        return true;
      case "half_open":
        // A probe without a reported result must not block the service forever.
        if (now - state.since < this.settings.breaker_open_sec * 1_000) return false;
        this.#become({ name: "half_open", since: now });
        return true;
    }
  }

  succeeded(): void {
    if (this.#state.name === "closed" && this.#state.failures === 0) return;
    this.#become({ name: "closed", failures: 0 });
  }

  /** `lasting`: the failure will not go away by itself. Opens the breaker at once. */
  failed(lasting: boolean): void {
    const state = this.#state;
    const failures = state.name === "closed" ? state.failures + 1 : this.settings.breaker_failures;
    if (lasting || failures >= this.settings.breaker_failures) {
      const until = this.clock.monotonic() + this.settings.breaker_open_sec * 1_000;
      this.#become({ name: "open", until });
    } else this.#become({ name: "closed", failures });
  }

  /**
   * The request was abandoned, or rejected for its own content. Shows nothing about the service.
   */
  abandoned(): void {
    if (this.#state.name !== "half_open") return;
    this.#become({ name: "open", until: this.clock.monotonic() });
  }

  #become(state: State): void {
    const changed = state.name !== this.#state.name;
    this.#state = state;
    if (changed) this.onChange(state.name);
  }
}
