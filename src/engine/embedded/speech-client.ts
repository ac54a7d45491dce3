/**
 * The call worker's side of the port to the speech worker. Matches replies to speeches and
 * utterances. If the speech worker does not answer, the request ends with EngineFailure after a
 * time-out.
 */

import { EngineFailure, type SttResult } from "../../conversation/engine-port.ts";
import type { Clock } from "../../core/clock.ts";
import type { Lesson, Nearness } from "./meaning/lessons.ts";
import { RepeatedSpeech } from "./repeated-speech.ts";
import type { SpeechReply, SpeechRequest } from "./speech-messages.ts";

export interface SpeechDeadline {
  /** Maximum time from one piece of speech to the next. */
  readonly chunkMs: number;
  /** Maximum time from the end of an utterance to its text. */
  readonly resultMs: number;
  /** Maximum time for comparing the meaning of a text. */
  readonly meaningMs: number;
}

/**
 * Long enough for a speech worker that is still starting or short of CPU. A late text still answers
 * the caller; repeating the question only adds load.
 */
const CALLER_DEADLINE_MS: SpeechDeadline = {
  chunkMs: 6_000,
  resultMs: 16_000,
  meaningMs: 500,
};
const REMEMBERED_MAX = 200;

interface SpeechClientOptions {
  readonly port: MessagePort;
  readonly clock: Clock;
  /** Default: the limits for a caller. */
  readonly deadline?: SpeechDeadline;
}

interface PendingResult {
  resolve(result: SttResult): void;
  reject(error: EngineFailure): void;
}

interface SttChannel {
  readonly sttStreamId: number;
  onPartial: (text: string) => void;
  /** By number: a caller may continue while the recogniser is late. */
  readonly pending: Map<number, PendingResult>;
}

export class SpeechClient {
  #port: MessagePort;
  readonly #clock: Clock;
  readonly deadline: SpeechDeadline;
  readonly #speeches = new Map<number, SpeechStream>();
  readonly #repeated: RepeatedSpeech;
  readonly #sttChannels = new Map<number, SttChannel>();
  /** Opened again in a new speech worker. */
  readonly #openings = new Map<number, Extract<SpeechRequest, { type: "stt_open" }>>();
  /** Sent again if the speech worker does not have them (any more). */
  readonly #lessons = new Map<string, Lesson>();
  readonly #comparisons = new Map<number, (nearness: Nearness | null) => void>();
  /** True while a comparison is pending. No second one is sent meanwhile. */
  #isComparisonOwed = false;
  #nextId = 1;
  /** False while English cannot be recognised: memory is short, or the recogniser failed. */
  canHear = true;

  constructor(options: SpeechClientOptions) {
    this.#port = options.port;
    this.#clock = options.clock;
    this.#repeated = new RepeatedSpeech(options.clock);
    this.deadline = options.deadline ?? CALLER_DEADLINE_MS;
    this.#listen();
  }

  /**
   * Replaces the port of a dead speech worker. Pending requests fail; STT streams are opened again.
   */
  usePort(port: MessagePort): void {
    this.#port.onmessage = null;
    this.#port.close();
    this.#port = port;
    this.#isComparisonOwed = false;
    for (const settle of [...this.#comparisons.values()]) settle(null);
    this.#listen();
    for (const stream of this.#speeches.values()) stream.fail("the speech worker died");
    for (const channel of this.#sttChannels.values()) rejectAll(channel, "the speech worker died");
    for (const opening of this.#openings.values()) this.#port.postMessage(opening);
  }

  #listen(): void {
    this.#port.onmessage = (event: MessageEvent<SpeechReply>) => this.#receive(event.data);
  }

  send(request: SpeechRequest): void {
    if (request.type === "stt_open") this.#openings.set(request.sttStreamId, request);
    this.#port.postMessage(request);
  }

  learn(lesson: Lesson): void {
    remember(this.#lessons, lesson);
    this.send({ type: "learn", lesson });
  }

  /** Null if unknown or timed out. Never rejects. */
  compare(lessonKey: string, text: string): Promise<Nearness | null> {
    if (this.#isComparisonOwed) return Promise.resolve(null);
    const comparisonId = this.#nextId++;
    return new Promise((resolve) => {
      const settle = (nearness: Nearness | null) => {
        timer.cancel();
        this.#comparisons.delete(comparisonId);
        const lesson = this.#lessons.get(lessonKey);
        if (nearness === null && lesson !== undefined) this.send({ type: "learn", lesson });
        resolve(nearness);
      };
      const timer = this.#clock.after(this.deadline.meaningMs, () => {
        this.#isComparisonOwed = true;
        settle(null);
      });
      this.#comparisons.set(comparisonId, settle);
      this.send({ type: "compare", comparisonId, lessonKey, text });
    });
  }

  /**
   * Chunks until the end of the speech. Don't write to them. Aborting, or leaving the loop early,
   * cancels the speech.
   */
  async *speak(
    order: Omit<Extract<SpeechRequest, { type: "speak" }>, "type" | "speechId">,
    signal: AbortSignal,
  ): AsyncGenerator<Int16Array> {
    if (signal.aborted) return;
    const key = JSON.stringify(order);
    const known = this.#repeated.get(key);
    if (known) {
      yield known;
      return;
    }
    const speechId = this.#nextId++;
    const chunks: Int16Array[] = [];
    const stream = new SpeechStream(this.#clock, this.deadline.chunkMs);
    const onAbort = () => stream.end();
    signal.addEventListener("abort", onAbort, { once: true });
    this.#speeches.set(speechId, stream);
    this.send({ type: "speak", speechId, ...order });
    try {
      for (let chunk = await stream.next(); chunk !== null; chunk = await stream.next()) {
        if (signal.aborted) return;
        chunks.push(chunk);
        yield chunk;
      }
      if (stream.complete) this.#repeated.spoken(key, chunks);
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#speeches.delete(speechId);
      if (!stream.complete) this.send({ type: "speak_cancel", speechId });
    }
  }

  openStt(): SttChannel {
    const channel: SttChannel = {
      sttStreamId: this.#nextId++,
      onPartial: () => {},
      pending: new Map(),
    };
    this.#sttChannels.set(channel.sttStreamId, channel);
    return channel;
  }

  endUtterance(channel: SttChannel, utterance: number): Promise<SttResult> {
    return new Promise<SttResult>((resolve, reject) => {
      const settle = () => {
        timer.cancel();
        channel.pending.delete(utterance);
      };
      const timer = this.#clock.after(this.deadline.resultMs, () =>
        pending.reject(new EngineFailure("stt", "the recogniser did not answer in time")),
      );
      const pending: PendingResult = {
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      channel.pending.set(utterance, pending);
      this.send({ type: "stt_finalize", sttStreamId: channel.sttStreamId, utterance });
    });
  }

  closeStt(channel: SttChannel): void {
    if (!this.#sttChannels.delete(channel.sttStreamId)) return;
    this.#openings.delete(channel.sttStreamId);
    rejectAll(channel, "the session was closed");
    this.send({ type: "stt_close", sttStreamId: channel.sttStreamId });
  }

  close(): void {
    this.#repeated.close();
    for (const settle of [...this.#comparisons.values()]) settle(null);
    for (const stream of this.#speeches.values()) stream.end();
    for (const channel of [...this.#sttChannels.values()]) this.closeStt(channel);
    this.#port.close();
  }

  #receive(reply: SpeechReply): void {
    switch (reply.type) {
      case "speech_chunk":
        this.#speeches.get(reply.speechId)?.push(reply.pcm);
        break;
      case "speech_end":
        this.#speeches.get(reply.speechId)?.finish();
        break;
      case "speech_failed":
        this.#speeches.get(reply.speechId)?.fail(reply.detail);
        break;
      case "compared":
        this.#isComparisonOwed = false;
        this.#comparisons.get(reply.comparisonId)?.(reply.nearness);
        break;
      case "stt_partial":
        this.#sttChannels.get(reply.sttStreamId)?.onPartial(reply.text);
        break;
      case "stt_result": {
        const { text, confidence, audioMs } = reply;
        this.#pendingOf(reply)?.resolve({ text, confidence, audioMs });
        break;
      }
      case "hearing":
        this.canHear = reply.isPossible;
        break;
      case "stt_failed":
        this.#pendingOf(reply)?.reject(new EngineFailure("stt", reply.detail));
    }
  }

  #pendingOf(reply: { readonly sttStreamId: number; readonly utterance: number }) {
    return this.#sttChannels.get(reply.sttStreamId)?.pending.get(reply.utterance);
  }
}

function remember<Kept extends { readonly key: string }>(
  all: Map<string, Kept>,
  newest: Kept,
): void {
  all.delete(newest.key);
  all.set(newest.key, newest);
  for (const key of all.keys()) {
    if (all.size <= REMEMBERED_MAX) break;
    all.delete(key);
  }
}

function rejectAll(channel: SttChannel, detail: string): void {
  for (const pending of [...channel.pending.values()])
    pending.reject(new EngineFailure("stt", detail));
}

/** Buffers chunks between the port, which pushes, and the conversation, which pulls. One reader. */
class SpeechStream {
  readonly #chunks: Int16Array[] = [];
  #wake: (() => void) | null = null;
  #state: "open" | "ended" | "failed" = "open";
  #failure = "";
  /** True once the speech worker has sent its last message about the speech. */
  complete = false;

  constructor(
    private readonly clock: Clock,
    private readonly chunkMsMax: number,
  ) {}

  push(pcm: Int16Array): void {
    if (this.#state !== "open") return;
    this.#chunks.push(pcm);
    this.#wake?.();
  }

  finish(): void {
    this.complete = true;
    this.end();
  }

  end(): void {
    if (this.#state === "open") this.#state = "ended";
    this.#wake?.();
  }

  fail(detail: string): void {
    this.complete = true;
    this.#state = "failed";
    this.#failure = detail;
    this.#wake?.();
  }

  /** Null at the end. Rejects with EngineFailure. */
  async next(): Promise<Int16Array | null> {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) return chunk;
    if (this.#state === "open") await this.#change();
    if (this.#state === "failed") throw new EngineFailure("tts", this.#failure);
    return this.#chunks.shift() ?? null;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        timer.cancel();
        this.#wake = null;
        resolve();
      };
      const timer = this.clock.after(this.chunkMsMax, () => {
        this.#state = "failed";
        this.#failure = "the synthesiser did not answer in time";
        wake();
      });
      this.#wake = wake;
    });
  }
}
