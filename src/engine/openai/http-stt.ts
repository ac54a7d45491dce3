/**
 * Speech to text over `POST /audio/transcriptions`. Each utterance is one WAV file. If early
 * recognition is on, it is sent at the first silence, and again if the caller continued. The answer
 * may be JSON, plain text or server-sent events, whatever the request asked for.
 */

import type { ExpectedAnswer, SttResult, SttStream } from "../../conversation/engine-port.ts";
import type { JsonObject } from "../../core/json.ts";
import { isObject, parseJson } from "../../core/json.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import { noSpeechOf, wordsHeard } from "../noise-words.ts";
import { ProviderFailure } from "../provider-failure.ts";
import { isEchoOfPrompt, type TranscriptionHints } from "../transcription-hints.ts";
import { UtteranceAudio } from "../utterance-audio.ts";
import { ServerSentEvents } from "./server-sent-events.ts";
import type { Answer, Service } from "./service.ts";
import type { OpenAiSettings } from "./settings.ts";
import { wavFile } from "./wav.ts";

interface HttpSttOptions {
  readonly service: Service;
  readonly settings: Pick<OpenAiSettings, "stt_model" | "stt_mode" | "stt_prompt">;
  readonly hints: TranscriptionHints;
  readonly keywords: readonly string[];
  readonly language: AgentLanguage;
  readonly sampleRateHz: number;
}

const ANSWER_BYTES_MAX = 1024 * 1024;
const PAUSE_MS_MAX = 5_000;
/** These services report no confidence. */
const CONFIDENCE = 0.9;

/** Request sent at the first silence. */
interface EarlyRecognition {
  readonly text: Promise<string>;
  readonly abort: AbortController;
  readonly audioMs: number;
}

export class HttpSttStream implements SttStream {
  readonly capabilities = { partials: false };
  readonly #audio: UtteranceAudio;
  readonly #closed = new AbortController();
  #early: EarlyRecognition | null = null;
  /** Milliseconds of audio sent and discarded since the last result. */
  #discardedMs = 0;
  #onPartial: (text: string) => void = () => {};
  #language: AgentLanguage;

  constructor(private readonly options: HttpSttOptions) {
    this.#audio = new UtteranceAudio(options.sampleRateHz);
    this.#language = options.language;
  }

  startUtterance(lead: Int16Array): void {
    this.dropEarly();
    this.#audio.start(lead);
  }

  push(pcm: Int16Array): void {
    this.#audio.push(pcm);
  }

  discard(): void {
    this.dropEarly();
    this.#audio.clear();
  }

  onPartial(listener: (text: string) => void): void {
    this.#onPartial = listener;
  }

  recogniseEarly(): void {
    if (this.#early) return;
    const abort = new AbortController();
    const text = this.#recognise(abort.signal);
    const early = { text, abort, audioMs: this.#audio.ms };
    this.#early = early;
    const report = (words: string) => {
      if (this.#early === early && words !== "") this.#onPartial(words);
    };
    text.then(report, () => {});
  }

  dropEarly(): void {
    if (!this.#early) return;
    this.#early.abort.abort();
    this.#discardedMs += this.#early.audioMs;
    this.#early = null;
  }

  expect(_: ExpectedAnswer): void {}

  switchLanguage(language: AgentLanguage): void {
    this.#language = language;
  }

  async finalize(): Promise<SttResult> {
    const early = this.#early;
    const discardedMs = this.#discardedMs;
    const audioMs = discardedMs + (early?.audioMs ?? this.#audio.ms);
    const text = early?.text ?? this.#recognise(this.#closed.signal);
    this.#early = null;
    this.#discardedMs = 0;
    this.#audio.clear();
    return { text: await text, confidence: CONFIDENCE, audioMs, discardedMs };
  }

  /** Recognises the audio so far. */
  async #recognise(dropped: AbortSignal): Promise<string> {
    const { sampleRateHz, hints } = this.options;
    const signal = AbortSignal.any([this.#closed.signal, dropped]);
    const { ms: audioMs } = this.#audio;
    const pcm = this.#audio.pcm.slice();
    const wav = wavFile(pcm, sampleRateHz);
    const fields = this.#fields();
    const answer = await this.#ask(wav, fields, signal).catch((error: unknown) => {
      if (!isRefusal(error) || !hints.learn(fields, describe(error))) throw error;
      return this.#ask(wav, this.#fields(), signal);
    });
    const { text, noSpeech } = await this.#read(answer);
    const words = wordsHeard(text, { audioMs, pcm, sampleRateHz, noSpeech });
    return isEchoOfPrompt(words, fields) ? "" : words;
  }

  #fields(): JsonObject {
    const { settings, hints, keywords } = this.options;
    const { stt_model: model, stt_prompt: prompt } = settings;
    return hints.fieldsOf({ model, language: this.#language, keywords, prompt });
  }

  #ask(wav: Uint8Array<ArrayBuffer>, fields: JsonObject, signal: AbortSignal): Promise<Answer> {
    const { service, settings } = this.options;
    const body = new FormData();
    body.set("file", new File([wav], "speech.wav", { type: "audio/wav" }));
    for (const [name, value] of Object.entries(fields)) {
      if (Array.isArray(value)) for (const one of value) body.append(`${name}[]`, String(one));
      else body.set(name, String(value));
    }
    body.set("response_format", "json");
    if (settings.stt_mode === "sse") body.set("stream", "true");
    return service.ask({
      path: "/audio/transcriptions",
      body,
      signal,
      pauseMsMax: PAUSE_MS_MAX,
      bytesMax: ANSWER_BYTES_MAX,
    });
  }

  close(): void {
    this.#closed.abort();
  }

  async #read(
    answer: Answer,
  ): Promise<{ readonly text: string; readonly noSpeech: number | null }> {
    if (/^text\/event-stream/i.test(answer.contentType))
      return { text: await this.#readEvents(answer), noSpeech: null };
    const raw = await answer.text();
    if (/^text\/plain/i.test(answer.contentType) && !raw.trimStart().startsWith("{"))
      return { text: raw, noSpeech: null };
    const body = parseJson(raw);
    if (isObject(body) && typeof body.text === "string")
      return { text: body.text, noSpeech: noSpeechOf(body) };
    throw this.options.service.fail("protocol", "an answer without a text");
  }

  async #readEvents(answer: Answer): Promise<string> {
    const events = new ServerSentEvents();
    let text = "";
    let done = false;
    const read = (data: string) => {
      const event = parseJson(data);
      if (!isObject(event)) return;
      if (isObject(event.error) || event.type === "error") {
        throw this.options.service.fail("server", JSON.stringify(event.error ?? event));
      }
      if (event.type === "transcript.text.delta" && typeof event.delta === "string") {
        text += event.delta;
      } else if (typeof event.text === "string") {
        text = event.type === "transcript.text.done" ? event.text : text + event.text;
        done = event.type === "transcript.text.done";
      }
    };
    const parts = answer.parts();
    while (!done) {
      const { done: ended, value } = await parts.next();
      for (const data of ended ? events.end() : events.push(value)) read(data);
      if (ended) break;
    }
    if (done) answer.readOut(parts);
    if (!done && text === "") throw this.options.service.fail("protocol", "no transcript came");
    return text;
  }
}

const isRefusal = (error: unknown): error is ProviderFailure =>
  error instanceof ProviderFailure && error.ofRequest;

const describe = ({ answer, message }: ProviderFailure): string =>
  answer ? `${answer.param} ${answer.message}` : message;
