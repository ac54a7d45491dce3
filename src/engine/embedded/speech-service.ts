/**
 * What runs in the speech worker: one synthesiser and one recogniser, serving any number of call
 * workers, each over its own port. Requests that arrive while the parts are still loading wait for
 * them. One customer's failure is told to that customer and touches nobody else.
 */
import type { Clock } from "../../core/clock.ts";
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

interface Parts {
  readonly synthesiser: Synthesiser;
  readonly recogniser: Recogniser;
}

export function createSpeechService(options: { readonly clock: Clock }): SpeechService {
  const { clock } = options;
  const ports = new Set<MessagePort>();
  const synthesiser = createSynthesiser({ clock });
  const recogniser = synthesiser.then((voice) => createRecogniser({ phonemes: voice.phonemes }));

  return {
    ready: recogniser.then(() => {}),
    serve(port) {
      ports.add(port);
      const customer = new Customer(port, synthesiser, recogniser);
      port.onmessage = (event: MessageEvent<SpeechRequest>) => customer.receive(event.data);
      port.addEventListener("close", () => {
        ports.delete(port);
        customer.close();
      });
    },
    prepare(grammar) {
      recogniser.then((ready) => ready.prepare(grammar)).catch(() => {});
    },
    close() {
      for (const port of ports) port.close();
      ports.clear();
    },
  };
}

/** One port: its running speeches and open ears. */
class Customer {
  readonly #speeches = new Map<number, AbortController>();
  readonly #ears = new Map<number, ListeningEar>();
  #listening: Promise<void> = Promise.resolve();

  constructor(
    readonly port: MessagePort,
    readonly synthesiser: Promise<Parts["synthesiser"]>,
    readonly recogniser: Promise<Parts["recogniser"]>,
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
    for (const ear of this.#ears.values()) ear.close();
    this.#ears.clear();
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
      const recogniser = await this.recogniser;
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
        ear.close();
        this.#ears.delete(earId);
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
