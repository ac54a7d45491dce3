/**
 * Barge-in: the caller speaks during the agent's turn. An interruption stops the agent immediately. When its
 * words are known, either the LLM gets the heard part, or the agent resumes the cut sentence.
 */

import type { ConversationSettings } from "../conversation-settings.ts";
import type { LlmSession } from "../engine-port.ts";
import { CONTINUATION_MS } from "../limits.ts";
import type { ActiveLanguage } from "../speech/active-language.ts";
import type { Spoken } from "../speech/agent-speech.ts";
import type { EchoGuard } from "../speech/echo.ts";
import type { AgentSide } from "./agent-side.ts";
import { cutsIn, mayBeListening } from "./interruption.ts";
import type { TurnMachine } from "./turn-taking.ts";
import type { UtteranceSegmenter } from "./utterance-segmenter.ts";

interface BargeInOptions {
  readonly settings: ConversationSettings;
  readonly activeLanguage: ActiveLanguage;
  readonly llm: LlmSession;
  readonly machine: TurnMachine;
  readonly agent: AgentSide;
  readonly echo: EchoGuard;
  readonly segmenter: UtteranceSegmenter;
  /** The caller continues before the answer is audible: the new words join the question. */
  readonly retractQuestion: () => void;
}

export class BargeIn {
  /** The interrupted agent speech, until it is clear whether the caller meant to interrupt; else null. */
  #cutShort: Spoken | null = null;

  constructor(private readonly options: BargeInOptions) {}

  get undecided(): boolean {
    return this.#cutShort !== null;
  }

  /** Called once per frame while the caller speaks. */
  judge(): void {
    const { machine, agent, segmenter, echo, retractQuestion } = this.options;
    const { name } = machine.state;
    if (name === "listening") {
      if (echo.suspected) segmenter.cancel();
      else machine.apply({ type: "caller_spoke" });
    } else if (name === "thinking") {
      const mayRetract = !agent.toolAtWork && !agent.protectedNow;
      if (mayRetract && segmenter.speechMs >= CONTINUATION_MS) retractQuestion();
    } else if (name === "agent_speaking") {
      this.#judgeInterruption();
    }
  }

  /** Interrupts the agent. */
  cut(): void {
    const { agent, machine, settings } = this.options;
    this.#cutShort = agent.stop(settings.bargeInFadeMs);
    machine.apply({ type: "interrupted" });
  }

  /** The caller's short utterance was meant as an interruption: the agent stops. */
  yieldTurn(): void {
    const { agent, settings } = this.options;
    this.#cutShort = agent.stop(settings.bargeInFadeMs);
  }

  /** Confirms the interruption: cuts the LLM's last text at the heard position. */
  confirm(): void {
    const cut = this.#cutShort;
    this.#cutShort = null;
    if (cut && cut.playedLlmText !== null)
      this.options.llm.truncateSpoken(cut.playedLlmText, cut.playedMs);
  }

  /** Another event has taken the agent's turn. */
  forget(): void {
    this.#cutShort = null;
  }

  /** False interruption: resumes the cut sentence. */
  resume(): void {
    const { machine, agent } = this.options;
    const unplayed = this.#cutShort?.unplayed ?? [];
    this.#cutShort = null;
    if (unplayed.length === 0) return;
    machine.apply({ type: "respond" });
    agent.resume(unplayed);
  }

  #judgeInterruption(): void {
    const { settings, activeLanguage, agent, segmenter, echo } = this.options;
    if (segmenter.silentMs === 0) echo.judgeNowAndThen();
    if (agent.protectedNow) return;
    const speech = { speechMs: segmenter.soundMs, partial: segmenter.partial };
    if (!cutsIn(settings, activeLanguage.language, speech) || mayBeListening(speech)) return;
    if (!echo.isEcho()) this.cut();
  }
}
