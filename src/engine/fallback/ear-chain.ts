/**
 * An ear that loses no utterance to a provider: it keeps the audio of the running one and gives it
 * to the next when the first fails. After all providers, the embedded ear.
 */
import { type Clock, sleep } from "../../core/clock.ts";
import { type Ear, EngineFailure, type ExpectedAnswer, type Heard } from "../ports.ts";
import type { GuardSettings } from "../settings.ts";
import { UtteranceAudio } from "../utterance-audio.ts";
import { type CallProviders, type Candidate, retryPauseMs } from "./providers.ts";

export interface EarChainOptions {
  readonly providers: CallProviders;
  /** The embedded one; opened when it is needed. Null: none. */
  readonly lastResort: () => Ear | null;
  readonly sampleRateHz: number;
  readonly guard: GuardSettings;
  readonly clock: Clock;
}

/** What a recogniser is fed at a time when it gets an utterance as a whole. */
const FRAME_MS = 20;

export class EarChain implements Ear {
  readonly #audio: UtteranceAudio;
  readonly #listened = new Set<Ear>();
  #live: { readonly ear: Ear; readonly candidate: Candidate | null } | null = null;
  #onPartial: (text: string) => void = () => {};
  #onEndpoint: () => void = () => {};
  #expected: ExpectedAnswer = "open";
  #byLastResort = false;

  constructor(private readonly options: EarChainOptions) {
    this.#audio = new UtteranceAudio(options.sampleRateHz);
  }

  get capabilities(): Ear["capabilities"] {
    const ear = this.options.providers.current("ear")?.ear ?? this.options.lastResort();
    return ear?.capabilities ?? { partials: false };
  }

  /** The embedded ear understood the last utterance, no provider. */
  get understoodByLastResort(): boolean {
    return this.#byLastResort;
  }

  begin(lead: Int16Array): void {
    this.#audio.begin(lead);
    this.#live = this.#choose();
    this.#live?.ear.begin(lead);
  }

  push(pcm: Int16Array): void {
    this.#audio.push(pcm);
    this.#live?.ear.push(pcm);
  }

  cancel(): void {
    this.#live?.candidate?.breaker.abandoned();
    this.#live?.ear.cancel();
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
    (providers.current("ear")?.ear ?? lastResort())?.expect(answer);
  }

  async end(): Promise<Heard> {
    const live = this.#live;
    this.#live = null;
    this.#byLastResort = live !== null && live.candidate === null;
    // The next utterance may begin before this one is understood.
    const pcm = this.#audio.pcm.slice();
    this.#audio.clear();
    let failure: unknown = new EngineFailure("ear", "no ear is left");
    const tried = live?.candidate ?? null;
    if (live) {
      const outcome = await this.#listen(live.ear, live.candidate, pcm, true);
      if (outcome.heard) return outcome.heard;
      failure = outcome.failure;
    }
    for (const candidate of this.options.providers.candidates("ear")) {
      if (candidate.session === tried?.session) continue;
      const outcome = await this.#listen(candidate.session.ear, candidate, pcm, false);
      if (outcome.heard) return outcome.heard;
      failure = outcome.failure;
    }
    const last = this.options.lastResort();
    if (!last || last === live?.ear) throw failure;
    this.#prepare(last);
    this.#byLastResort = true;
    return await this.#replay(last, pcm);
  }

  #choose(): { ear: Ear; candidate: Candidate | null } | null {
    const [candidate = null] = this.options.providers.candidates("ear");
    const ear = candidate?.session.ear ?? this.options.lastResort();
    if (!ear) return null;
    this.#prepare(ear);
    return { ear, candidate };
  }

  /** `fed`: the ear has the audio already, at the first attempt. */
  async #listen(
    ear: Ear,
    candidate: Candidate | null,
    pcm: Int16Array,
    fed: boolean,
  ): Promise<{ heard: Heard; failure: null } | { heard: null; failure: unknown }> {
    this.#prepare(ear);
    for (let attempt = 1; ; attempt++) {
      try {
        const heard = await (fed && attempt === 1 ? ear.end() : this.#replay(ear, pcm));
        candidate?.breaker.succeeded();
        return { heard, failure: null };
      } catch (error) {
        if (!candidate) return { heard: null, failure: error };
        this.options.providers.failed("ear", candidate, error);
        const pauseMs = retryPauseMs(error, attempt, this.options.guard);
        if (pauseMs === null) {
          if (candidate.session.joined) this.options.providers.leave("ear", candidate.session);
          return { heard: null, failure: error };
        }
        await sleep(this.options.clock, pauseMs);
      }
    }
  }

  #replay(ear: Ear, pcm: Int16Array): Promise<Heard> {
    const frame = (this.options.sampleRateHz / 1_000) * FRAME_MS;
    ear.begin(pcm.subarray(0, 0));
    for (let at = 0; at < pcm.length; at += frame) ear.push(pcm.slice(at, at + frame));
    return ear.end();
  }

  #prepare(ear: Ear): void {
    if (!this.#listened.has(ear)) {
      this.#listened.add(ear);
      ear.onPartial((text) => {
        if (this.#live?.ear === ear) this.#onPartial(text);
      });
      ear.onEndpoint?.(() => {
        if (this.#live?.ear === ear) this.#onEndpoint();
      });
    }
    ear.expect(this.#expected);
  }
}
