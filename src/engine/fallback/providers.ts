/**
 * The providers of a call, in order per part, with their health in this call worker. A provider is
 * opened at first use. After a failure, the call never returns to it.
 *
 * A provider whose parts share one session (`combined`) is opened and left as a whole.
 */

import type {
  ChatMessage,
  Engine,
  EngineSession,
  SessionSettings,
} from "../../conversation/engine-port.ts";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import { type OpenPart, PARTS, type Part, type PartEngine } from "../provider.ts";
import { ProviderFailure } from "../provider-failure.ts";
import type { ProviderIncident } from "../provider-incident.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import type { GuardSettings } from "./guard-settings.ts";

/** One part of a provider. If its parts share one session, each part has the same object. */
export type ProviderSource<P extends Part> =
  | { readonly name: string; readonly engine: PartEngine<P> }
  | { readonly name: string; readonly combined: Engine };

/** Per part, in order of preference. */
export type ProviderSources = { readonly [P in Part]: readonly ProviderSource<P>[] };

interface ProviderWatchPorts {
  readonly clock: Clock;
  readonly log: Log;
  /** Called if a provider is unusable for everybody, and when it works again. */
  readonly onTrouble?: (trouble: ProviderIncident) => void;
}

/** One part of a provider, shared by all calls of the call worker. */
export class Provider<P extends Part> {
  readonly breaker: CircuitBreaker;
  #isInTrouble = false;

  constructor(
    private readonly part: P,
    readonly source: ProviderSource<P>,
    guard: GuardSettings,
    private readonly ports: ProviderWatchPorts,
  ) {
    const { clock, log } = ports;
    this.breaker = new CircuitBreaker(guard, clock, (state) => {
      log.warn("provider.breaker", { provider: source.name, part, state });
      if (state === "closed") this.#report(null);
    });
  }

  /** Reports a failure to the breaker. A rejected request shows nothing about the provider. */
  failed(failure: ProviderFailure | null): void {
    if (failure?.ofRequest) this.breaker.abandoned();
    else this.breaker.failed(failure?.lasting === true);
    const reason = failure?.reason;
    if (failure && (reason === "auth" || reason === "not_found" || reason === "silent")) {
      this.#report({ reason, message: failure.message });
    }
  }

  /** Called once per trouble, and once when it ends. */
  #report(trouble: ProviderIncident["trouble"]): void {
    const isInTrouble = trouble !== null;
    if (isInTrouble === this.#isInTrouble) return;
    this.#isInTrouble = isInTrouble;
    this.ports.onTrouble?.({ provider: this.name, part: this.part, trouble });
  }

  get name(): string {
    return this.source.name;
  }

  get combined(): Engine | null {
    return "combined" in this.source ? this.source.combined : null;
  }
}

export type Providers = { readonly [P in Part]: readonly Provider<P>[] };

/** One part of a provider in one call. */
interface OpenedPart<P extends Part> extends OpenPart<P> {
  /** The other parts belong to the same session and can only be replaced together. */
  readonly isCombined: boolean;
}

export interface Candidate<P extends Part> {
  readonly name: string;
  readonly opened: OpenedPart<P>;
  readonly breaker: CircuitBreaker;
  readonly provider: Provider<P>;
}

interface CallProvidersOptions {
  readonly providers: Providers;
  readonly settings: SessionSettings;
  /** Call history for a newly opened provider. */
  readonly history: () => readonly ChatMessage[];
  readonly log: Log;
}

export class CallProviders {
  /** Each part is opened separately, so that a language model starts with the whole history. */
  readonly #opened: { readonly [P in Part]: Map<Provider<P>, OpenedPart<P>> } = {
    stt: new Map(),
    llm: new Map(),
    tts: new Map(),
  };
  readonly #combined = new Map<Engine, EngineSession>();
  /** Number of failed providers per part. */
  readonly #skipped: Record<Part, number> = { stt: 0, llm: 0, tts: 0 };
  #language: AgentLanguage;

  constructor(private readonly options: CallProvidersOptions) {
    this.#language = options.settings.language;
    for (const part of PARTS) this.current(part);
  }

  /** True if an open part works in the speech worker. */
  get onSpeechWorker(): boolean {
    return this.#parts.some(({ onSpeechWorker }) => onSpeechWorker === true);
  }

  /** The current provider of this part, opened; null if all have failed. */
  current<P extends Part>(part: P): OpenedPart<P> | null {
    const provider = this.options.providers[part][this.#skipped[part]];
    return provider ? this.#open(part, provider) : null;
  }

  /**
   * Remaining providers whose breakers allow a request, in order. Each is opened when its turn
   * comes.
   */
  *candidates<P extends Part>(part: P): Generator<Candidate<P>> {
    const providers = this.options.providers[part];
    for (let index = this.#skipped[part]; index < providers.length; index++) {
      const provider = providers[index];
      if (!provider?.breaker.tryPass()) continue;
      const { name, breaker } = provider;
      yield { name, opened: this.#open(part, provider), breaker, provider };
    }
  }

  /** Moves this part to the next provider. If the parts share one session, all of them move. */
  leave<P extends Part>(part: P, opened: OpenedPart<P>): void {
    const providers = this.options.providers[part];
    const index = providers.findIndex((one) => this.#opened[part].get(one) === opened);
    const provider = providers[index];
    if (!provider) return;
    this.#skipTo(part, index + 1);
    if (provider.combined) {
      for (const each of PARTS) this.#skipTo(each, this.#placeOf(each, provider.combined) + 1);
    }
    const next = providers[index + 1];
    if (!next?.combined) return;
    this.#open(part, next);
    for (const each of PARTS) this.#skipTo(each, this.#placeOf(each, next.combined));
  }

  /** Only the embedded engine remains after this one. */
  isLast<P extends Part>(part: P, opened: OpenedPart<P>): boolean {
    const last = this.options.providers[part].at(-1);
    return last !== undefined && this.#opened[part].get(last) === opened;
  }

  /** Another provider speaks this text. The current one stays. */
  unsupportedText({ name }: Candidate<"tts">, error: Error): void {
    this.options.log.warn("provider.unsupported_text", { provider: name, error: error.message });
  }

  /** Logs the failure and updates the provider's health. */
  failed<P extends Part>(part: P, { name, provider }: Candidate<P>, error: unknown): void {
    const failure = error instanceof ProviderFailure ? error : null;
    provider.failed(failure);
    this.options.log.warn("provider.failed", {
      provider: name,
      part,
      reason: failure?.reason ?? "defect",
      error: describeError(error),
    });
  }

  switchLanguage(language: AgentLanguage): void {
    this.#language = language;
    for (const session of this.#combined.values()) session.switchLanguage?.(language);
    for (const part of this.#parts) part.switchLanguage?.(language);
  }

  close(): void {
    for (const session of this.#combined.values()) session.close();
    for (const part of this.#parts) part.close();
  }

  /** The open parts, without combined sessions. */
  get #parts(): OpenPart<Part>[] {
    const { stt, llm, tts } = this.#opened;
    const all = [...stt.values(), ...llm.values(), ...tts.values()];
    return all.filter(({ isCombined }) => !isCombined);
  }

  #skipTo(part: Part, index: number): void {
    this.#skipped[part] = Math.max(this.#skipped[part], index);
  }

  /** Index of a combined provider among those of a part, or -1. */
  #placeOf(part: Part, engine: Engine): number {
    return this.options.providers[part].findIndex(({ combined }) => combined === engine);
  }

  #open<P extends Part>(part: P, provider: Provider<P>): OpenedPart<P> {
    const known = this.#opened[part].get(provider);
    if (known) return known;
    const opened = this.#openAnew(part, provider.source);
    this.#opened[part].set(provider, opened);
    return opened;
  }

  #openAnew<P extends Part>(part: P, source: ProviderSource<P>): OpenedPart<P> {
    if (!("combined" in source)) {
      return { ...source.engine.open(this.#settings), isCombined: false };
    }
    const { combined } = source;
    const session = this.#combined.get(combined) ?? combined.open(this.#settings);
    this.#combined.set(combined, session);
    return { stream: session[part], isCombined: true, close() {} };
  }

  get #settings(): SessionSettings {
    const { settings, history } = this.options;
    return { ...settings, language: this.#language, history: history() };
  }
}

/** Longest pause before a retry: a caller is waiting. */
const RETRY_AFTER_MS_MAX = 700;
/**
 * Longest pause if no other provider is left. A filler phrase covers it, and an answer is better
 * than a message.
 */
const RETRY_AFTER_ALONE_MS_MAX = 2_500;
const RETRY_PAUSE_MS = 150;

/** Milliseconds before a retry with the same provider; null if a retry makes no sense. */
export function retryPauseMs(
  error: unknown,
  attempt: number,
  guard: GuardSettings,
  isLast = false,
): number | null {
  if (attempt > guard.retries) return null;
  if (!(error instanceof ProviderFailure)) return null;
  // After a time-out, a retry would time out too.
  if (error.lasting || error.ofRequest || error.reason === "timeout") return null;
  const pauseMs = error.retryAfterMs ?? RETRY_PAUSE_MS;
  return pauseMs <= (isLast ? RETRY_AFTER_ALONE_MS_MAX : RETRY_AFTER_MS_MAX) ? pauseMs : null;
}
