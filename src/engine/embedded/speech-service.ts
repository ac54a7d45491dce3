/**
 * Code of the speech worker: one synthesiser, and the recogniser of English with its threads. They
 * serve all call workers, each over its own port. Requests wait while the synthesiser loads. A
 * failed request is reported to its call worker and affects no other.
 *
 * The first STT stream loads the recogniser while the greeting is spoken. `UNLOAD_AFTER_MS` after
 * the last STT stream closes, its memory is freed.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { OwnVoices, type VoiceThread } from "./own-voices/own-voices.ts";
import type { VoiceFiles } from "./own-voices/voice-files.ts";
import { CallerSttStream } from "./recogniser/recogniser.ts";
import { Transcriber, type TranscriberThread } from "./recogniser/transcriber.ts";
import type { SpeechReply, SpeechRequest } from "./speech-messages.ts";
import { createSynthesiser, type Synthesiser } from "./synthesiser.ts";

interface SpeechService {
  /** Resolves when the voices are loaded. */
  readonly ready: Promise<void>;
  serve(port: MessagePort, transcribersMax?: number): void;
  /** Loads the operator's voices. Until then, eSpeak NG speaks. */
  useVoices(files: VoiceFiles): void;
  close(): void;
}

/** Longer than the pauses between the calls of a busy hour. */
const UNLOAD_AFTER_MS = 5 * 60_000;

interface SpeechServiceOptions {
  readonly clock: Clock;
  /** Called if the text of an utterance comes late or times out. */
  readonly onLoad: (event: "waited" | "lost") => void;
  readonly onHearingLoaded?: (isLoaded: boolean) => void;
  readonly onHearingFailed: (detail: string) => void;
  readonly spawnTranscriber: () => TranscriberThread;
  readonly spawnVoices: () => VoiceThread;
  /** Called if a file of the operator's voices cannot be used. */
  readonly onVoiceFailed: (file: string, detail: string) => void;
  readonly availableMb?: () => number | null;
}

export function createSpeechService(options: SpeechServiceOptions): SpeechService {
  const { clock } = options;
  const ports = new Set<MessagePort>();
  const ownVoices = new OwnVoices({
    spawn: options.spawnVoices,
    clock,
    onFailed: options.onVoiceFailed,
  });
  const synthesiser = createSynthesiser({ clock, ownVoices });
  const hearing = new Hearing(options);

  return {
    ready: synthesiser.then(() => {}),
    serve(port, transcribersMax) {
      ports.add(port);
      if (transcribersMax !== undefined) hearing.transcriber.threadsMax = transcribersMax;
      const connection = new PortConnection(port, synthesiser, hearing);
      port.onmessage = (event: MessageEvent<SpeechRequest>) => connection.receive(event.data);
      port.addEventListener("close", () => {
        ports.delete(port);
        connection.close();
      });
    },
    useVoices: (files) => void ownVoices.load(files),
    close() {
      ownVoices.close();
      for (const port of ports) port.close();
      ports.clear();
      hearing.close();
    },
  };
}

/** The recogniser. Loaded only while STT streams are open. */
class Hearing {
  readonly transcriber: Transcriber;
  #openStreams = 0;
  #unloadTimer: Timer | null = null;

  constructor(private readonly options: SpeechServiceOptions) {
    const { spawnTranscriber: spawn, onHearingFailed: onFailed, onHearingLoaded } = options;
    const onLoaded = (isLoaded: boolean) => onHearingLoaded?.(isLoaded);
    this.transcriber = new Transcriber({ ...options, spawn, onLoaded, onFailed });
  }

  openStt(
    request: Extract<SpeechRequest, { type: "stt_open" }>,
    onPartial: (text: string) => void,
  ) {
    const { clock, onLoad } = this.options;
    this.#openStreams++;
    this.#unloadTimer?.cancel();
    this.transcriber.load();
    const { sampleRateHz } = request;
    const { transcriber } = this;
    return new CallerSttStream({ sampleRateHz, onPartial }, { clock, onLoad, transcriber });
  }

  sttClosed(): void {
    this.#openStreams--;
    if (this.#openStreams > 0) return;
    this.#unloadTimer?.cancel();
    this.#unloadTimer = this.options.clock.after(UNLOAD_AFTER_MS, () => this.transcriber.unload());
  }

  close(): void {
    this.#unloadTimer?.cancel();
    this.transcriber.unload();
  }
}

type SttRequest = Exclude<SpeechRequest, { type: "speak" | "speak_cancel" | "learn" | "compare" }>;

/** One port: its running speeches and open STT streams. */
class PortConnection {
  readonly #speeches = new Map<number, AbortController>();
  readonly #sttStreams = new Map<number, CallerSttStream>();

  constructor(
    readonly port: MessagePort,
    readonly synthesiser: Promise<Synthesiser>,
    readonly hearing: Hearing,
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
        this.hearing.transcriber.learn(request.lesson);
        return;
      case "compare":
        void this.#compare(request);
        return;
      default:
        this.#handleStt(request);
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
    this.hearing.sttClosed();
  }

  async #compare(request: Extract<SpeechRequest, { type: "compare" }>): Promise<void> {
    const { comparisonId, lessonKey, text } = request;
    const nearness = await this.hearing.transcriber.compare(lessonKey, text);
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

  #handleStt(request: SttRequest): void {
    const { sttStreamId } = request;
    if (request.type === "stt_open") {
      const onPartial = (text: string) => this.#reply({ type: "stt_partial", sttStreamId, text });
      this.#sttStreams.set(sttStreamId, this.hearing.openStt(request, onPartial));
      this.#reportHearing();
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
      case "stt_close":
        this.#closeStt(sttStreamId);
    }
  }

  /** Later requests don't wait for it. */
  async #finalize(
    request: Extract<SpeechRequest, { type: "stt_finalize" }>,
    stt: CallerSttStream,
  ): Promise<void> {
    const { sttStreamId, utterance } = request;
    try {
      const result = await stt.finalize();
      this.#reportHearing();
      this.#reply({ type: "stt_result", sttStreamId, utterance, ...result });
    } catch (error) {
      this.#reply({ type: "stt_failed", sttStreamId, utterance, detail: describeError(error) });
    }
  }

  #reportHearing(): void {
    this.#reply({ type: "hearing", isPossible: this.hearing.transcriber.canRead });
  }

  #reply(reply: SpeechReply): void {
    this.port.postMessage(reply);
  }
}
