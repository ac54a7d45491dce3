/** State that changes while the appliance runs. All parts may read it from the first phase on. */

import { type AppSettings, type Tuning, tuningOf } from "./settings.ts";

export class RunState {
  #tuning: Tuning;
  #publicUrl: string;
  #isDraining = false;

  constructor(settings: AppSettings) {
    this.#tuning = tuningOf(settings);
    this.#publicUrl = settings.http.publicUrl ?? "";
  }

  /** Limits and certificate as they are now. */
  readonly tuning = (): Tuning => this.#tuning;

  retune(tuning: Tuning): void {
    this.#tuning = tuning;
  }

  /**
   * The public URL of this appliance; "" until the HTTP server listens, unless it is configured.
   */
  readonly publicUrl = (): string => this.#publicUrl;

  listensAt(url: string): void {
    this.#publicUrl = url;
  }

  /** True: no new call is taken. */
  readonly isDraining = (): boolean => this.#isDraining;

  drain(): void {
    this.#isDraining = true;
  }
}
