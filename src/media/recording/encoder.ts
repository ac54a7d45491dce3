/**
 * The encoder worker on the main thread: a bounded queue, one job at a time, each with a time
 * limit. The worker starts with the first job. A dead worker fails its job and is replaced for the
 * next one. `close` cancels everything. No job leaves a partial file.
 */

import { rm } from "node:fs/promises";
import { type Clock, systemClock, type Timer } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { LeftOpenFiles } from "../../platform/files/left-open.ts";
import { type FromEncoderWorker, partialFileOf, type ToEncoderWorker } from "./encoder-messages.ts";
import type { RecordingTags } from "./id3.ts";
import type { EncodedMp3 } from "./mp3.ts";
import { repairWav } from "./wav.ts";

export interface Encoder {
  /** Corrects the sizes in the header of a WAV file whose writer died (wav.ts). */
  repair(wavPath: string): Promise<{ readonly durationMs: number }>;
  /**
   * Rejects with an AppError, or with the reason of `signal`. `retryable` is true if the encoder
   * was closed or its queue was full (1,000 jobs). It is also true if its worker died or timed out
   * on this file for the first or second time. Otherwise the file cannot be encoded.
   */
  encode(
    wavPath: string,
    mp3Path: string,
    tags: RecordingTags,
    signal?: AbortSignal,
  ): Promise<EncodedMp3>;
  /** Rejects running and waiting jobs and ends the worker. Idempotent. */
  close(): Promise<void>;
}

const JOBS_MAX = 1000;
/** The encoder runs at over 100 × real time: enough for a day of audio on a slow machine. */
const JOB_TIMEOUT_MS = 15 * 60_000;
/** A file that has crashed this many workers is not retried. */
const CRASHES_MAX = 3;

interface Job {
  readonly id: number;
  readonly message: Extract<ToEncoderWorker, { type: "encode" }>;
  resolve(result: EncodedMp3): void;
  /** Descriptors of its files in the worker. */
  descriptors: readonly number[];
  reject(error: unknown): void;
}

/** The caller must `close` it. */
export function createEncoder(spawn: () => Worker, clock: Clock = systemClock): Encoder {
  return new WorkerEncoder(spawn, clock);
}

class WorkerEncoder implements Encoder {
  readonly repair = repairWav;
  readonly #spawn: () => Worker;
  readonly #clock: Clock;
  #waiting: Job[] = [];
  #current: Job | null = null;
  #worker: Worker | null = null;
  #timeout: Timer | null = null;
  #nextId = 1;
  #closed = false;
  readonly #leftOpen: LeftOpenFiles;
  /** Number of crashed workers by WAV file. */
  readonly #crashes = new Map<string, number>();

  constructor(spawn: () => Worker, clock: Clock) {
    this.#spawn = spawn;
    this.#clock = clock;
    this.#leftOpen = new LeftOpenFiles(clock);
  }

  encode(
    wavPath: string,
    mp3Path: string,
    tags: RecordingTags,
    signal?: AbortSignal,
  ): Promise<EncodedMp3> {
    if (this.#closed) return Promise.reject(unavailable("the encoder is closed"));
    if (this.#waiting.length >= JOBS_MAX) {
      return Promise.reject(unavailable("too many recordings wait"));
    }
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = this.#nextId++;
    return new Promise<EncodedMp3>((resolve, reject) => {
      const onAbort = () => this.#cancel(id, signal?.reason);
      const settle = () => signal?.removeEventListener("abort", onAbort);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push({
        id,
        descriptors: [],
        message: { type: "encode", jobId: id, wavPath, mp3Path, tags },
        resolve(result) {
          settle();
          resolve(result);
        },
        reject(error) {
          settle();
          reject(error);
        },
      });
      this.#startNext();
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const left = this.#current ? [this.#current, ...this.#waiting] : this.#waiting;
    this.#waiting = [];
    await this.#dismissWorker();
    this.#leftOpen.stop();
    for (const job of left) job.reject(unavailable("shutting down"));
  }

  #startNext(): void {
    if (this.#current || this.#closed) return;
    const job = this.#waiting.shift();
    if (!job) return;
    this.#current = job;
    this.#timeout = this.#clock.after(JOB_TIMEOUT_MS, () => this.#workerFailed("it took too long"));
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage(job.message);
  }

  #startWorker(): Worker {
    const worker = this.#spawn();
    worker.onmessage = (event: MessageEvent<FromEncoderWorker>) => this.#settle(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#workerFailed(event.message);
    };
    return worker;
  }

  #settle(message: FromEncoderWorker): void {
    const job = this.#current;
    if (!job || job.id !== message.jobId) return;
    if (message.type === "opened") {
      job.descriptors = message.descriptors;
      return;
    }
    this.#finishCurrent();
    this.#crashes.delete(job.message.wavPath);
    if (message.type === "encoded") {
      const { durationMs, bytes, peaks } = message;
      job.resolve({ durationMs, bytes, peaks });
    } else {
      job.reject(failed(message.reason));
    }
    this.#startNext();
  }

  #workerFailed(reason: string): void {
    const job = this.#current;
    const dismissed = this.#dismissWorker();
    if (job) void dismissed.then(() => job.reject(this.#crashOf(job.message.wavPath, reason)));
    this.#startNext();
  }

  /** The worker may have run out of memory: the file is retried. */
  #crashOf(wavPath: string, reason: string): AppError {
    const crashes = (this.#crashes.get(wavPath) ?? 0) + 1;
    if (crashes < CRASHES_MAX) {
      this.#crashes.set(wavPath, crashes);
      return unavailable(`the worker died: ${reason}`);
    }
    this.#crashes.delete(wavPath);
    return failed(`${crashes} workers died: ${reason}`);
  }

  /** The worker removes the partial file itself. The next job starts after that. */
  #cancel(id: number, reason: unknown): void {
    if (this.#current?.id === id) {
      const cancel: ToEncoderWorker = { type: "cancel", jobId: id };
      this.#worker?.postMessage(cancel);
      return;
    }
    const job = this.#waiting.find((waiting) => waiting.id === id);
    this.#waiting = this.#waiting.filter((waiting) => waiting.id !== id);
    job?.reject(reason);
  }

  /** After a worker is terminated during a job, the main thread must remove the partial file. */
  async #dismissWorker(): Promise<void> {
    const job = this.#current;
    this.#finishCurrent();
    this.#worker?.terminate();
    this.#worker = null;
    if (!job) return;
    const { wavPath, mp3Path } = job.message;
    this.#leftOpen.add([wavPath, partialFileOf(mp3Path)], job.descriptors);
    await rm(partialFileOf(mp3Path), { force: true }).catch(() => {});
  }

  #finishCurrent(): void {
    this.#current = null;
    this.#timeout?.cancel();
    this.#timeout = null;
  }
}

function failed(reason: string): AppError {
  return new AppError({
    code: "engine",
    publicMessage: "The recording could not be encoded.",
    internal: `MP3 encoding: ${reason}`,
  });
}

function unavailable(internal: string): AppError {
  return new AppError({
    code: "unavailable",
    publicMessage: "The recording cannot be encoded now.",
    internal: `MP3 encoding: ${internal}`,
    retryable: true,
  });
}
