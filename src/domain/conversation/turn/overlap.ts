/**
 * The caller speaks while the agent has the word: does that take it? An interruption stops the agent
 * at once; whether it was meant shows when its words are known. Then the LLM learns what was heard,
 * or the agent goes on with the sentence that was cut.
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

interface OverlapOptions {
  readonly settings: ConversationSettings;
  readonly activeLanguage: ActiveLanguage;
  readonly llm: LlmSession;
  readonly machine: TurnMachine;
  readonly agent: AgentSide;
  readonly echo: EchoGuard;
  readonly segmenter: UtteranceSegmenter;
  /** The caller goes on before the answer is heard: it waits for all of it. */
  readonly retractQuestion: () => void;
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

  /** The caller interrupts. */
  cut(): void {
    const { agent, machine, settings } = this.options;
    this.#cutShort = agent.stop(settings.bargeInFadeMs);
    machine.apply({ type: "interrupted" });
  }

  /** What was said shortly and is over was meant to interrupt: the agent falls silent. */
  yieldTurn(): void {
    const { agent, settings } = this.options;
    this.#cutShort = agent.stop(settings.bargeInFadeMs);
  }

  /** It was meant: the LLM's last words end where they were cut. */
  confirm(): void {
    const cut = this.#cutShort;
    this.#cutShort = null;
    if (cut && cut.playedLlmText !== null)
      this.options.llm.truncateSpoken(cut.playedLlmText, cut.playedMs);
  }

  /** Something else took the agent's turn. */
  forget(): void {
    this.#cutShort = null;
  }

  /** It was none: goes on with the sentence that was cut. */
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
