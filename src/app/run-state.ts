/** State that changes while the appliance runs. All parts may read it from the first phase. */

import { type AppSettings, type Tuning, tuningOf } from "./settings.ts";

export class RunState {
  #tuning: Tuning;
  #publicUrl: string;
  #isDraining = false;

  constructor(settings: AppSettings) {
    this.#tuning = tuningOf(settings);
    this.#publicUrl = settings.http.publicUrl ?? "";
  }

  /** Current limits and certificates. */
  readonly tuning = (): Tuning => this.#tuning;

  retune(tuning: Tuning): void {
    this.#tuning = tuning;
  }

  /**
   * The public URL of this appliance. Without a configured URL, "" until the HTTP server listens.
   */
  readonly publicUrl = (): string => this.#publicUrl;

  listensAt(url: string): void {
    this.#publicUrl = url;
  }

  /** True: new calls are rejected. */
  readonly isDraining = (): boolean => this.#isDraining;

  drain(): void {
    this.#isDraining = true;
  }
}
