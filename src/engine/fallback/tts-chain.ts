/**
 * Text to speech that finishes its sentence. If a provider stops in the middle, the next one speaks
 * the remaining words. The embedded voice comes last and then stays for the call: a plain voice is
 * better than one that changes with every sentence.
 */

import { EngineFailure, type TtsStream, UnsupportedText } from "../../conversation/engine-port.ts";
import { type Clock, sleep } from "../../core/clock.ts";
import { ProviderFailure } from "../provider-failure.ts";
import type { GuardSettings } from "./guard-settings.ts";
import { type CallProviders, type Candidate, retryPauseMs } from "./providers.ts";

interface TtsChainOptions {
  readonly providers: CallProviders;
  readonly lastResort: () => TtsStream | null;
  readonly sampleRateHz: number;
  readonly guard: GuardSettings;
  readonly clock: Clock;
}

/** Ordinary speaking rate, to estimate the spoken words when a voice stops early. */
const MS_PER_CHARACTER = 65;

/** Samples up to this are silence, with or without dither. */
const SILENT_SAMPLE_MAX = 16;

/** A Realtime model may send a sentence's sound with the sentence before: no sound at all is no failure. */
const SILENT_MS_MIN = 200;

const silentVoice = () =>
  new ProviderFailure({
    part: "tts",
    reason: "silent",
    message: "The voice returned only silence for a text. Check the model and the voice.",
  });

/** Text still to be spoken. */
interface Unspoken {
  text: string;
  spokenMs: number;
}

export class TtsChain implements TtsStream {
  #isFallback = false;
  readonly #refusedOnce = new Set<TtsStream>();

  constructor(private readonly options: TtsChainOptions) {}

  /** True if a voice other than the agent's speaks. */
  get isFallback(): boolean {
    return this.#isFallback;
  }

  prefetch(text: string): boolean {
    return this.options.providers.current("tts")?.stream.prefetch?.(text) ?? false;
  }

  dropPrefetched(): void {
    this.options.providers.current("tts")?.stream.dropPrefetched?.();
  }

  async *speak(text: string, signal: AbortSignal): AsyncGenerator<Int16Array> {
    this.#isFallback = false;
    const unspoken: Unspoken = { text, spokenMs: 0 };
    let failure: unknown = new EngineFailure("tts", "no text to speech is left");
    for (const candidate of this.options.providers.candidates("tts")) {
      const outcome = yield* this.#speakWith(candidate, unspoken, signal);
      if (outcome === "done") return;
      failure = outcome.failure;
      if (failure instanceof UnsupportedText || this.#mayStay(candidate, failure)) continue;
      this.options.providers.leave("tts", candidate.opened);
    }
    const last = this.options.lastResort();
    if (!last) throw failure;
    this.#isFallback = true;
    if (unspoken.text !== "") yield* last.speak(unspoken.text, signal);
  }

  /** A voice may reject one sentence. It is replaced when it rejects a second one. */
  #mayStay({ opened }: Candidate<"tts">, failure: unknown): boolean {
    if (!(failure instanceof ProviderFailure && failure.ofRequest)) return false;
    const isFirst = !this.#refusedOnce.has(opened.stream);
    this.#refusedOnce.add(opened.stream);
    return isFirst;
  }

  async *#speakWith(
    candidate: Candidate<"tts">,
    unspoken: Unspoken,
    signal: AbortSignal,
  ): AsyncGenerator<Int16Array, "done" | { readonly failure: unknown }> {
    const { providers, guard, clock, sampleRateHz } = this.options;
    for (let attempt = 1; ; attempt++) {
      let isAudible = false;
      let soundMs = 0;
      try {
        for await (const pcm of candidate.opened.stream.speak(unspoken.text, signal)) {
          if (signal.aborted) return "done";
          isAudible ||= pcm.some((sample) => Math.abs(sample) > SILENT_SAMPLE_MAX);
          if (isAudible) candidate.breaker.succeeded();
          const ms = (pcm.length / sampleRateHz) * 1_000;
          soundMs += ms;
          unspoken.spokenMs += ms;
          yield pcm;
        }
        if (signal.aborted) candidate.breaker.abandoned();
        if (signal.aborted || isAudible || soundMs < SILENT_MS_MIN) return "done";
        if (!/[\p{L}\p{N}]/u.test(unspoken.text)) return "done";
        unspoken.spokenMs = 0;
        const failure = silentVoice();
        providers.failed("tts", candidate, failure);
        return { failure };
      } catch (error) {
        if (signal.aborted) {
          candidate.breaker.abandoned();
          return "done";
        }
        if (error instanceof UnsupportedText) {
          candidate.breaker.abandoned();
          providers.unsupportedText(candidate, error);
          unspoken.text = error.unspoken ?? unspoken.text;
          unspoken.spokenMs = 0;
          return unspoken.text === "" ? "done" : { failure: error };
        }
        providers.failed("tts", candidate, error);
        dropSpoken(unspoken);
        if (unspoken.text === "") return "done";
        const pauseMs = retryPauseMs(error, attempt, guard);
        if (pauseMs === null) return { failure: error };
        await sleep(clock, pauseMs);
      }
    }
  }
}

/** Removes the spoken words. The unfinished word stays. */
function dropSpoken(unspoken: Unspoken): void {
  const characters = Math.floor(unspoken.spokenMs / MS_PER_CHARACTER);
  unspoken.spokenMs = 0;
  if (characters <= 0) return;
  const space = unspoken.text.lastIndexOf(" ", characters);
  unspoken.text = characters >= unspoken.text.length ? "" : unspoken.text.slice(space + 1).trim();
}
