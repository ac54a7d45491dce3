/**
 * Closes a conversation: interrupts everything for the agent's last words, then calls `onSaid` once. If the
 * engine fails, the caller hears an apology if one is available.
 */
import type { EndedReason } from "../../core/ended-reason.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { CLOSING_MS_MAX, CLOSING_TAIL_MS } from "../limits.ts";
import type { ActiveLanguage } from "../speech/active-language.ts";
import type { CachedPhrases } from "../speech/phrase-cache.ts";
import type { AgentSide } from "./agent-side.ts";
import type { TurnMachine } from "./turn-taking.ts";
import type { TurnTimers } from "./turn-timers.ts";

interface ClosingMessageOptions {
  readonly machine: TurnMachine;
  readonly agent: AgentSide;
  readonly timers: TurnTimers;
  readonly cached: CachedPhrases;
  readonly activeLanguage: ActiveLanguage;
  readonly log: Log;
  readonly fadeMs: number;
  readonly onSaid: (reason: EndedReason) => void;
}

export class ClosingMessage {
  #wereSaid = false;
  #isInaudible = false;

  constructor(private readonly options: ClosingMessageOptions) {}

  /** Says the text and ends the call. Has no effect while last words are being said. */
  say(text: string, reason: EndedReason): void {
    const { machine, agent, fadeMs } = this.options;
    const { name } = machine.state;
    if (name === "closing" || name === "ended") return;
    agent.stop(fadeMs);
    machine.apply({ type: "close", reason });
    if (name !== "idle") agent.sayPhrase(text);
  }

  /** Apologises if possible, and ends the call. */
  engineFailed(error: unknown): void {
    const { machine, activeLanguage, cached, log } = this.options;
    const { name } = machine.state;
    const { apology } = activeLanguage.phrases;
    if (name === "ended") return;
    log.warn("engine.failed", { error: describeError(error), state: name });
    // Two bridged people need no engine.
    if (name === "transferring" || name === "bridged") return;
    const canApologise = name !== "closing" && cached.get(apology) !== null;
    this.say(canApologise ? apology : "", "engine_failure");
    if (!canApologise) this.#finish();
  }

  /** The far end is on hold, or back. Inaudible words are not waited for. */
  setInaudible(on: boolean): void {
    this.#isInaudible = on;
    if (on) this.#finish();
  }

  /** The machine is closing: limits its duration. */
  begun(): void {
    this.options.timers.closing.arm(this.#isInaudible ? 0 : CLOSING_MS_MAX, () => this.#finish());
  }

  /** Called with every frame once nothing is left to play. */
  agentFellSilent(): void {
    if (!this.#wereSaid) this.options.timers.tail.arm(CLOSING_TAIL_MS, () => this.#finish());
  }

  #finish(): void {
    const { machine, agent, timers, onSaid } = this.options;
    const { state } = machine;
    if (state.name !== "closing" || this.#wereSaid) return;
    this.#wereSaid = true;
    timers.stop();
    agent.finishTurn();
    onSaid(state.reason);
  }
}
