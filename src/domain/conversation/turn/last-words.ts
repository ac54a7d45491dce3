/**
 * How a conversation closes: the agent's last words, whatever is going on, and then `onSaid`, once.
 * Also where the engine fails: the caller hears an apology, as far as one can be said.
 */
import type { EndedReason } from "../../../core/ended-reason.ts";
import { describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import { CLOSING_MS_MAX, CLOSING_TAIL_MS } from "../limits.ts";
import type { ActiveLanguage } from "../speech/active-language.ts";
import type { CachedPhrases } from "../speech/phrase-cache.ts";
import type { AgentSide } from "./agent-side.ts";
import type { TurnMachine } from "./turn-taking.ts";
import type { TurnTimers } from "./turn-timers.ts";

interface LastWordsOptions {
  readonly machine: TurnMachine;
  readonly agent: AgentSide;
  readonly timers: TurnTimers;
  readonly cached: CachedPhrases;
  readonly activeLanguage: ActiveLanguage;
  readonly log: Log;
  readonly fadeMs: number;
  readonly onSaid: (reason: EndedReason) => void;
}

export class LastWords {
  #wereSaid = false;
  #isInaudible = false;

  constructor(private readonly options: LastWordsOptions) {}

  /** Says this and then ends. Too late while last words are being said. */
  say(text: string, reason: EndedReason): void {
    const { machine, agent, fadeMs } = this.options;
    const { name } = machine.state;
    if (name === "closing" || name === "ended") return;
    agent.stop(fadeMs);
    machine.apply({ type: "close", reason });
    if (name !== "idle") agent.sayPhrase(text);
  }

  /** Apologises, as far as it can, and ends. */
  engineFailed(error: unknown): void {
    const { machine, activeLanguage, cached, log } = this.options;
    const { name } = machine.state;
    const { apology } = activeLanguage.phrases;
    if (name === "ended") return;
    log.warn("engine.failed", { error: describeError(error), state: name });
    // Two people who talk need no engine.
    if (name === "transferring" || name === "bridged") return;
    const canApologise = name !== "closing" && cached.get(apology) !== null;
    this.say(canApologise ? apology : "", "engine_failure");
    if (!canApologise) this.#finish();
  }

  /** The far end takes no audio (hold) or takes it again. Words that nobody hears are not waited for. */
  setInaudible(on: boolean): void {
    this.#isInaudible = on;
    if (on) this.#finish();
  }

  /** The machine is closing: not for ever. */
  begun(): void {
    this.options.timers.closing.arm(this.#isInaudible ? 0 : CLOSING_MS_MAX, () => this.#finish());
  }

  /** Nothing is left to be played. Comes with every frame from then on. */
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
