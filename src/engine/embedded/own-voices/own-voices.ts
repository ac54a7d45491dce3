/**
 * The operator's voices for a speech worker. A thread loads their files and speaks one sentence
 * after another. The result is null if a sentence fails or times out; then eSpeak NG speaks it. A
 * dead thread is not restarted.
 */
import type { Clock } from "../../../core/clock.ts";
import type { AgentLanguage, AgentVoice } from "../../../features/agent/agent.ts";
import type { FromVoices, ToVoices } from "./messages.ts";
import { filesOf, type VoiceFiles } from "./voice-files.ts";

export interface VoiceThread {
  postMessage(message: ToVoices): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  addEventListener(type: "error" | "close", listener: (event: Event) => void): void;
  terminate(): void;
}

export interface OwnVoice {
  readonly file: string;
  readonly espeakVoice: string;
  readonly sampleRateHz: number;
}

interface OwnVoicesOptions {
  readonly spawn: () => VoiceThread;
  readonly clock: Clock;
  /** Called once per file. */
  readonly onFailed: (file: string, detail: string) => void;
}

/** Shorter than the wait for a piece of speech, so that eSpeak NG can still speak it. */
const SENTENCE_MS_MAX = 4_000;

export class OwnVoices {
  #files: VoiceFiles = {};
  #thread: VoiceThread | null = null;
  readonly #loading = new Set<string>();
  readonly #loaded = new Map<string, OwnVoice>();
  readonly #failed = new Set<string>();
  readonly #waiting = new Map<number, (pcm: Int16Array | null) => void>();
  #idle = Promise.withResolvers<void>();
  #nextId = 1;

  constructor(private readonly options: OwnVoicesOptions) {}

  /** Starts the thread, unless there are no files. Resolves when each file is loaded or has failed. */
  load(files: VoiceFiles): Promise<void> {
    this.#files = files;
    const names = filesOf(files);
    if (names.length === 0 || this.#thread !== null) return Promise.resolve();
    this.#thread = this.options.spawn();
    this.#listen(this.#thread);
    for (const file of names) {
      this.#loading.add(file);
      this.#thread.postMessage({ type: "load", file });
    }
    return this.#idle.promise;
  }

  /** Null if the operator has no such voice, or if it is not loaded (yet). */
  find(language: string, voice: string): OwnVoice | null {
    const file = this.#files[language as AgentLanguage]?.[voice as AgentVoice];
    return file === undefined ? null : (this.#loaded.get(file) ?? null);
  }

  speak({ file }: OwnVoice, phonemes: string, ratePercent: number): Promise<Int16Array | null> {
    if (this.#thread === null) return Promise.resolve(null);
    const id = this.#nextId++;
    const { promise, resolve } = Promise.withResolvers<Int16Array | null>();
    const late = this.options.clock.after(SENTENCE_MS_MAX, () => this.#settle(id, null));
    this.#waiting.set(id, (pcm) => {
      late.cancel();
      resolve(pcm);
    });
    this.#thread.postMessage({ type: "speak", id, file, phonemes, ratePercent });
    return promise;
  }

  close(): void {
    this.#end();
  }

  #listen(thread: VoiceThread): void {
    thread.addEventListener("message", ({ data }) => {
      if (thread === this.#thread) this.#receive(data as FromVoices);
    });
    for (const end of ["error", "close"] as const)
      thread.addEventListener(end, (event) => {
        event.preventDefault();
        if (thread !== this.#thread) return;
        const detail = event instanceof ErrorEvent ? event.message : "its thread ended";
        for (const file of filesOf(this.#files)) this.#fail(file, `${file}: ${detail}`);
        this.#end();
      });
  }

  #receive(message: FromVoices): void {
    if (message.type === "spoken") this.#settle(message.id, message.pcm);
    else if (message.type === "unspoken") this.#settle(message.id, null);
    else {
      if (message.type === "failed") this.#fail(message.file, message.detail);
      else this.#loaded.set(message.file, message);
      this.#loading.delete(message.file);
      if (this.#loading.size === 0) this.#idle.resolve();
    }
  }

  #fail(file: string, detail: string): void {
    this.#loaded.delete(file);
    if (this.#failed.has(file)) return;
    this.#failed.add(file);
    this.options.onFailed(file, detail);
  }

  #settle(id: number, pcm: Int16Array | null): void {
    const settle = this.#waiting.get(id);
    this.#waiting.delete(id);
    settle?.(pcm);
  }

  #end(): void {
    this.#thread?.terminate();
    this.#thread = null;
    this.#loaded.clear();
    for (const id of [...this.#waiting.keys()]) this.#settle(id, null);
    this.#idle.resolve();
  }
}
