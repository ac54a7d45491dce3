/**
 * Fair queues for received messages. The runtime delivers all received messages before other tasks
 * run. A source that sends faster than we work would block the thread, and with datagrams fill the
 * kernel's buffer for all. So every source has its own queue, and each turn of the event loop
 * handles some messages of each. A queue of datagrams is bounded in bytes; further datagrams are
 * lost, as UDP allows. Connections wait instead and stop reading.
 */
import { type Clock, yieldToEventLoop } from "../../core/clock.ts";

type Task = () => void;
interface Line {
  readonly tasks: { readonly bytes: number; readonly run: Task }[];
  bytes: number;
}

export const TASKS_PER_TURN = 16;
/** Time limit per turn, for any messages: one of 32 KB takes some milliseconds. */
export const TURN_MS_MAX = 8;
/** The usual size of the kernel's buffer for all sources together. */
export const LINE_BYTES_MAX = 256 * 1024;
export const BYTES_MAX = 16 * 1024 * 1024;

export class InboundQueue {
  /** The next turn starts with the first queue. */
  readonly #lines = new Map<string, Line>();
  #bytes = 0;
  #tasksOfTurn = 0;
  #turnEndsAt = 0;
  #isTurning = false;
  #closed = false;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /**
   * Runs the task, which must not throw: at once, later, or never. `bytes`: memory that the task
   * holds until then.
   */
  add(source: string, bytes: number, run: Task): void {
    if (this.#closed) return;
    if (this.#isFree()) run();
    else this.#push(source, bytes, run);
  }

  /** Resolves when that source may have a message handled; never after closing. Null: now. */
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
      // The waiting source continues in the next microtask.
      while (this.#hasRoom && this.#runNext()) await Promise.resolve();
    } while (this.#lines.size > 0);
    this.#isTurning = false;
  }

  /**
   * Runs one task of the first queue, which then becomes the last. Returns false if no task is
   * waiting.
   */
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
