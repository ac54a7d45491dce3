/**
 * Text to speech over `POST /audio/speech`, chunk by chunk as it is made, resampled to the call's
 * rate. The next sentence is asked for while the one before is still coming.
 *
 * Guarantees: no more than `AHEAD_MAX` sentences are asked for ahead; when speaking is aborted they
 * are dropped; an answer without a sample, or one that stops in the middle, is a failure.
 */

import type { TtsStream } from "../../../domain/conversation/engine-port.ts";
import { PcmStream } from "../pcm-stream.ts";
import { ProviderFailure } from "../provider-failure.ts";
import type { Service } from "./service.ts";
import type { OpenAiSettings } from "./settings.ts";
import { SpeechSamples } from "./speech-samples.ts";
import { NotSpeech } from "./wav.ts";

interface HttpTtsOptions {
  readonly service: Service;
  readonly settings: Pick<OpenAiSettings, "tts_model" | "tts_format" | "tts_sample_rate_hz">;
  /** As the provider calls it. */
  readonly voice: string;
  readonly sampleRateHz: number;
}

const AHEAD_MAX = 2;
const ANNOUNCED_MAX = 32;
const PAUSE_MS_MAX = 3_000;
const BYTES_MAX = 24 * 1024 * 1024;

interface Running {
  readonly stream: PcmStream;
  readonly abort: AbortController;
}

export class HttpTtsStream implements TtsStream {
  readonly #ahead = new Map<string, Running>();
  /** Announced, and not asked for yet. */
  #announced: string[] = [];

  constructor(private readonly options: HttpTtsOptions) {}

  prefetch(text: string): void {
    if (this.#announced.length >= ANNOUNCED_MAX || this.#ahead.has(text)) return;
    this.#announced.push(text);
    this.#askAhead();
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

  async #fetch(text: string, stream: PcmStream, signal: AbortSignal): Promise<void> {
    const { service, settings, voice, sampleRateHz } = this.options;
    const answer = await service.ask({
      path: "/audio/speech",
      body: {
        model: settings.tts_model,
        input: text,
        voice,
        response_format: settings.tts_format,
      },
      accept: "audio/*",
      signal,
      pauseMsMax: PAUSE_MS_MAX,
      bytesMax: BYTES_MAX,
    });
    if (/mpeg|mp3|ogg|flac|json|html/i.test(answer.contentType)) {
      throw service.fail("protocol", `${answer.contentType} instead of PCM`);
    }
    const samples = new SpeechSamples(settings.tts_sample_rate_hz, sampleRateHz);
    let hasAudio = false;
    const take = (pcm: Int16Array) => {
      if (pcm.length === 0) return;
      if (!hasAudio) answer.begun();
      hasAudio = true;
      stream.push(pcm);
    };
    try {
      for await (const part of answer.parts()) take(samples.push(part));
    } catch (error) {
      if (error instanceof ProviderFailure || !(error instanceof NotSpeech)) throw error;
      throw service.fail("protocol", error.message, { cause: error });
    }
    if (signal.aborted) return;
    take(samples.end());
    if (!hasAudio) throw service.fail("protocol", "no audio");
  }
}
