/**
 * Repeats a round of work: when woken, when the next piece is due, and at least once per period.
 * Rounds never overlap: a wake during a round starts another one after it.
 */
import type { Clock, Timer } from "./clock.ts";
import { describeError } from "./errors.ts";
import type { Log } from "./log.ts";

interface WorkLoopOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Log event for a failed round. Its work is tried again after a period. */
  readonly failure: string;
  readonly everyMs: number;
  readonly round: () => Promise<void>;
  /** Due time of the next piece in epoch milliseconds, or null. Called after each round. */
  readonly nextDueAt?: () => Promise<number | null>;
}

/** The caller must `stop` it. */
export class WorkLoop {
  #phase: "new" | "running" | "stopped" = "new";
  #isWoken = false;
  #work: Promise<void> | null = null;
  #period: Timer | null = null;
  /** Set while a piece is due before the period ends. */
  #onTime: Timer | null = null;

  constructor(private readonly options: WorkLoopOptions) {}

  get isRunning(): boolean {
    return this.#phase === "running";
  }

  get isStopped(): boolean {
    return this.#phase === "stopped";
  }

  /** Starts the first round. Nothing happens before this call; a stopped loop stays stopped. */
  start(): void {
    if (this.#phase !== "new") return;
    this.#phase = "running";
    this.#period = this.options.clock.every(this.options.everyMs, () => this.wake());
    this.wake();
  }

  wake(): void {
    if (!this.isRunning) return;
    this.#isWoken = true;
    this.#work ??= this.#run();
  }

  /** Resolves when no round is running. */
  async idle(): Promise<void> {
    while (this.#work) await this.#work;
  }

  /** Starts no further round. Resolves when the running one, if any, has finished. */
  async stop(): Promise<void> {
    this.#phase = "stopped";
    this.#period?.cancel();
    this.#onTime?.cancel();
    await this.#work;
  }

  async #run(): Promise<void> {
    const { log, failure, round } = this.options;
    while (this.#isWoken && this.isRunning) {
      this.#isWoken = false;
      try {
        await round();
        if (!this.#isWoken) await this.#wakeOnTime();
      } catch (error) {
        log.error(failure, { error: describeError(error) });
      }
    }
    this.#work = null;
  }

  async #wakeOnTime(): Promise<void> {
    const { clock, everyMs, nextDueAt } = this.options;
    this.#onTime?.cancel();
    if (!nextDueAt || !this.isRunning) return;
    const dueMs = await nextDueAt();
    if (dueMs === null || !this.isRunning) return;
    const delayMs = Math.max(1, dueMs - clock.now());
    if (delayMs < everyMs) this.#onTime = clock.after(delayMs, () => this.wake());
  }
}
