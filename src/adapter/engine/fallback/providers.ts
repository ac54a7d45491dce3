/**
 * The providers of a call in their order, with what the call worker knows of their health: opened
 * when they are first needed, left for good by what cannot go on with them.
 *
 * A provider whose three parts belong together (`joined`) is entered and left as a whole.
 */

import type { Clock } from "../../../core/clock.ts";
import { describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import type { AgentLanguage } from "../../../domain/agent/agent.ts";
import type {
  ChatMessage,
  Engine,
  EngineFailure,
  EngineSession,
  SessionSettings,
} from "../../../domain/conversation/engine-port.ts";
import { ProviderFailure } from "../provider-failure.ts";
import type { GuardSettings } from "../settings.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";

export type Part = EngineFailure["part"];
const PARTS: readonly Part[] = ["stt", "llm", "tts"];

/** One provider as a call worker sees it, for all its calls. */
export class Provider {
  readonly #breakers: Readonly<Record<Part, CircuitBreaker>>;

  constructor(
    readonly name: string,
    readonly engine: Engine,
    guard: GuardSettings,
    clock: Clock,
    log: Log,
  ) {
    const breaker = (part: Part) =>
      new CircuitBreaker(guard, clock, (state) =>
        log.warn("provider.breaker", { provider: name, part, state }),
      );
    this.#breakers = { stt: breaker("stt"), llm: breaker("llm"), tts: breaker("tts") };
  }

  breaker(part: Part): CircuitBreaker {
    return this.#breakers[part];
  }
}

/** One provider in one call. */
export interface Candidate {
  readonly name: string;
  readonly session: EngineSession;
  readonly breaker: CircuitBreaker;
}

export interface CallProvidersOptions {
  readonly providers: readonly Provider[];
  readonly settings: SessionSettings;
  /** What a provider that is opened now must know. */
  readonly history: () => readonly ChatMessage[];
  readonly log: Log;
}

export class CallProviders {
  /** A session for each part, so that a mind begins with all that was said; one for joined parts. */
  readonly #sessions = new Map<Provider, Partial<Record<Part, EngineSession>>>();
  /** How many of the providers each part has left behind. */
  readonly #skipped: Record<Part, number> = { stt: 0, llm: 0, tts: 0 };
  #language: AgentLanguage;

  constructor(private readonly options: CallProvidersOptions) {
    this.#language = options.settings.language;
    const [first] = options.providers;
    if (!first) return;
    const session = this.#openAnew(first);
    this.#sessions.set(first, { stt: session, llm: session, tts: session });
  }

  get size(): number {
    return this.options.providers.length;
  }

  /** The provider this part is with, opened; null when it has left all. */
  current(part: Part): EngineSession | null {
    const provider = this.options.providers[this.#skipped[part]];
    return provider ? this.#open(provider, part) : null;
  }

  /** Those still to be tried whose breakers let a request pass, in order; each is opened when it comes. */
  *candidates(part: Part): Generator<Candidate> {
    const { providers } = this.options;
    for (let index = this.#skipped[part]; index < providers.length; index++) {
      const provider = providers[index];
      if (!provider) continue;
      const breaker = provider.breaker(part);
      if (!breaker.tryPass()) continue;
      yield { name: provider.name, session: this.#open(provider, part), breaker };
    }
  }

  /** This part goes on with whoever follows; where parts belong together, all of them do. */
  leave(part: Part, session: EngineSession): void {
    const index = this.options.providers.findIndex(
      (one) => this.#sessions.get(one)?.[part] === session,
    );
    if (index < 0) return;
    for (const each of session.combinedSession ? PARTS : [part]) {
      this.#skipped[each] = Math.max(this.#skipped[each], index + 1);
    }
    const next = this.options.providers[index + 1];
    if (next && this.#open(next, part).combinedSession) {
      for (const each of PARTS) this.#skipped[each] = Math.max(this.#skipped[each], index + 1);
    }
  }

  /** Nobody comes after this one but the embedded engine. */
  isLast(part: Part, session: EngineSession): boolean {
    const last = this.options.providers.at(-1);
    return last !== undefined && this.#sessions.get(last)?.[part] === session;
  }

  /** Another voice says this text; the provider stays. */
  unsupportedText({ name }: Candidate, error: Error): void {
    this.options.log.warn("provider.unsupported_text", { provider: name, error: error.message });
  }

  /** Writes the failure down. */
  failed(part: Part, { name, breaker }: Candidate, error: unknown): void {
    breaker.failed(error instanceof ProviderFailure && error.lasting);
    this.options.log.warn("provider.failed", {
      provider: name,
      part,
      reason: error instanceof ProviderFailure ? error.reason : "defect",
      error: describeError(error),
    });
  }

  switchLanguage(language: AgentLanguage): void {
    this.#language = language;
    for (const session of this.#all) session.switchLanguage?.(language);
  }

  close(): void {
    for (const session of this.#all) session.close();
  }

  get #all(): Set<EngineSession> {
    return new Set([...this.#sessions.values()].flatMap((parts) => Object.values(parts)));
  }

  #open(provider: Provider, part: Part): EngineSession {
    const parts = this.#sessions.get(provider) ?? {};
    const combined = Object.values(parts).find((session) => session.combinedSession);
    const session = parts[part] ?? combined ?? this.#openAnew(provider);
    parts[part] = session;
    this.#sessions.set(provider, parts);
    return session;
  }

  #openAnew(provider: Provider): EngineSession {
    const { settings, history } = this.options;
    return provider.engine.open({ ...settings, language: this.#language, history: history() });
  }
}

/** Longest wait before an attempt is repeated: a caller is on the line. */
const RETRY_AFTER_MS_MAX = 700;
/** … where nobody else can answer: a filler covers it, and an answer is better than a message taken. */
const RETRY_AFTER_ALONE_MS_MAX = 2_500;
const RETRY_PAUSE_MS = 150;

/** Milliseconds to wait before asking the same provider again; null: not worth it. */
export function retryPauseMs(
  error: unknown,
  attempt: number,
  guard: GuardSettings,
  isLast = false,
): number | null {
  if (attempt > guard.retries) return null;
  if (!(error instanceof ProviderFailure)) return null;
  // One that took all the time it had would take it again.
  if (error.lasting || error.reason === "timeout") return null;
  const pauseMs = error.retryAfterMs ?? RETRY_PAUSE_MS;
  return pauseMs <= (isLast ? RETRY_AFTER_ALONE_MS_MAX : RETRY_AFTER_MS_MAX) ? pauseMs : null;
}
