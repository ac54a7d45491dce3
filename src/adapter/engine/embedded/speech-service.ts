/**
 * What runs in the speech worker: one synthesiser and one recogniser, serving any number of call
 * workers, each over its own port. Requests that arrive while the parts are still loading wait for
 * them. One customer's failure is told to that customer and touches nobody else.
 *
 * The recogniser's model is tested at the start. The first request about an STT stream loads it (while
 * the greeting is spoken); `UNLOAD_AFTER_MS` after the last STT stream was closed it is unloaded again.
 */
import type { Clock, Timer } from "../../../core/clock.ts";
import { describeError } from "../../../core/errors.ts";
import {
  createRecogniser,
  type ListeningSttStream,
  type Recogniser,
} from "./recogniser/recogniser.ts";
import type { ReadingOutcome } from "./recogniser/second-reading.ts";
import { Transcriber, type TranscriberThread } from "./recogniser/transcriber/transcriber.ts";
import type { GrammarSource, SpeechReply, SpeechRequest } from "./speech-messages.ts";
import { createSynthesiser, type Synthesiser } from "./synthesiser.ts";

interface SpeechService {
  /** Resolves when the voices are warm and the recogniser's model is known to be sound. */
  readonly ready: Promise<void>;
  serve(port: MessagePort): void;
  prepare(grammar: GrammarSource): void;
  close(): void;
}

/** Longer than the pauses between the calls of a busy hour. */
const UNLOAD_AFTER_MS = 5 * 60_000;
/** Between two steps of waking: a greeting that is asked for meanwhile goes first. */
const LOAD_STEP_PAUSE_MS = 10;
/** From a rest to the collection of its memory. */
const COLLECT_AFTER_MS = 500;

interface SpeechServiceOptions {
  readonly clock: Clock;
  /** An utterance waits for decoders; one came to nothing because they had no time for it. */
  readonly onLoad: (event: "waited" | "lost") => void;
  readonly onSecondReading: (outcome: ReadingOutcome) => void;
  readonly onSecondReadingFailed: (detail: string) => void;
  readonly spawnTranscriber: () => TranscriberThread;
}

export function createSpeechService(options: SpeechServiceOptions): SpeechService {
  const { clock } = options;
  const ports = new Set<MessagePort>();
  const synthesiser = createSynthesiser({ clock });
  const transcriber = new Transcriber({
    spawn: options.spawnTranscriber,
    clock,
    onFailed: options.onSecondReadingFailed,
  });
  const sharedRecogniser = new SharedRecogniser(synthesiser, transcriber, options);

  return {
    ready: sharedRecogniser.selfTest(),
    serve(port) {
      ports.add(port);
      const connection = new PortConnection(port, synthesiser, sharedRecogniser, transcriber);
      port.onmessage = (event: MessageEvent<SpeechRequest>) => connection.receive(event.data);
      port.addEventListener("close", () => {
        ports.delete(port);
        connection.close();
      });
    },
    prepare(grammar) {
      sharedRecogniser.use().then(
        (recogniser) => recogniser.prepare(grammar),
        () => {},
      );
    },
    close() {
      for (const port of ports) port.close();
      ports.clear();
      sharedRecogniser.close();
    },
  };
}

/** The recogniser of the thread, loaded only while there are STT streams. */
class SharedRecogniser {
  readonly #recogniser: Promise<Recogniser>;
  readonly #clock: Clock;
  #openStreams = 0;
  #unloadTimer: Timer | null = null;

  constructor(
    synthesiser: Promise<Synthesiser>,
    transcriber: Transcriber,
    { clock, onLoad, onSecondReading }: SpeechServiceOptions,
  ) {
    this.#clock = clock;
    this.#recogniser = synthesiser.then((made) =>
      createRecogniser({
        phonemes: (text, language) => made.phonemes(text, language),
        clock,
        onLoad,
        onSecondReading,
        transcriber,
      }),
    );
  }

  /** Reads the model once, so that a broken one is known at the start. */
  async selfTest(): Promise<void> {
    const recogniser = await this.#recogniser;
    await recogniser.selfTest();
    // Somebody uses it already: what the test took is collected with the rest.
    if (this.#unloadTimer === null && this.#openStreams === 0) this.#collectLater();
  }

  /** Awake, for `UNLOAD_AFTER_MS` at least. */
  async use(): Promise<Recogniser> {
    this.#unloadTimer?.cancel();
    this.#unloadTimer = null;
    const recogniser = await this.#recogniser;
    await recogniser.load(() => pause(this.#clock));
    if (this.#openStreams === 0) this.#scheduleUnload();
    return recogniser;
  }

  sttOpened(): void {
    this.#openStreams++;
    this.#unloadTimer?.cancel();
    this.#unloadTimer = null;
  }

  sttClosed(): void {
    this.#openStreams--;
    if (this.#openStreams === 0) this.#scheduleUnload();
  }

  close(): void {
    this.#unloadTimer?.cancel();
  }

  #scheduleUnload(): void {
    this.#unloadTimer?.cancel();
    this.#unloadTimer = this.#clock.after(UNLOAD_AFTER_MS, () => void this.#unload());
  }

  async #unload(): Promise<void> {
    this.#unloadTimer?.cancel();
    this.#unloadTimer = null;
    const recogniser = await this.#recogniser;
    if (this.#openStreams > 0) return;
    recogniser.unload();
    this.#collectLater();
  }

  /** Not at once: the caller's stack may still point into the memory. */
  #collectLater(): void {
    this.#unloadTimer = this.#clock.after(COLLECT_AFTER_MS, () => {
      Bun.gc(true);
      Bun.shrink();
    });
  }
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.after(LOAD_STEP_PAUSE_MS, resolve);
  });
}

type SttRequest = Exclude<SpeechRequest, { type: "speak" | "speak_cancel" | "learn" | "compare" }>;

/** One port: its running speeches and open STT streams. */
class PortConnection {
  readonly #speeches = new Map<number, AbortController>();
  readonly #sttStreams = new Map<number, ListeningSttStream>();
  #queue: Promise<void> = Promise.resolve();

  constructor(
    readonly port: MessagePort,
    readonly synthesiser: Promise<Synthesiser>,
    readonly shared: SharedRecogniser,
    readonly transcriber: Transcriber,
  ) {}

  receive(request: SpeechRequest): void {
    switch (request.type) {
      case "speak":
        void this.#speak(request);
        return;
      case "speak_cancel":
        this.#speeches.get(request.speechId)?.abort();
        return;
      case "learn":
        this.transcriber.learn(request.lesson);
        return;
      case "compare":
        void this.#compare(request);
        return;
      default:
        this.#inOrder(request);
    }
  }

  close(): void {
    for (const speech of this.#speeches.values()) speech.abort();
    for (const sttStreamId of [...this.#sttStreams.keys()]) this.#closeStt(sttStreamId);
  }

  #closeStt(sttStreamId: number): void {
    const stt = this.#sttStreams.get(sttStreamId);
    if (!this.#sttStreams.delete(sttStreamId)) return;
    stt?.close();
    this.shared.sttClosed();
  }

  async #compare(request: Extract<SpeechRequest, { type: "compare" }>): Promise<void> {
    const { comparisonId, lessonKey, text } = request;
    const nearness = await this.transcriber.compare(lessonKey, text);
    this.#reply({ type: "compared", comparisonId, nearness });
  }

  async #speak(request: Extract<SpeechRequest, { type: "speak" }>): Promise<void> {
    const { speechId } = request;
    const controller = new AbortController();
    this.#speeches.set(speechId, controller);
    try {
      const synthesiser = await this.synthesiser;
      const onChunk = (pcm: Int16Array) => this.#reply({ type: "speech_chunk", speechId, pcm });
      await synthesiser.speak(request, onChunk, controller.signal);
      this.#reply({ type: "speech_end", speechId });
    } catch (error) {
      this.#reply({ type: "speech_failed", speechId, detail: describeError(error) });
    } finally {
      this.#speeches.delete(speechId);
    }
  }

  /** Requests about STT streams keep their order, also while the recogniser is loading. */
  #inOrder(request: SttRequest): void {
    this.#queue = this.#queue.then(async () => {
      const recogniser = await this.shared.use();
      try {
        this.#handleStt(request, recogniser);
      } catch (error) {
        this.#failed(request, describeError(error));
      }
    });
    this.#queue = this.#queue.catch((error) => this.#failed(request, describeError(error)));
  }

  #handleStt(request: SttRequest, recogniser: Recogniser): void {
    if (request.type === "prepare") {
      recogniser.prepare(request.grammar);
      return;
    }
    const { sttStreamId } = request;
    if (request.type === "stt_open") {
      const onPartial = (text: string) => this.#reply({ type: "stt_partial", sttStreamId, text });
      this.#sttStreams.set(sttStreamId, recogniser.openStt({ ...request, onPartial }));
      this.shared.sttOpened();
      return;
    }
    const stt = this.#sttStreams.get(sttStreamId);
    if (stt === undefined) return;
    switch (request.type) {
      case "stt_start_utterance":
        stt.startUtterance(request.lead);
        break;
      case "stt_push":
        stt.push(request.pcm);
        break;
      case "stt_early":
        stt.recogniseEarly();
        break;
      case "stt_drop_early":
        stt.dropEarly();
        break;
      case "stt_finalize":
        void this.#finalize(request, stt);
        break;
      case "stt_discard":
        stt.discard();
        break;
      case "stt_expect":
        stt.expect(request.answer);
        break;
      case "stt_close":
        this.#closeStt(sttStreamId);
    }
  }

  /** Requests that follow need not wait for it. */
  async #finalize(
    request: Extract<SpeechRequest, { type: "stt_finalize" }>,
    stt: ListeningSttStream,
  ): Promise<void> {
    const { sttStreamId, utterance } = request;
    try {
      this.#reply({ type: "stt_result", sttStreamId, utterance, ...(await stt.finalize()) });
    } catch (error) {
      this.#failed(request, describeError(error));
    }
  }

  #failed(request: SpeechRequest, detail: string): void {
    if (request.type !== "stt_finalize") return;
    const { sttStreamId, utterance } = request;
    this.#reply({ type: "stt_failed", sttStreamId, utterance, detail });
  }

  #reply(reply: SpeechReply): void {
    this.port.postMessage(reply);
  }
}
