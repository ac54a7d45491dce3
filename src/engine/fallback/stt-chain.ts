/**
 * Speech to text that loses no utterance when a provider fails. It stores the audio of the current
 * utterance and sends it to the next provider. The embedded recogniser comes last.
 */

import {
  EngineFailure,
  type ExpectedAnswer,
  type SttResult,
  type SttStream,
} from "../../conversation/engine-port.ts";
import { type Clock, sleep } from "../../core/clock.ts";
import { UtteranceAudio } from "../utterance-audio.ts";
import type { GuardSettings } from "./guard-settings.ts";
import { type CallProviders, type Candidate, retryPauseMs } from "./providers.ts";

interface SttChainOptions {
  readonly providers: CallProviders;
  /** The embedded recogniser, opened when needed. Null if none. */
  readonly lastResort: () => SttStream | null;
  readonly sampleRateHz: number;
  readonly guard: GuardSettings;
  readonly clock: Clock;
}

/** Chunk size for a recogniser that gets a whole utterance at once. */
const FRAME_MS = 20;

export class SttChain implements SttStream {
  readonly #audio: UtteranceAudio;
  readonly #subscribed = new Set<SttStream>();
  #live: { readonly stt: SttStream; readonly candidate: Candidate<"stt"> | null } | null = null;
  #onPartial: (text: string) => void = () => {};
  #onEndpoint: () => void = () => {};
  #expected: ExpectedAnswer = "open";
  #byEmbedded = false;

  constructor(private readonly options: SttChainOptions) {
    this.#audio = new UtteranceAudio(options.sampleRateHz);
  }

  get capabilities(): SttStream["capabilities"] {
    const stt = this.options.providers.current("stt")?.stream ?? this.options.lastResort();
    return stt?.capabilities ?? { partials: false };
  }

  /** The embedded recogniser recognised the last utterance. */
  get understoodByEmbedded(): boolean {
    return this.#byEmbedded;
  }

  startUtterance(lead: Int16Array): void {
    this.#audio.start(lead);
    this.#live = this.#choose();
    this.#live?.stt.startUtterance(lead);
  }

  push(pcm: Int16Array): void {
    this.#audio.push(pcm);
    this.#live?.stt.push(pcm);
  }

  recogniseEarly(): void {
    this.#live?.stt.recogniseEarly?.();
  }

  dropEarly(): void {
    this.#live?.stt.dropEarly?.();
  }

  discard(): void {
    this.#live?.candidate?.breaker.abandoned();
    this.#live?.stt.discard();
    this.#live = null;
    this.#audio.clear();
  }

  onPartial(listener: (text: string) => void): void {
    this.#onPartial = listener;
  }

  onEndpoint(listener: () => void): void {
    this.#onEndpoint = listener;
  }

  expect(answer: ExpectedAnswer): void {
    this.#expected = answer;
    const { providers, lastResort } = this.options;
    (providers.current("stt")?.stream ?? lastResort())?.expect(answer);
  }

  async finalize(): Promise<SttResult> {
    const live = this.#live;
    this.#live = null;
    this.#byEmbedded = live !== null && isEmbedded(live.candidate);
    // The next utterance may begin before this one is recognised.
    const pcm = this.#audio.pcm.slice();
    this.#audio.clear();
    let failure: unknown = new EngineFailure("stt", "no speech to text is left");
    const tried = live?.candidate ?? null;
    if (live) {
      const outcome = await this.#recognise(live.stt, live.candidate, pcm, true);
      if (outcome.result) return outcome.result;
      failure = outcome.failure;
    }
    for (const candidate of this.options.providers.candidates("stt")) {
      if (candidate.opened === tried?.opened) continue;
      const outcome = await this.#recognise(candidate.opened.stream, candidate, pcm, false);
      this.#byEmbedded = isEmbedded(candidate);
      if (outcome.result) return outcome.result;
      failure = outcome.failure;
    }
    const last = this.options.lastResort();
    if (!last || last === live?.stt) throw failure;
    this.#prepare(last);
    this.#byEmbedded = true;
    return await this.#replay(last, pcm);
  }

  #choose(): { stt: SttStream; candidate: Candidate<"stt"> | null } | null {
    const [candidate = null] = this.options.providers.candidates("stt");
    const stt = candidate?.opened.stream ?? this.options.lastResort();
    if (!stt) return null;
    this.#prepare(stt);
    return { stt, candidate };
  }

  /** `fed`: the stream already has the audio, at the first attempt. */
  async #recognise(
    stt: SttStream,
    candidate: Candidate<"stt"> | null,
    pcm: Int16Array,
    fed: boolean,
  ): Promise<{ result: SttResult; failure: null } | { result: null; failure: unknown }> {
    this.#prepare(stt);
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await (fed && attempt === 1 ? stt.finalize() : this.#replay(stt, pcm));
        candidate?.breaker.succeeded();
        return { result, failure: null };
      } catch (error) {
        if (!candidate) return { result: null, failure: error };
        this.options.providers.failed("stt", candidate, error);
        const pauseMs = retryPauseMs(error, attempt, this.options.guard);
        if (pauseMs === null) {
          if (candidate.opened.isCombined) this.options.providers.leave("stt", candidate.opened);
          return { result: null, failure: error };
        }
        await sleep(this.options.clock, pauseMs);
      }
    }
  }

  #replay(stt: SttStream, pcm: Int16Array): Promise<SttResult> {
    const frame = (this.options.sampleRateHz / 1_000) * FRAME_MS;
    stt.startUtterance(pcm.subarray(0, 0));
    for (let at = 0; at < pcm.length; at += frame) stt.push(pcm.slice(at, at + frame));
    return stt.finalize();
  }

  #prepare(stt: SttStream): void {
    if (!this.#subscribed.has(stt)) {
      this.#subscribed.add(stt);
      stt.onPartial((text) => {
        if (this.#live?.stt === stt) this.#onPartial(text);
      });
      stt.onEndpoint?.(() => {
        if (this.#live?.stt === stt) this.#onEndpoint();
      });
    }
    stt.expect(this.#expected);
  }
}

/** A null candidate is the last resort. */
const isEmbedded = (candidate: Candidate<"stt"> | null): boolean =>
  candidate === null || candidate.name === "embedded";
