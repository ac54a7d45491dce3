/**
 * The main thread's side of the schema worker: checks tool arguments against a tenant's schema, one
 * job at a time, each with a deadline from when the worker has begun it. A late job is terminated
 * together with its worker, and the next job gets a new one. Tenants take turns, so that one tenant's
 * slow schemas delay the others by at most one deadline.
 *
 * The worker starts with the first job and stops when it has been idle for a minute.
 */
import { type Clock, systemClock, type Timer } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import type { FromSchemaWorker, ToSchemaWorker } from "./schema-messages.ts";

export interface ArgumentCheck {
  /**
   * One sentence that a language model can act on; null when the arguments are valid. Never
   * rejects.
   */
  problem(tenantId: number, schema: JsonObject, values: JsonObject): Promise<string | null>;
  /** Answers the waiting jobs and ends the worker. */
  close(): void;
}

const DEADLINE_MS = 500;
/** Time to start a thread on a busy machine, and for a started one to begin a job. */
const START_MS_MAX = 10_000;
const IDLE_MS_MAX = 60_000;
const ARGUMENT_CHARACTERS_MAX = 64 * 1024;
const JOBS_PER_TENANT_MAX = 32;

const TOO_LARGE = `The arguments are larger than ${ARGUMENT_CHARACTERS_MAX} characters of JSON.`;
const TOO_SLOW =
  "The arguments could not be checked in time: the tool's parameter schema is too complicated.";
const TOO_MANY = "Too many tool calls wait to be checked. Try again in a moment.";
const CLOSED = "The appliance is shutting down; the tool was not run.";

interface Job {
  readonly id: number;
  readonly tenantId: number;
  readonly message: ToSchemaWorker;
  readonly answer: (problem: string | null) => void;
}

/** The owner must `close` it. */
export function createArgumentCheck(
  spawn: () => Worker,
  clock: Clock = systemClock,
): ArgumentCheck {
  return new WorkerCheck(spawn, clock);
}

class WorkerCheck implements ArgumentCheck {
  readonly #spawn: () => Worker;
  readonly #clock: Clock;
  /** By tenant; the one that has waited longest comes first. */
  readonly #waiting = new Map<number, Job[]>();
  #servedLast: number | null = null;
  #current: Job | null = null;
  #worker: Worker | null = null;
  #isReady = false;
  #timer: Timer | null = null;
  #nextId = 1;
  #closed = false;

  constructor(spawn: () => Worker, clock: Clock) {
    this.#spawn = spawn;
    this.#clock = clock;
  }

  async problem(tenantId: number, schema: JsonObject, values: JsonObject): Promise<string | null> {
    if (this.#closed) return CLOSED;
    const text = jsonOf(values);
    if (text === null || text.length > ARGUMENT_CHARACTERS_MAX) return TOO_LARGE;
    const jobs = this.#waiting.get(tenantId) ?? [];
    if (jobs.length >= JOBS_PER_TENANT_MAX) return TOO_MANY;
    const id = this.#nextId++;
    return new Promise((answer) => {
      const message = { jobId: id, schema: JSON.stringify(schema), values: text };
      jobs.push({ id, tenantId, message, answer });
      this.#waiting.set(tenantId, jobs);
      this.#startNext();
    });
  }

  close(): void {
    this.#closed = true;
    const left = [...(this.#current ? [this.#current] : []), ...[...this.#waiting.values()].flat()];
    this.#waiting.clear();
    this.#endWorker();
    for (const job of left) job.answer(CLOSED);
  }

  #startNext(): void {
    if (this.#current || this.#closed) return;
    const tenants = [...this.#waiting.keys()];
    const tenantId = tenants.find((id) => id !== this.#servedLast) ?? tenants[0];
    if (tenantId === undefined) {
      this.#setTimer(IDLE_MS_MAX, () => this.#endWorker());
      return;
    }
    const jobs = this.#waiting.get(tenantId) ?? [];
    this.#waiting.delete(tenantId);
    this.#current = jobs.shift() ?? null;
    this.#servedLast = tenantId;
    // Moves the tenant to the end of the queue.
    if (jobs.length > 0) this.#waiting.set(tenantId, jobs);
    this.#worker ??= this.#startWorker();
    if (this.#isReady) this.#post();
    else this.#setTimer(START_MS_MAX, () => this.#fail());
  }

  #startWorker(): Worker {
    const worker = this.#spawn();
    worker.onmessage = ({ data }: MessageEvent<FromSchemaWorker>) => {
      if (worker === this.#worker) this.#hear(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#fail();
    };
    return worker;
  }

  #hear(message: FromSchemaWorker): void {
    if (message.type === "ready") {
      this.#isReady = true;
      this.#post();
      return;
    }
    if (message.jobId !== this.#current?.id) return;
    if (message.type === "begun") this.#setTimer(DEADLINE_MS, () => this.#late());
    else this.#settle(message.problem);
  }

  #post(): void {
    if (!this.#current) return;
    this.#setTimer(START_MS_MAX, () => this.#fail());
    this.#worker?.postMessage(this.#current.message);
  }

  /** An answer may have come while this thread was busy: it is read before the job is ended. */
  #late(): void {
    this.#setTimer(0, () => this.#fail());
  }

  /** The job is late or the worker died: ends both. */
  #fail(): void {
    const job = this.#current;
    this.#endWorker();
    job?.answer(TOO_SLOW);
    this.#startNext();
  }

  #settle(problem: string | null): void {
    const job = this.#current;
    this.#current = null;
    job?.answer(problem);
    this.#startNext();
  }

  #setTimer(ms: number, act: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(ms, act);
  }

  #endWorker(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#current = null;
    this.#isReady = false;
    this.#worker?.terminate();
    this.#worker = null;
  }
}

/** Null: nested too deeply to serialise. */
function jsonOf(values: JsonObject): string | null {
  try {
    return JSON.stringify(values);
  } catch {
    return null;
  }
}
