/**
 * The caller speaks while the agent has the word: does that take it? An interruption stops the agent
 * at once; whether it was meant shows when its words are known. Then the mind learns what was heard,
 * or the agent goes on with the sentence that was cut.
 */
import type { Mind } from "../engine/ports.ts";
import type { ConversationSettings } from "../worker/messages.ts";
import type { AgentSide } from "./agent-side.ts";
import type { Spoken } from "./agent-speech.ts";
import type { EchoGuard } from "./echo.ts";
import type { CallerHearing } from "./hearing.ts";
import { cutsIn, mayBeListening } from "./interruption.ts";
import { CONTINUATION_MS } from "./limits.ts";
import type { Tongue } from "./tongue.ts";
import type { TurnMachine } from "./turn-taking.ts";

interface OverlapOptions {
  readonly settings: ConversationSettings;
  readonly tongue: Tongue;
  readonly mind: Mind;
  readonly machine: TurnMachine;
  readonly agent: AgentSide;
  readonly echo: EchoGuard;
  readonly hearing: CallerHearing;
  /** The caller goes on before the answer is heard: it waits for all of it. */
  readonly takeBackThought: () => void;
}

export class Overlap {
  /** The agent was cut short, and it is not clear yet whether the caller meant it. */
  #cutShort: Spoken | null = null;

  constructor(private readonly options: OverlapOptions) {}

  get undecided(): boolean {
    return this.#cutShort !== null;
  }

  /** Once a frame, while the caller speaks. */
  judge(): void {
    const { machine, agent, hearing, echo, takeBackThought } = this.options;
    const { name } = machine.state;
    if (name === "listening") {
      if (echo.suspected) hearing.cancel();
      else machine.apply({ type: "caller_spoke" });
    } else if (name === "thinking") {
      const mayTakeBack = !agent.toolAtWork && !agent.protectedNow;
      if (mayTakeBack && hearing.speechMs >= CONTINUATION_MS) takeBackThought();
    } else if (name === "agent_speaking") {
      this.#judgeInterruption();
    }
  }

  /** The caller interrupts. */
  cut(): void {
    const { agent, machine, settings } = this.options;
    this.#cutShort = agent.stop(settings.bargeInFadeMs);
    machine.apply({ type: "interrupted" });
  }

  /** What was said shortly and is over was meant to interrupt: the agent falls silent. */
  giveWay(): void {
    const { agent, settings } = this.options;
    this.#cutShort = agent.stop(settings.bargeInFadeMs);
  }

  /** It was meant: the mind's last words end where they were cut. */
  confirm(): void {
    const cut = this.#cutShort;
    this.#cutShort = null;
    if (cut && cut.heardOfMind !== null)
      this.options.mind.heardUntil(cut.heardOfMind, cut.playedMs);
  }

  /** Something else took the agent's turn. */
  forget(): void {
    this.#cutShort = null;
  }

  /** It was none: goes on with the sentence that was cut. */
  resume(): void {
    const { machine, agent } = this.options;
    const rest = this.#cutShort?.rest ?? [];
    this.#cutShort = null;
    if (rest.length === 0) return;
    machine.apply({ type: "respond" });
    agent.resume(rest);
  }

  #judgeInterruption(): void {
    const { settings, tongue, agent, hearing, echo } = this.options;
    if (hearing.silentMs === 0) echo.judgeNowAndThen();
    if (agent.protectedNow) return;
    const speech = { speechMs: hearing.soundMs, partial: hearing.partial };
    if (!cutsIn(settings, tongue.language, speech) || mayBeListening(speech)) return;
    if (!echo.isEcho()) this.cut();
  }
}
