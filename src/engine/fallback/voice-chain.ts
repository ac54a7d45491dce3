/**
 * A voice that finishes its sentence: when a provider falls silent in the middle, the next one says
 * the words that are missing. After all providers, the embedded voice, which then stays for the
 * call: a voice that changes with every sentence is worse than a plain one.
 */
import { type Clock, sleep } from "../../core/clock.ts";
import { CannotSpeak, EngineFailure, type Voice } from "../ports.ts";
import type { GuardSettings } from "../settings.ts";
import { type CallProviders, type Candidate, retryPauseMs } from "./providers.ts";

export interface VoiceChainOptions {
  readonly providers: CallProviders;
  readonly lastResort: () => Voice | null;
  readonly sampleRateHz: number;
  readonly guard: GuardSettings;
  readonly clock: Clock;
}

/** Ordinary speech, for a guess at which words were out when a voice broke off. */
const MS_PER_CHARACTER = 65;

/** What is still to be said. */
interface Rest {
  text: string;
  saidMs: number;
}

export class VoiceChain implements Voice {
  #standIn = false;

  constructor(private readonly options: VoiceChainOptions) {}

  /** Another voice than the agent's speaks. */
  get standIn(): boolean {
    return this.#standIn;
  }

  prefetch(text: string): void {
    this.options.providers.current("voice")?.voice.prefetch?.(text);
  }

  dropPrefetched(): void {
    this.options.providers.current("voice")?.voice.dropPrefetched?.();
  }

  async *speak(text: string, signal: AbortSignal): AsyncGenerator<Int16Array> {
    this.#standIn = false;
    const rest: Rest = { text, saidMs: 0 };
    let failure: unknown = new EngineFailure("voice", "no voice is left");
    for (const candidate of this.options.providers.candidates("voice")) {
      const outcome = yield* this.#speakWith(candidate, rest, signal);
      if (outcome === "done") return;
      failure = outcome.failure;
      if (failure instanceof CannotSpeak) continue;
      this.options.providers.leave("voice", candidate.session);
    }
    const last = this.options.lastResort();
    if (!last) throw failure;
    this.#standIn = true;
    if (rest.text !== "") yield* last.speak(rest.text, signal);
  }

  async *#speakWith(
    candidate: Candidate,
    rest: Rest,
    signal: AbortSignal,
  ): AsyncGenerator<Int16Array, "done" | { readonly failure: unknown }> {
    const { providers, guard, clock, sampleRateHz } = this.options;
    for (let attempt = 1; ; attempt++) {
      try {
        for await (const pcm of candidate.session.voice.speak(rest.text, signal)) {
          if (signal.aborted) return "done";
          candidate.breaker.succeeded();
          rest.saidMs += (pcm.length / sampleRateHz) * 1_000;
          yield pcm;
        }
        if (signal.aborted) candidate.breaker.abandoned();
        return "done";
      } catch (error) {
        if (signal.aborted) {
          candidate.breaker.abandoned();
          return "done";
        }
        if (error instanceof CannotSpeak) {
          candidate.breaker.abandoned();
          providers.cannotSpeak(candidate, error);
          return { failure: error };
        }
        providers.failed("voice", candidate, error);
        takeOff(rest);
        if (rest.text === "") return "done";
        const pauseMs = retryPauseMs(error, attempt, guard);
        if (pauseMs === null) return { failure: error };
        await sleep(clock, pauseMs);
      }
    }
  }
}

/** The words that were said go; the one that was being said stays. */
function takeOff(rest: Rest): void {
  const characters = Math.floor(rest.saidMs / MS_PER_CHARACTER);
  rest.saidMs = 0;
  if (characters <= 0) return;
  const space = rest.text.lastIndexOf(" ", characters);
  rest.text = characters >= rest.text.length ? "" : rest.text.slice(space + 1).trim();
}
