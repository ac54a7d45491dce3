/**
 * Threads that recognise English speech, each with one model. The first caller starts the first
 * thread. Another one starts if an utterance would wait. A thread reads one utterance at a time.
 * The others wait here and can still be dropped. A thread that fails or does not answer is ended;
 * the next one starts after a minute. No thread starts while memory is short: the system would kill
 * the program. Callers are then offered keys.
 */
import type { Clock, Timer } from "../../../core/clock.ts";
import { describeError } from "../../../core/errors.ts";
import { availableMemoryMb } from "../../../platform/memory/available.ts";
import { missingMemoryMb } from "../hearing-memory.ts";
import { LESSONS_MAX, type Lesson, type Nearness } from "../meaning/lessons.ts";
import type { FromTranscriber, ToTranscribe, ToTranscriber, Transcript } from "./messages.ts";

export interface TranscriberThread {
  postMessage(message: ToTranscriber): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  addEventListener(type: "error" | "close", listener: (event: Event) => void): void;
  terminate(): void;
}

export interface Transcription {
  /** Null if the utterance was dropped or cannot be read. */
  readonly result: Promise<Transcript | null>;
  drop(): void;
}

interface TranscriberOptions {
  readonly spawn: () => TranscriberThread;
  readonly clock: Clock;
  /** Called when the first thread has started or the last one has ended. */
  readonly onLoaded?: (isLoaded: boolean) => void;
  /** Called when no thread works. Called again only after one has worked in between. */
  readonly onFailed?: (detail: string) => void;
  readonly availableMb?: () => number | null;
}

const RESTART_PAUSE_MS = 60_000;
/** Far more than loading the model or the longest utterance takes on a busy machine. */
const ANSWER_MS_MAX = 60_000;

interface Job extends Omit<ToTranscribe, "id"> {
  settle(transcript: Transcript | null): void;
}

interface Running {
  readonly thread: TranscriberThread;
  isReady: boolean;
  /** Run once the thread is ready or ended. */
  readonly afterLoading: (() => void)[];
  job: Job | null;
  /** Time limit for the thread's current answer. */
  limit: Timer;
}

export class Transcriber {
  /** Maximum number of threads. */
  threadsMax = 1;
  readonly #threads: Running[] = [];
  readonly #waiting = new Set<Job>();
  readonly #comparisons = new Map<number, (nearness: Nearness | null) => void>();
  /** Sent to the next first thread: only an STT stream starts one. */
  readonly #lessons = new Map<string, Lesson>();
  #nextId = 1;
  #pausedUntil = 0;
  #reportedFailure = false;

  constructor(private readonly options: TranscriberOptions) {}

  /** True if a thread is running or may be started now. */
  get canRead(): boolean {
    return this.#threads.length > 0 || this.#mayStart;
  }

  /** Runs a task once the first thread has loaded its model; at once if it has, or if no thread is running. */
  afterLoading(task: () => void): void {
    const [first] = this.#threads;
    if (first === undefined || first.isReady) task();
    else first.afterLoading.push(task);
  }

  get #mayStart(): boolean {
    const { clock, availableMb = availableMemoryMb } = this.options;
    return clock.monotonic() >= this.#pausedUntil && missingMemoryMb(availableMb()) === 0;
  }

  /** Starts the first thread. Returns false if none is running and none may start. */
  load(): boolean {
    if (this.#threads.length > 0) return true;
    if (!this.#mayStart) return false;
    this.#start();
    return this.#threads.length > 0;
  }

  #start(): void {
    try {
      const thread = this.options.spawn();
      const running: Running = {
        thread,
        isReady: false,
        afterLoading: [],
        job: null,
        limit: this.#limit(() => running),
      };
      this.#threads.push(running);
      this.#listen(running);
      if (this.#threads.length > 1) return;
      this.options.onLoaded?.(true);
      for (const lesson of this.#lessons.values()) thread.postMessage({ type: "learn", lesson });
    } catch (error) {
      this.#failed(null, describeError(error));
    }
  }

  #limit(late: () => Running): Timer {
    return this.options.clock.after(ANSWER_MS_MAX, () =>
      this.#failed(late(), `no answer in ${ANSWER_MS_MAX / 1_000} seconds`),
    );
  }

  #listen(running: Running): void {
    const isUsed = () => this.#threads.includes(running);
    running.thread.addEventListener("message", (event) => {
      if (isUsed()) this.#receive(running, event.data as FromTranscriber);
    });
    for (const end of ["error", "close"] as const)
      running.thread.addEventListener(end, (event) => {
        event.preventDefault();
        if (!isUsed()) return;
        this.#failed(running, event instanceof ErrorEvent ? event.message : "the thread ended");
      });
  }

  /** Drops the thread's utterance, and all waiting ones if no other thread is left. */
  #failed(running: Running | null, detail: string): void {
    this.#pausedUntil = this.options.clock.monotonic() + RESTART_PAUSE_MS;
    if (running !== null) this.#end(running);
    if (this.#threads.length === 0) this.unload();
    else this.#next();
    if (this.#reportedFailure) return;
    this.#reportedFailure = true;
    this.options.onFailed?.(detail);
  }

  #end(running: Running): void {
    if (running === this.#threads[0]) this.#forgetComparisons();
    this.#threads.splice(this.#threads.indexOf(running), 1);
    running.limit.cancel();
    running.thread.terminate();
    this.#loaded(running);
    running.job?.settle(null);
    if (this.#threads.length === 0) this.options.onLoaded?.(false);
  }

  #loaded(running: Running): void {
    running.isReady = true;
    for (const task of running.afterLoading.splice(0)) task();
  }

  #forgetComparisons(): void {
    for (const settle of this.#comparisons.values()) settle(null);
    this.#comparisons.clear();
  }

  /** Ends the threads, frees their memory and drops waiting utterances. */
  unload(): void {
    for (const running of [...this.#threads]) this.#end(running);
    for (const job of this.#waiting) job.settle(null);
    this.#waiting.clear();
    this.#forgetComparisons();
  }

  /** Sends an agent's topics, which the thread encodes between utterances. */
  learn(lesson: Lesson): void {
    this.#lessons.delete(lesson.key);
    this.#lessons.set(lesson.key, lesson);
    for (const oldest of this.#lessons.keys()) {
      if (this.#lessons.size <= LESSONS_MAX) break;
      this.#lessons.delete(oldest);
    }
    this.#threads[0]?.thread.postMessage({ type: "learn", lesson });
  }

  /** Null if the topics are not encoded (yet), or if the thread is gone. */
  compare(key: string, text: string): Promise<Nearness | null> {
    const [first] = this.#threads;
    if (!first?.isReady) return Promise.resolve(null);
    const id = this.#nextId++;
    first.thread.postMessage({ type: "compare", id, key, text });
    return new Promise((resolve) => this.#comparisons.set(id, resolve));
  }

  transcribe(pcm: Int16Array, sampleRateHz: 8000 | 16000): Transcription {
    const { promise: result, resolve: settle } = Promise.withResolvers<Transcript | null>();
    const job: Job = { pcm, sampleRateHz, settle };
    if (!this.load()) {
      settle(null);
      return { result, drop() {} };
    }
    this.#waiting.add(job);
    this.#next();
    return {
      result,
      drop: () => {
        this.#waiting.delete(job);
        settle(null);
      },
    };
  }

  /** Uses the last thread first, because the first one also compares meanings. */
  #next(): void {
    for (const job of this.#waiting) {
      const idle = this.#threads.findLast(({ isReady, job: own }) => isReady && own === null);
      if (idle === undefined) break;
      this.#waiting.delete(job);
      this.#give(idle, job);
    }
    const isStarting = this.#threads.some(({ isReady }) => !isReady);
    const isMore = this.#waiting.size > 0 && !isStarting && this.#threads.length < this.threadsMax;
    if (isMore && this.#mayStart) this.#start();
  }

  #give(running: Running, job: Job): void {
    running.job = job;
    running.limit = this.#limit(() => running);
    const { pcm, sampleRateHz } = job;
    running.thread.postMessage({ type: "transcribe", id: this.#nextId++, pcm, sampleRateHz });
  }

  #receive(running: Running, message: FromTranscriber): void {
    if (message.type === "compared") {
      this.#comparisons.get(message.id)?.(message.nearness);
      this.#comparisons.delete(message.id);
      return;
    }
    running.limit.cancel();
    if (message.type === "failed") {
      this.#failed(running, message.detail);
      return;
    }
    this.#loaded(running);
    if (message.type === "transcript") {
      this.#reportedFailure = false;
      const { text, confidence } = message;
      running.job?.settle({ text, confidence });
      running.job = null;
    }
    this.#next();
  }
}
