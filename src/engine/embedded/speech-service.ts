/**
 * What runs in the speech worker: one synthesiser and one recogniser, serving any number of call
 * workers, each over its own port. Requests that arrive while the parts are still loading wait for
 * them. One customer's failure is told to that customer and touches nobody else.
 *
 * The recogniser is proved at the start, then rests: it is woken by the first request about an ear
 * (the greeting is spoken meanwhile) and rests again `REST_AFTER_MS` after the last ear was closed.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { GrammarSource, SpeechReply, SpeechRequest } from "../../worker/speech-messages.ts";
import { createRecogniser, type ListeningEar, type Recogniser } from "./recogniser/recogniser.ts";
import { createSynthesiser, type Synthesiser } from "./synthesiser.ts";

export interface SpeechService {
  /** Resolves when voices and recogniser are warm. */
  readonly ready: Promise<void>;
  serve(port: MessagePort): void;
  prepare(grammar: GrammarSource): void;
  close(): void;
}

/** Longer than the pauses between the calls of a busy hour. */
const REST_AFTER_MS = 5 * 60_000;
/** Between two steps of waking: a greeting that is asked for meanwhile goes first. */
const WAKING_PAUSE_MS = 10;
/** From a rest to the collection of its memory. */
const COLLECT_AFTER_MS = 500;

export function createSpeechService(options: { readonly clock: Clock }): SpeechService {
  const { clock } = options;
  const ports = new Set<MessagePort>();
  const synthesiser = createSynthesiser({ clock });
  const listening = new SharedRecogniser(synthesiser, clock);

  return {
    ready: listening.prove(),
    serve(port) {
      ports.add(port);
      const customer = new Customer(port, synthesiser, listening);
      port.onmessage = (event: MessageEvent<SpeechRequest>) => customer.receive(event.data);
      port.addEventListener("close", () => {
        ports.delete(port);
        customer.close();
      });
    },
    prepare(grammar) {
      listening.use().then(
        (recogniser) => recogniser.prepare(grammar),
        () => {},
      );
    },
    close() {
      for (const port of ports) port.close();
      ports.clear();
      listening.close();
    },
  };
}

/** The recogniser of the thread, awake only while there are ears. */
class SharedRecogniser {
  readonly #recogniser: Promise<Recogniser>;
  readonly #clock: Clock;
  #ears = 0;
  #resting: Timer | null = null;

  constructor(synthesiser: Promise<Synthesiser>, clock: Clock) {
    this.#clock = clock;
    this.#recogniser = synthesiser.then(({ phonemes }) => createRecogniser({ phonemes }));
  }

  /** Loads everything once, so that a broken model is known at the start; then rests. */
  async prove(): Promise<void> {
    await this.use();
    if (this.#ears === 0) await this.#rest();
  }

  /** Awake, for `REST_AFTER_MS` at least. */
  async use(): Promise<Recogniser> {
    this.#resting?.cancel();
    this.#resting = null;
    const recogniser = await this.#recogniser;
    await recogniser.wake(() => pause(this.#clock));
    if (this.#ears === 0) this.#restLater();
    return recogniser;
  }

  earOpened(): void {
    this.#ears++;
    this.#resting?.cancel();
    this.#resting = null;
  }

  earClosed(): void {
    this.#ears--;
    if (this.#ears === 0) this.#restLater();
  }

  close(): void {
    this.#resting?.cancel();
  }

  #restLater(): void {
    this.#resting?.cancel();
    this.#resting = this.#clock.after(REST_AFTER_MS, () => void this.#rest());
  }

  async #rest(): Promise<void> {
    this.#resting?.cancel();
    this.#resting = null;
    const recogniser = await this.#recogniser;
    if (this.#ears > 0) return;
    recogniser.rest();
    // Not from here: this stack may still point into the memory.
    this.#resting = this.#clock.after(COLLECT_AFTER_MS, () => Bun.gc(true));
  }
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.after(WAKING_PAUSE_MS, resolve);
  });
}

/** One port: its running speeches and open ears. */
class Customer {
  readonly #speeches = new Map<number, AbortController>();
  readonly #ears = new Map<number, ListeningEar>();
  #listening: Promise<void> = Promise.resolve();

  constructor(
    readonly port: MessagePort,
    readonly synthesiser: Promise<Synthesiser>,
    readonly shared: SharedRecogniser,
  ) {}

  receive(request: SpeechRequest): void {
    switch (request.type) {
      case "speak":
        void this.#speak(request);
        return;
      case "speak_cancel":
        this.#speeches.get(request.speechId)?.abort();
        return;
      default:
        this.#inOrder(request);
    }
  }

  close(): void {
    for (const speech of this.#speeches.values()) speech.abort();
    for (const earId of [...this.#ears.keys()]) this.#closeEar(earId);
  }

  #closeEar(earId: number): void {
    const ear = this.#ears.get(earId);
    if (!this.#ears.delete(earId)) return;
    ear?.close();
    this.shared.earClosed();
  }

  async #speak(request: Extract<SpeechRequest, { type: "speak" }>): Promise<void> {
    const { speechId } = request;
    const controller = new AbortController();
    this.#speeches.set(speechId, controller);
    try {
      const voice = await this.synthesiser;
      const onChunk = (pcm: Int16Array) => this.#reply({ type: "speech_chunk", speechId, pcm });
      await voice.speak(request, onChunk, controller.signal);
      this.#reply({ type: "speech_end", speechId });
    } catch (error) {
      this.#reply({ type: "speech_failed", speechId, detail: describeError(error) });
    } finally {
      this.#speeches.delete(speechId);
    }
  }

  /** Everything about ears keeps its order, also while the recogniser is loading. */
  #inOrder(request: Exclude<SpeechRequest, { type: "speak" | "speak_cancel" }>): void {
    this.#listening = this.#listening.then(async () => {
      const recogniser = await this.shared.use();
      try {
        this.#listen(request, recogniser);
      } catch (error) {
        this.#failed(request, describeError(error));
      }
    });
    this.#listening = this.#listening.catch((error) => this.#failed(request, describeError(error)));
  }

  #listen(
    request: Exclude<SpeechRequest, { type: "speak" | "speak_cancel" }>,
    recogniser: Recogniser,
  ): void {
    if (request.type === "prepare") {
      recogniser.prepare(request.grammar);
      return;
    }
    const { earId } = request;
    if (request.type === "ear_open") {
      const onPartial = (text: string) => this.#reply({ type: "ear_partial", earId, text });
      this.#ears.set(earId, recogniser.openEar({ ...request, onPartial }));
      this.shared.earOpened();
      return;
    }
    const ear = this.#ears.get(earId);
    if (ear === undefined) return;
    switch (request.type) {
      case "ear_begin":
        ear.begin(request.lead);
        break;
      case "ear_push":
        ear.push(request.pcm);
        break;
      case "ear_end":
        this.#reply({
          type: "ear_heard",
          earId,
          utterance: request.utterance,
          ...ear.end(),
        });
        break;
      case "ear_cancel":
        ear.cancel();
        break;
      case "ear_expect":
        ear.expect(request.answer);
        break;
      case "ear_close":
        this.#closeEar(earId);
    }
  }

  #failed(request: SpeechRequest, detail: string): void {
    if (request.type !== "ear_end") return;
    const { earId, utterance } = request;
    this.#reply({ type: "ear_failed", earId, utterance, detail });
  }

  #reply(reply: SpeechReply): void {
    this.port.postMessage(reply);
  }
}
