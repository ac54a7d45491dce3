/**
 * Moonshine on a thread of its own, whose memory is given back with it. One utterance is with the thread
 * at a time; further ones wait here, where they can still be dropped. A thread that fails, or does not
 * answer, is ended, and another one started after a minute at the earliest. What cannot be read in time, as
 * more talk than the thread can follow, is not begun: nobody waits for it.
 */
import type { Clock, Timer } from "../../../../../core/clock.ts";
import { describeError } from "../../../../../core/errors.ts";
import type { Lesson, Nearness } from "../../meaning/meanings.ts";
import type { FromTranscriber, ToTranscribe, ToTranscriber, Transcript } from "./messages.ts";

export interface TranscriberThread {
  postMessage(message: ToTranscriber): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  addEventListener(type: "error" | "close", listener: (event: Event) => void): void;
  terminate(): void;
}

export interface Transcription {
  /** There is no time for it: it was not begun. */
  readonly isSkipped: boolean;
  /** Null: not begun, dropped, or the thread is gone. */
  readonly result: Promise<Transcript | null>;
  drop(): void;
}

interface TranscriberOptions {
  readonly spawn: () => TranscriberThread;
  readonly clock: Clock;
  /** The thread failed. Said once, and again only when it worked in between. */
  readonly onFailed?: (detail: string) => void;
}

/** Who talk at once and are read in time, on a core of their own. */
export const TALKERS_READ_TWICE = 3;

const RESTART_PAUSE_MS = 60_000;
/** Far more than the longest utterance takes, or the model to load, on a busy machine. */
const ANSWER_MS_MAX = 30_000;
/** Share of the newest reading in how long readings take. */
const NEWEST_SHARE = 0.3;
/** Of how long readings are believed to take, with each that was not begun: a slow moment is forgotten. */
const FORGETTING = 0.9;

interface Job extends Omit<ToTranscribe, "id"> {
  settle(transcript: Transcript | null): void;
}

export class Transcriber {
  #thread: TranscriberThread | null = null;
  #isReady = false;
  readonly #waiting = new Set<Job>();
  #running: Job | null = null;
  readonly #comparisons = new Map<number, (nearness: Nearness | null) => void>();
  #nextId = 1;
  #pausedUntil = 0;
  #saidFailed = false;
  /** Runs while the thread owes an answer. */
  #limit: Timer | null = null;
  #askedAt = 0;
  /** For a second of sound, lately. 0: not known. */
  #readingMs = 0;

  constructor(private readonly options: TranscriberOptions) {}

  /** Starts the thread where there is none. */
  load(): void {
    const { spawn, clock } = this.options;
    if (this.#thread !== null || clock.monotonic() < this.#pausedUntil) return;
    try {
      this.#listen(spawn());
    } catch (error) {
      this.#failed(describeError(error));
    }
  }

  #listen(thread: TranscriberThread): void {
    this.#thread = thread;
    this.#expectAnswer();
    thread.addEventListener("message", (event) => {
      if (thread === this.#thread) this.#receive(event.data as FromTranscriber);
    });
    for (const end of ["error", "close"] as const)
      thread.addEventListener(end, (event) => {
        event.preventDefault();
        if (thread !== this.#thread) return;
        this.#failed(event instanceof ErrorEvent ? event.message : "the thread ended");
      });
  }

  #expectAnswer(): void {
    this.#limit = this.options.clock.after(ANSWER_MS_MAX, () =>
      this.#failed(`no answer in ${ANSWER_MS_MAX / 1_000} seconds`),
    );
  }

  #failed(detail: string): void {
    this.unload();
    this.#pausedUntil = this.options.clock.monotonic() + RESTART_PAUSE_MS;
    if (this.#saidFailed) return;
    this.#saidFailed = true;
    this.options.onFailed?.(detail);
  }

  /** Ends the thread; what it was asked comes to nothing. */
  unload(): void {
    this.#limit?.cancel();
    this.#thread?.terminate();
    this.#thread = null;
    this.#isReady = false;
    const jobs = [...this.#waiting, ...(this.#running === null ? [] : [this.#running])];
    this.#waiting.clear();
    this.#running = null;
    for (const job of jobs) job.settle(null);
    for (const settle of this.#comparisons.values()) settle(null);
    this.#comparisons.clear();
  }

  /** What an agent can be asked, by its meaning: between utterances, and forgotten when the thread ends. */
  learn(lesson: Lesson): void {
    this.load();
    this.#thread?.postMessage({ type: "learn", lesson });
  }

  /** Null: not learnt (yet), or the thread is gone. */
  compare(key: string, text: string): Promise<Nearness | null> {
    if (this.#thread === null || !this.#isReady) return Promise.resolve(null);
    const id = this.#nextId++;
    this.#thread.postMessage({ type: "compare", id, key, text });
    return new Promise((resolve) => this.#comparisons.set(id, resolve));
  }

  /** `withinMs`: nobody waits longer for it. */
  transcribe(
    pcm: Int16Array,
    sampleRateHz: 8000 | 16000,
    withinMs = Number.POSITIVE_INFINITY,
  ): Transcription {
    const { promise: result, resolve: settle } = Promise.withResolvers<Transcript | null>();
    const job = { pcm, sampleRateHz, settle };
    if (this.#expectedMs(job) > withinMs) {
      this.#readingMs *= FORGETTING;
      settle(null);
      return { isSkipped: true, result, drop() {} };
    }
    this.#waiting.add(job);
    this.load();
    if (this.#thread === null) this.unload();
    else this.#next();
    return {
      isSkipped: false,
      result,
      drop: () => {
        this.#waiting.delete(job);
        settle(null);
      },
    };
  }

  /** Until it is read, after those before it. */
  #expectedMs(job: Job): number {
    const before = [...this.#waiting, ...(this.#running === null ? [] : [this.#running])];
    return this.#readingMs * [...before, job].reduce((sum, each) => sum + secondsOf(each), 0);
  }

  #next(): void {
    const [job] = this.#waiting;
    if (!this.#isReady || this.#running !== null || job === undefined) return;
    this.#waiting.delete(job);
    this.#running = job;
    const { pcm, sampleRateHz } = job;
    this.#expectAnswer();
    this.#askedAt = this.options.clock.monotonic();
    this.#thread?.postMessage({ type: "transcribe", id: this.#nextId++, pcm, sampleRateHz });
  }

  #receive(message: FromTranscriber): void {
    if (message.type === "compared") {
      this.#comparisons.get(message.id)?.(message.nearness);
      this.#comparisons.delete(message.id);
      return;
    }
    this.#limit?.cancel();
    if (message.type === "failed") {
      this.#failed(message.detail);
      return;
    }
    this.#isReady = true;
    if (message.type === "transcript") {
      this.#saidFailed = false;
      const { text, evidence } = message;
      if (this.#running !== null) this.#learnPace(this.#running);
      this.#running?.settle({ text, evidence });
      this.#running = null;
    }
    this.#next();
  }

  #learnPace(job: Job): void {
    const pace = (this.options.clock.monotonic() - this.#askedAt) / secondsOf(job);
    const before = this.#readingMs === 0 ? pace : this.#readingMs;
    this.#readingMs = NEWEST_SHARE * pace + (1 - NEWEST_SHARE) * before;
  }
}

const secondsOf = ({ pcm, sampleRateHz }: Job) => Math.max(1, pcm.length) / sampleRateHz;
