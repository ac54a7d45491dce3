/**
 * What a caller's utterances come to. Each that may matter is recognised; its words decide: nothing
 * (a cough, a listener's "mhm"), a short interruption, or what the agent has to answer.
 *
 * Guarantees: words reach the transcript once and in their order, also those that a person said to a
 * machine that was still listening, or while the call was ending; a recogniser that is lost costs the
 * caller one repetition, not the call. utterance-segmenter.ts decides when one ends.
 */

import type { Screening } from "../answering/screening.ts";
import type { ConversationSettings } from "../conversation-settings.ts";
import type { SttResult } from "../engine-port.ts";
import type { SpokenOptOut } from "../opt-out/spoken-opt-out.ts";
import type { ActiveLanguage } from "../speech/active-language.ts";
import type { EchoGuard } from "../speech/echo.ts";
import type { UsageMeter } from "../usage-meter.ts";
import { isBackChannel } from "../words.ts";
import type { AgentSide } from "./agent-side.ts";
import { takesTurn } from "./interruption.ts";
import type { Overlap } from "./overlap.ts";
import type { PendingQuestions } from "./pending-questions.ts";
import { Recognitions } from "./recognitions.ts";
import type { SilenceWatch } from "./silence.ts";
import { TALKING, type TurnMachine } from "./turn-taking.ts";
import type { Utterance, UtteranceSegmenter } from "./utterance-segmenter.ts";

/** What stands in the transcript for speech that nobody understood. */
const INAUDIBLE = "[inaudible]";

interface UtteranceProcessorOptions {
  readonly settings: ConversationSettings;
  readonly activeLanguage: ActiveLanguage;
  readonly usage: UsageMeter;
  readonly machine: TurnMachine;
  readonly agent: AgentSide;
  readonly segmenter: UtteranceSegmenter;
  readonly echo: EchoGuard;
  readonly overlap: Overlap;
  readonly pendingQuestions: PendingQuestions;
  readonly silence: SilenceWatch;
  readonly optOut: SpokenOptOut;
  /** Who answered our call; null: the caller called. */
  readonly screening: () => Screening | null;
  /** The agent greets whoever answers: their "hello" is not answered in words. */
  readonly greetsFirst: boolean;
  /** The caller waits for a transfer; nobody answers. */
  readonly waits: () => boolean;
  readonly onFailure: (error: unknown) => void;
}

/** The caller's turn; what somebody whom we called says first; or what is said beside the agent's words. */
type UtteranceKind = "turn" | "greeting" | "aside";

export class UtteranceProcessor {
  readonly #recognitions = new Recognitions();
  /** The recogniser was lost in the middle of what the caller says. */
  #utteranceLost = false;

  constructor(private readonly options: UtteranceProcessorOptions) {}

  /** Something said is being recognised. */
  get pending(): boolean {
    return this.#recognitions.pending;
  }

  /** Settles when all that was said is understood. Never rejects. */
  get latest(): Promise<void> {
    return this.#recognitions.latest;
  }

  utteranceBegan(): void {
    this.#utteranceLost = false;
  }

  /** The caller has finished an utterance. */
  finished(utterance: Utterance): void {
    const { machine, agent, echo, screening } = this.options;
    switch (machine.state.name) {
      case "screening":
        this.#recognise(utterance, "greeting");
        screening()?.utteranceEnded(utterance.speechMs);
        break;
      case "caller_speaking":
      case "endpointing":
        machine.apply({ type: "endpoint" });
        if (this.#utteranceLost) this.#askToRepeat();
        else this.#recognise(utterance, "turn");
        break;
      case "thinking":
        if (agent.toolAtWork) this.#recognise(utterance);
        break;
      case "agent_speaking":
        if (!agent.protectedNow && !echo.suspected) this.#recognise(utterance);
        break;
    }
  }

  /** What the caller is saying right now is kept, as far as it goes. */
  finishNow(): void {
    const { segmenter, echo } = this.options;
    if (segmenter.active && !echo.suspected) this.#recognise(segmenter.utterance);
  }

  /** The recogniser was lost and is back: who was being listened to is asked to say it again. */
  restored(): void {
    const { segmenter, machine, agent } = this.options;
    this.#utteranceLost = segmenter.active;
    if (!this.#recognitions.pending) return;
    this.#recognitions.discardPending();
    if (machine.state.name === "thinking" && !agent.hasWords) this.#askToRepeat();
  }

  #askToRepeat(): void {
    const { overlap, machine, agent, activeLanguage } = this.options;
    overlap.forget();
    machine.apply({ type: "respond" });
    agent.sayPhrase(activeLanguage.phrases.sayAgain);
  }

  #recognise(utterance: Utterance, kind: UtteranceKind = "aside"): void {
    const { segmenter, onFailure } = this.options;
    this.#recognitions.add(
      segmenter.finish(),
      (result) => this.#process(utterance, result, kind),
      onFailure,
    );
  }

  #process(utterance: Utterance, result: SttResult, kind: UtteranceKind): void {
    const { usage, machine, agent, overlap, pendingQuestions, silence, screening } = this.options;
    usage.recognised(result);
    const text = result.text.trim();
    if (text !== "") screening()?.words(text);
    const { name } = machine.state;
    const answered = kind === "greeting" && this.options.greetsFirst;
    if (!TALKING.has(name) || name === "screening" || answered || this.options.waits()) {
      if (text !== "") {
        pendingQuestions.record(text, utterance);
        this.options.optOut.overheard(text);
      }
      return;
    }
    if (this.#isNothing(text, utterance, kind === "turn")) {
      if (name === "thinking" && !agent.moreToCome) machine.apply({ type: "dismissed" });
      return;
    }
    const { nearlyDone, protectedNow } = agent;
    if (name === "agent_speaking" && !nearlyDone && !protectedNow) overlap.yieldTurn();
    overlap.confirm();
    pendingQuestions.record(text || INAUDIBLE, utterance);
    silence.callerActive();
    if (!this.#refusesCalls(text)) pendingQuestions.answer(text, result.confidence, utterance);
  }

  /** Whoever still speaks is heard out first. */
  #refusesCalls(text: string): boolean {
    const { machine, pendingQuestions, optOut } = this.options;
    const { name } = machine.state;
    if (name === "caller_speaking" || name === "endpointing") return false;
    if (!optOut.takes(pendingQuestions.with(text))) return false;
    pendingQuestions.forget();
    return true;
  }

  /**
   * A short noise, or a "mhm" that leaves the word to the agent. What was the caller's turn interrupts
   * nothing: whatever the agent says meanwhile is a filler.
   */
  #isNothing(text: string, { speechMs, soundMs }: Utterance, hadTurn: boolean): boolean {
    const { settings, activeLanguage, machine, agent, overlap } = this.options;
    const { language } = activeLanguage;
    const agentSpeaks = machine.state.name === "agent_speaking" && !hadTurn;
    if (agentSpeaks && !agent.nearlyDone)
      return !takesTurn(settings, language, { speechMs: soundMs, partial: text });
    if (text === "" && speechMs < settings.bargeInMs) return true;
    const onlyListening = agent.expected !== "yes_no" && isBackChannel(text, language);
    if (text !== "" && !onlyListening) return false;
    return agentSpeaks || agent.toolPending || overlap.undecided;
  }
}
