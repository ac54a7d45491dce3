/**
 * The order in which messages are handled. The runtime hands over everything that has come before
 * others have a turn, so whoever sends faster than we work would hold the thread, and with datagrams
 * fill the kernel's buffer for all. Here every source has a line of its own, and some messages of
 * each are handled in one turn of the event loop. A line of datagrams is bounded in bytes: what it
 * does not hold is lost, as UDP may. Connections wait instead, and read no further.
 */
import { type Clock, yieldToEventLoop } from "../../../core/clock.ts";

type Task = () => void;
interface Line {
  readonly tasks: { readonly bytes: number; readonly run: Task }[];
  bytes: number;
}

export const TASKS_PER_TURN = 16;
/** Whatever they are: one of 32 KB costs some milliseconds. */
export const TURN_MS_MAX = 8;
/** As much as the kernel's buffer usually holds for all of them. */
export const LINE_BYTES_MAX = 256 * 1024;
export const BYTES_MAX = 16 * 1024 * 1024;

export class Intake {
  /** The next turn begins with the first. */
  readonly #lines = new Map<string, Line>();
  #bytes = 0;
  #tasksOfTurn = 0;
  #turnEndsAt = 0;
  #isTurning = false;
  #closed = false;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** Runs the task, which must not throw: at once, later, or never. `bytes`: what it keeps meanwhile. */
  add(source: string, bytes: number, run: Task): void {
    if (this.#closed) return;
    if (this.#isFree()) run();
    else this.#push(source, bytes, run);
  }

  /** When that source may have a message handled; never, once closed. Null: now. */
  turn(source: string): Promise<void> | null {
    if (this.#closed || this.#isFree()) return null;
    return new Promise((resolve) => this.#push(source, 0, resolve));
  }

  close(): void {
    this.#closed = true;
    this.#lines.clear();
  }

  #isFree(): boolean {
    if (!this.#isTurning) {
      this.#beginTurn();
      void this.#turn();
    }
    if (this.#lines.size > 0 || !this.#hasRoom) return false;
    this.#tasksOfTurn++;
    return true;
  }

  get #hasRoom(): boolean {
    return this.#tasksOfTurn < TASKS_PER_TURN && this.clock.monotonic() < this.#turnEndsAt;
  }

  #beginTurn(): void {
    this.#tasksOfTurn = 0;
    this.#turnEndsAt = this.clock.monotonic() + TURN_MS_MAX;
  }

  #push(source: string, bytes: number, run: Task): void {
    const line = this.#lines.get(source) ?? { tasks: [], bytes: 0 };
    if (line.bytes + bytes > LINE_BYTES_MAX || this.#bytes + bytes > BYTES_MAX) return;
    line.tasks.push({ bytes, run });
    line.bytes += bytes;
    this.#bytes += bytes;
    this.#lines.set(source, line);
  }

  async #turn(): Promise<void> {
    this.#isTurning = true;
    do {
      await yieldToEventLoop();
      this.#beginTurn();
      // Who waits for a turn works in the microtask that follows.
      while (this.#hasRoom && this.#runNext()) await Promise.resolve();
    } while (this.#lines.size > 0);
    this.#isTurning = false;
  }

  /** One of the first line, which is then the last. False: nobody waits. */
  #runNext(): boolean {
    const [first] = this.#lines;
    if (!first) return false;
    const [source, line] = first;
    const task = line.tasks.shift();
    this.#lines.delete(source);
    if (line.tasks.length > 0) this.#lines.set(source, line);
    line.bytes -= task?.bytes ?? 0;
    this.#bytes -= task?.bytes ?? 0;
    this.#tasksOfTurn++;
    task?.run();
    return true;
  }
}
