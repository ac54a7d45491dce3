/**
 * A worker for jobs whose duration depends on a tenant's input, on the main thread. One job at a
 * time, each with a deadline from its start. At the deadline the worker is terminated, and the next
 * job gets a new one. Tenants rotate, so one tenant's slow jobs delay the others by at most one
 * deadline.
 *
 * The worker starts with the first job and stops after an idle minute.
 */
import type { Clock, Timer } from "../../core/clock.ts";

/** Message from the main thread. */
export type ToJobWorker<Asked> = Asked & { readonly jobId: number };

export type FromJobWorker<Result> =
  | { readonly type: "ready" }
  /** The worker has started the job. */
  | { readonly type: "begun"; readonly jobId: number }
  | { readonly type: "done"; readonly jobId: number; readonly result: Result };

/** `too_slow` also means that the worker died. */
export type JobRefusal = "too_slow" | "too_many" | "closed";

type JobOutcome<Result> =
  | { readonly refused: null; readonly result: Result }
  | { readonly refused: JobRefusal };

interface Job<Asked, Result> {
  readonly tenantId: number;
  readonly message: ToJobWorker<Asked>;
  readonly settle: (outcome: JobOutcome<Result>) => void;
}

interface JobWorkerOptions {
  readonly spawn: () => Worker;
  readonly clock: Clock;
  readonly deadlineMs: number;
}

/** Time limit for starting a thread on a busy machine, and for a running one to start a job. */
const START_MS_MAX = 10_000;
const IDLE_MS_MAX = 60_000;
const JOBS_PER_TENANT_MAX = 32;

/** The caller must `close` it. */
export class JobWorker<Asked, Result> {
  /** By tenant; the longest-waiting one comes first. */
  readonly #waiting = new Map<number, Job<Asked, Result>[]>();
  #servedLast: number | null = null;
  #current: Job<Asked, Result> | null = null;
  #worker: Worker | null = null;
  #isReady = false;
  #timer: Timer | null = null;
  #nextId = 1;
  #closed = false;

  constructor(private readonly options: JobWorkerOptions) {}

  /** Never rejects. */
  async run(tenantId: number, asked: Asked): Promise<JobOutcome<Result>> {
    if (this.#closed) return { refused: "closed" };
    const jobs = this.#waiting.get(tenantId) ?? [];
    if (jobs.length >= JOBS_PER_TENANT_MAX) return { refused: "too_many" };
    return new Promise((settle) => {
      jobs.push({ tenantId, message: { ...asked, jobId: this.#nextId++ }, settle });
      this.#waiting.set(tenantId, jobs);
      this.#startNext();
    });
  }

  /** Rejects the waiting jobs and ends the worker. */
  close(): void {
    this.#closed = true;
    const left = [...(this.#current ? [this.#current] : []), ...[...this.#waiting.values()].flat()];
    this.#waiting.clear();
    this.#endWorker();
    for (const { settle } of left) settle({ refused: "closed" });
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
    const worker = this.options.spawn();
    worker.onmessage = ({ data }: MessageEvent<FromJobWorker<Result>>) => {
      if (worker === this.#worker) this.#hear(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#fail();
    };
    return worker;
  }

  #hear(message: FromJobWorker<Result>): void {
    if (message.type === "ready") {
      this.#isReady = true;
      this.#post();
      return;
    }
    if (message.jobId !== this.#current?.message.jobId) return;
    if (message.type === "begun") this.#setTimer(this.options.deadlineMs, () => this.#late());
    else this.#settle({ refused: null, result: message.result });
  }

  #post(): void {
    if (!this.#current) return;
    this.#setTimer(START_MS_MAX, () => this.#fail());
    this.#worker?.postMessage(this.#current.message);
  }

  /** A result may have arrived while this thread was busy: reads it before the job is ended. */
  #late(): void {
    this.#setTimer(0, () => this.#fail());
  }

  /** The job is late or the worker died: ends both. */
  #fail(): void {
    const job = this.#current;
    this.#endWorker();
    job?.settle({ refused: "too_slow" });
    this.#startNext();
  }

  #settle(outcome: JobOutcome<Result>): void {
    const job = this.#current;
    this.#current = null;
    job?.settle(outcome);
    this.#startNext();
  }

  #setTimer(ms: number, act: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.options.clock.after(ms, act);
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
