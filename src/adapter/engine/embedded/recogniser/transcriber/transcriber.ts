/**
 * Moonshine on a thread of its own, whose memory is given back with it. One utterance is with the thread
 * at a time; further ones wait here, where they can still be dropped.
 */
import type { FromTranscriber, ToTranscriber, Transcript } from "./messages.ts";

export interface TranscriberThread {
  postMessage(message: ToTranscriber): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  addEventListener(type: "error" | "close", listener: (event: Event) => void): void;
  terminate(): void;
}

export interface Transcription {
  /** Null: dropped, or the thread is gone. */
  readonly result: Promise<Transcript | null>;
  drop(): void;
}

interface Job extends Omit<ToTranscriber, "id"> {
  settle(transcript: Transcript | null): void;
}

export class Transcriber {
  #thread: TranscriberThread | null = null;
  #isReady = false;
  readonly #waiting = new Set<Job>();
  #running: Job | null = null;
  #nextId = 1;

  constructor(private readonly spawn: () => TranscriberThread) {}

  /** Starts the thread where there is none. */
  load(): void {
    if (this.#thread !== null) return;
    const thread = this.spawn();
    this.#thread = thread;
    thread.addEventListener("message", (event) => {
      if (thread === this.#thread) this.#receive(event.data as FromTranscriber);
    });
    for (const end of ["error", "close"] as const)
      thread.addEventListener(end, (event) => {
        event.preventDefault();
        if (thread === this.#thread) this.unload();
      });
  }

  /** Ends the thread; what it was asked comes to nothing. */
  unload(): void {
    this.#thread?.terminate();
    this.#thread = null;
    this.#isReady = false;
    const jobs = [...this.#waiting, ...(this.#running === null ? [] : [this.#running])];
    this.#waiting.clear();
    this.#running = null;
    for (const job of jobs) job.settle(null);
  }

  transcribe(pcm: Int16Array, sampleRateHz: 8000 | 16000): Transcription {
    const { promise: result, resolve: settle } = Promise.withResolvers<Transcript | null>();
    const job = { pcm, sampleRateHz, settle };
    this.#waiting.add(job);
    this.load();
    this.#next();
    return {
      result,
      drop: () => {
        this.#waiting.delete(job);
        settle(null);
      },
    };
  }

  #next(): void {
    const [job] = this.#waiting;
    if (!this.#isReady || this.#running !== null || job === undefined) return;
    this.#waiting.delete(job);
    this.#running = job;
    const { pcm, sampleRateHz } = job;
    this.#thread?.postMessage({ id: this.#nextId++, pcm, sampleRateHz });
  }

  #receive(message: FromTranscriber): void {
    if (message.type === "failed") {
      this.unload();
      return;
    }
    this.#isReady = true;
    if (message.type === "transcript") {
      const { text, evidence } = message;
      this.#running?.settle({ text, evidence });
      this.#running = null;
    }
    this.#next();
  }
}
