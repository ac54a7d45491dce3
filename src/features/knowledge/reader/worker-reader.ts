/**
 * The reader worker on the main thread: one document at a time, tenants in rotation, each with a
 * deadline and a memory limit. A document that exceeds one of them ends the worker, and the next
 * document gets a new one. The worker starts with the first document and ends after some idle time,
 * so that its memory is freed.
 */
import type { Clock, Timer } from "../../../core/clock.ts";
import type { Log } from "../../../core/log.ts";
import type { WorkerHandle } from "../../../core/worker-handle.ts";
import {
  type DocumentHint,
  type DocumentProblem,
  type DocumentReader,
  documentRefused,
  type ReadDocument,
  readerBusy,
} from "../documents.ts";
import type { FromReaderWorker, ToReaderWorker } from "./messages.ts";

interface WorkerReaderOptions {
  readonly spawn: () => WorkerHandle;
  readonly clock: Clock;
  readonly log: Log;
  readonly memoryBytes?: () => number;
}

export interface WorkerReader extends DocumentReader {
  close(): void;
}

const READ_MS_MAX = 60_000;
/** Limit for the whole process, since the start of the document. */
const MEMORY_GROWTH_BYTES_MAX = 384 * 1024 * 1024;
const MEMORY_LOOK_MS = 100;
const IDLE_MS_MAX = 30_000;
const WAITING_MAX = 16;

interface Job {
  readonly tenantId: number;
  readonly message: ToReaderWorker;
  readonly settle: (result: ReadDocument | DocumentProblem | "busy") => void;
}

/** The caller must `close` it. */
export const createWorkerReader = (options: WorkerReaderOptions): WorkerReader =>
  new Client(options);

class Client implements WorkerReader {
  #worker: WorkerHandle | null = null;
  #current: Job | null = null;
  readonly #waiting: Job[] = [];
  /** Number of the last document started per tenant; cleared when nobody waits. */
  readonly #turns = new Map<number, number>();
  #begun = 0;
  #timers: readonly Timer[] = [];
  #nextId = 1;
  #closed = false;

  constructor(private readonly options: WorkerReaderOptions) {}

  async read(
    tenantId: number,
    bytes: Uint8Array<ArrayBuffer>,
    hint: DocumentHint,
  ): Promise<ReadDocument> {
    if (this.#closed || this.#waiting.length >= WAITING_MAX) throw readerBusy();
    const message = { jobId: this.#nextId++, bytes, hint };
    const result = await new Promise<ReadDocument | DocumentProblem | "busy">((settle) => {
      this.#waiting.push({ tenantId, message, settle });
      this.#startNext();
    });
    if (result === "busy") throw readerBusy();
    if (typeof result === "string") throw documentRefused(result);
    return result;
  }

  close(): void {
    this.#closed = true;
    const left = [...(this.#current ? [this.#current] : []), ...this.#waiting.splice(0)];
    this.#current = null;
    this.#endWorker();
    for (const { settle } of left) settle("busy");
  }

  #startNext(): void {
    if (this.#current || this.#closed) return;
    const job = this.#takeNext();
    const { clock, memoryBytes = () => process.memoryUsage.rss() } = this.options;
    for (const timer of this.#timers) timer.cancel();
    if (!job) {
      this.#timers = [clock.after(IDLE_MS_MAX, () => this.#endWorker())];
      return;
    }
    this.#current = job;
    const before = memoryBytes();
    this.#timers = [
      clock.after(READ_MS_MAX, () => this.#giveUp("time")),
      clock.every(MEMORY_LOOK_MS, () => {
        if (memoryBytes() - before > MEMORY_GROWTH_BYTES_MAX) this.#giveUp("memory");
      }),
    ];
    this.#worker ??= this.#start();
    this.#worker.postMessage(job.message, [job.message.bytes.buffer]);
  }

  /** The oldest document of the tenant whose last turn was longest ago. */
  #takeNext(): Job | undefined {
    const turnOf = ({ tenantId }: Job) => this.#turns.get(tenantId) ?? 0;
    const next = this.#waiting.reduce<Job | undefined>(
      (first, job) => (first && turnOf(first) <= turnOf(job) ? first : job),
      undefined,
    );
    if (!next) {
      this.#turns.clear();
      return;
    }
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#turns.set(next.tenantId, ++this.#begun);
    return next;
  }

  #start(): WorkerHandle {
    const worker = this.options.spawn();
    worker.addEventListener("message", (event) => {
      const { jobId, result } = event.data as FromReaderWorker;
      if (worker === this.#worker && jobId === this.#current?.message.jobId) this.#finish(result);
    });
    const died = () => {
      if (worker === this.#worker) this.#giveUp("died");
    };
    worker.addEventListener("error", (event) => {
      event.preventDefault?.();
      died();
    });
    worker.addEventListener("close", died);
    return worker;
  }

  #giveUp(why: "time" | "memory" | "died"): void {
    this.#endWorker();
    if (!this.#current) return;
    this.options.log.warn("knowledge.document_given_up", { why });
    this.#finish(why === "died" ? "broken" : "too_slow");
  }

  #finish(result: ReadDocument | DocumentProblem): void {
    const job = this.#current;
    this.#current = null;
    job?.settle(result);
    this.#startNext();
  }

  #endWorker(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
    const worker = this.#worker;
    this.#worker = null;
    worker?.terminate();
  }
}
