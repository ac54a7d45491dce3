/**
 * Text to speech over `POST /audio/speech`, in chunks, resampled to the call's rate. The next
 * sentence is requested while the previous one is still arriving.
 *
 * Guarantees: at most `AHEAD_MAX` sentences are requested ahead. Aborting drops them. An answer
 * without samples, one that stops in the middle, or one too long for its text is a failure.
 */

import type { TtsStream } from "../../conversation/engine-port.ts";
import type { Clock } from "../../core/clock.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import { PcmStream } from "../pcm-stream.ts";
import { ProviderFailure } from "../provider-failure.ts";
import type { Answer, Service } from "./service.ts";
import type { OpenAiSettings } from "./settings.ts";
import { SpeechSamples } from "./speech-samples.ts";
import type { TtsInstructions } from "./tts-instructions.ts";
import { NotSpeech } from "./wav.ts";

interface HttpTtsOptions {
  readonly service: Service;
  readonly clock: Clock;
  readonly settings: Pick<OpenAiSettings, "tts_model" | "tts_format" | "tts_sample_rate_hz">;
  readonly manner: TtsInstructions;
  readonly language: AgentLanguage;
  /** The provider's name of the voice. */
  readonly voice: string;
  readonly sampleRateHz: number;
}

const AHEAD_MAX = 2;
const ANNOUNCED_MAX = 32;
const PAUSE_MS_MAX = 3_000;
const BYTES_MAX = 24 * 1024 * 1024;
/**
 * Audio of a sentence and the time in which it arrives. "1999" has four characters and takes 1.5 s.
 */
const SPEECH_MS_MAX = 10_000;
const MS_PER_CHARACTER_MAX = 500;

interface Running {
  readonly stream: PcmStream;
  readonly abort: AbortController;
}

export class HttpTtsStream implements TtsStream {
  readonly #ahead = new Map<string, Running>();
  /** Sentences announced but not requested yet. */
  #announced: string[] = [];

  #language: AgentLanguage;

  constructor(private readonly options: HttpTtsOptions) {
    this.#language = options.language;
  }

  switchLanguage(language: AgentLanguage): void {
    this.#language = language;
  }

  prefetch(text: string): boolean {
    if (!this.#ahead.has(text) && this.#announced.length < ANNOUNCED_MAX) {
      this.#announced.push(text);
      this.#askAhead();
    }
    return this.#ahead.has(text);
  }

  async *speak(text: string, signal: AbortSignal): AsyncGenerator<Int16Array> {
    if (signal.aborted) return;
    const running = this.#ahead.get(text) ?? this.#start(text);
    this.#ahead.delete(text);
    this.#announced = this.#announced.filter((announced) => announced !== text);
    this.#askAhead();
    const onAbort = () => {
      running.abort.abort();
      this.dropPrefetched();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      for (let pcm = await running.stream.next(); pcm; pcm = await running.stream.next()) {
        if (signal.aborted) return;
        yield pcm;
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      running.abort.abort();
    }
  }

  dropPrefetched(): void {
    this.#announced = [];
    for (const { abort } of this.#ahead.values()) abort.abort();
    this.#ahead.clear();
  }

  #askAhead(): void {
    while (this.#ahead.size < AHEAD_MAX) {
      const text = this.#announced.shift();
      if (text === undefined) return;
      this.#ahead.set(text, this.#start(text));
    }
  }

  #start(text: string): Running {
    const stream = new PcmStream();
    const abort = new AbortController();
    abort.signal.addEventListener("abort", () => stream.end(), { once: true });
    this.#fetch(text, stream, abort.signal).then(
      () => stream.end(),
      (error) => stream.fail(error),
    );
    return { stream, abort };
  }

  #ask(text: string, instructions: string | null, signal: AbortSignal): Promise<Answer> {
    const { service, settings, voice } = this.options;
    return service.ask({
      path: "/audio/speech",
      body: {
        model: settings.tts_model,
        input: text,
        voice,
        ...(instructions === null ? {} : { instructions }),
        response_format: settings.tts_format,
      },
      accept: "audio/*",
      signal,
      pauseMsMax: PAUSE_MS_MAX,
      bytesMax: BYTES_MAX,
    });
  }

  async #fetch(text: string, stream: PcmStream, signal: AbortSignal): Promise<void> {
    const { service, settings, manner, sampleRateHz, clock } = this.options;
    const language = this.#language;
    const answer = await this.#ask(text, manner.instructionsIn(language), signal).catch(
      (error: unknown) => {
        if (!manner.learn(error)) throw error;
        return this.#ask(text, null, signal);
      },
    );
    if (/mpeg|mp3|ogg|flac|json|html/i.test(answer.contentType)) {
      throw service.fail("protocol", `${answer.contentType} instead of PCM`);
    }
    const samples = new SpeechSamples(settings.tts_sample_rate_hz, sampleRateHz);
    let taken = 0;
    const take = (pcm: Int16Array) => {
      if (pcm.length === 0) return;
      if (taken === 0) answer.begun();
      taken += pcm.length;
      stream.push(pcm);
    };
    const limitMs = SPEECH_MS_MAX + text.length * MS_PER_CHARACTER_MAX;
    const endsAt = clock.monotonic() + limitMs;
    try {
      for await (const part of answer.parts()) {
        take(samples.push(part));
        if ((taken / sampleRateHz) * 1_000 > limitMs || clock.monotonic() > endsAt)
          throw service.fail("protocol", `speech of more than ${limitMs} ms for its text`);
      }
    } catch (error) {
      if (error instanceof ProviderFailure || !(error instanceof NotSpeech)) throw error;
      throw service.fail("protocol", error.message, { cause: error });
    }
    if (signal.aborted) return;
    take(samples.end());
    if (taken === 0) throw service.fail("protocol", "no audio");
  }
}
