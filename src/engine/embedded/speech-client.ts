/**
 * The call worker's side of the port to the speech worker: matches replies to the speeches and
 * utterances they belong to. A speech worker that does not answer shows as EngineFailure after a
 * time-out, never as a wait without end.
 */
import type { Clock } from "../../core/clock.ts";
import type { GrammarSource, SpeechReply, SpeechRequest } from "../../worker/speech-messages.ts";
import { EngineFailure, type Heard } from "../ports.ts";

export interface SpeechPatience {
  /** From one piece of speech to the next. */
  readonly chunkMs: number;
  /** From the end of an utterance to what was heard. */
  readonly heardMs: number;
}

/** What a caller waits for. Covers a speech worker that is still starting. */
export const CALLERS_PATIENCE: SpeechPatience = { chunkMs: 6_000, heardMs: 4_000 };
const GRAMMARS_KEPT_MAX = 200;

export interface SpeechClientOptions {
  readonly port: MessagePort;
  readonly clock: Clock;
  /** Default: a caller's. */
  readonly patience?: SpeechPatience;
}

interface PendingHeard {
  resolve(heard: Heard): void;
  reject(error: EngineFailure): void;
}

export interface EarChannel {
  readonly earId: number;
  onPartial: (text: string) => void;
  /** By number: a caller may go on while the recogniser is late. */
  readonly pending: Map<number, PendingHeard>;
}

export class SpeechClient {
  #port: MessagePort;
  readonly #clock: Clock;
  readonly #patience: SpeechPatience;
  readonly #speeches = new Map<number, SpeechStream>();
  readonly #ears = new Map<number, EarChannel>();
  /** What a new speech worker must be told again: grammars in use and open ears. */
  readonly #grammars = new Map<string, GrammarSource>();
  readonly #openings = new Map<number, Extract<SpeechRequest, { type: "ear_open" }>>();
  #nextId = 1;

  constructor(options: SpeechClientOptions) {
    this.#port = options.port;
    this.#clock = options.clock;
    this.#patience = options.patience ?? CALLERS_PATIENCE;
    this.#listen();
  }

  /** The old port leads nowhere any more: what was asked over it fails, ears are opened anew. */
  usePort(port: MessagePort): void {
    this.#port.onmessage = null;
    this.#port.close();
    this.#port = port;
    this.#listen();
    for (const stream of this.#speeches.values()) stream.fail("the speech worker died");
    for (const ear of this.#ears.values()) rejectAll(ear, "the speech worker died");
    const inUse = new Set([...this.#openings.values()].map(({ grammarKey }) => grammarKey));
    for (const key of inUse) {
      const grammar = this.#grammars.get(key);
      if (grammar) this.send({ type: "prepare", grammar });
    }
    for (const opening of this.#openings.values()) this.#port.postMessage(opening);
  }

  #listen(): void {
    this.#port.onmessage = (event: MessageEvent<SpeechReply>) => this.#receive(event.data);
  }

  send(request: SpeechRequest): void {
    if (request.type === "ear_open") this.#openings.set(request.earId, request);
    this.#port.postMessage(request);
  }

  prepare(grammar: GrammarSource): void {
    this.#keepGrammar(grammar);
    this.send({ type: "prepare", grammar });
  }

  /** Chunks until the end of the speech. Aborting, or leaving the loop early, cancels it. */
  async *speak(
    order: Omit<Extract<SpeechRequest, { type: "speak" }>, "type" | "speechId">,
    signal: AbortSignal,
  ): AsyncGenerator<Int16Array> {
    if (signal.aborted) return;
    const speechId = this.#nextId++;
    const stream = new SpeechStream(this.#clock, this.#patience.chunkMs);
    const onAbort = () => stream.end();
    signal.addEventListener("abort", onAbort, { once: true });
    this.#speeches.set(speechId, stream);
    this.send({ type: "speak", speechId, ...order });
    try {
      for (let chunk = await stream.next(); chunk !== null; chunk = await stream.next()) {
        if (signal.aborted) return;
        yield chunk;
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#speeches.delete(speechId);
      if (!stream.complete) this.send({ type: "speak_cancel", speechId });
    }
  }

  openEar(): EarChannel {
    const ear: EarChannel = { earId: this.#nextId++, onPartial: () => {}, pending: new Map() };
    this.#ears.set(ear.earId, ear);
    return ear;
  }

  /** Ends an utterance: resolves with what was heard. */
  endUtterance(ear: EarChannel, utterance: number): Promise<Heard> {
    return new Promise<Heard>((resolve, reject) => {
      const settle = () => {
        timer.cancel();
        ear.pending.delete(utterance);
      };
      const timer = this.#clock.after(this.#patience.heardMs, () =>
        pending.reject(new EngineFailure("ear", "the recogniser did not answer in time")),
      );
      const pending: PendingHeard = {
        resolve: (heard) => {
          settle();
          resolve(heard);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      ear.pending.set(utterance, pending);
      this.send({ type: "ear_end", earId: ear.earId, utterance });
    });
  }

  closeEar(ear: EarChannel): void {
    if (!this.#ears.delete(ear.earId)) return;
    this.#openings.delete(ear.earId);
    rejectAll(ear, "the session was closed");
    this.send({ type: "ear_close", earId: ear.earId });
  }

  close(): void {
    for (const stream of this.#speeches.values()) stream.end();
    for (const ear of [...this.#ears.values()]) this.closeEar(ear);
    this.#port.close();
  }

  #keepGrammar(grammar: GrammarSource): void {
    this.#grammars.delete(grammar.key);
    this.#grammars.set(grammar.key, grammar);
    for (const key of this.#grammars.keys()) {
      if (this.#grammars.size <= GRAMMARS_KEPT_MAX) break;
      this.#grammars.delete(key);
    }
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
      case "ear_partial":
        this.#ears.get(reply.earId)?.onPartial(reply.text);
        break;
      case "ear_heard": {
        const { text, confidence, audioMs } = reply;
        this.#pendingOf(reply)?.resolve({ text, confidence, audioMs });
        break;
      }
      case "ear_failed":
        this.#pendingOf(reply)?.reject(new EngineFailure("ear", reply.detail));
    }
  }

  #pendingOf(reply: { readonly earId: number; readonly utterance: number }) {
    return this.#ears.get(reply.earId)?.pending.get(reply.utterance);
  }
}

function rejectAll(ear: EarChannel, detail: string): void {
  for (const pending of [...ear.pending.values()]) pending.reject(new EngineFailure("ear", detail));
}

/** Chunks between the port, which pushes, and the conversation, which pulls. One reader. */
class SpeechStream {
  readonly #chunks: Int16Array[] = [];
  #wake: (() => void) | null = null;
  #state: "open" | "ended" | "failed" = "open";
  #failure = "";
  /** True once the speech worker has nothing more to say about it. */
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
    if (this.#state === "failed") throw new EngineFailure("voice", this.#failure);
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
