/**
 * Processes the caller's utterances. Each relevant one is recognised. Its words decide: nothing (a cough, a
 * listener's "mhm"), a short interruption, or a question for the agent.
 *
 * Guarantees: words reach the transcript once and in order, including words to a supposed machine and words
 * while the call ends. A recogniser failure costs the caller one repetition, not the call.
 * utterance-segmenter.ts decides when an utterance ends.
 */

import type { Screening } from "../answering-machine-detection/screening.ts";
import type { ConversationSettings } from "../conversation-settings.ts";
import type { SttResult } from "../engine-port.ts";
import type { SpokenOptOut } from "../opt-out/spoken-opt-out.ts";
import type { ActiveLanguage } from "../speech/active-language.ts";
import type { EchoGuard } from "../speech/echo.ts";
import type { UsageMeter } from "../usage-meter.ts";
import { isBackChannel } from "../words.ts";
import type { AgentSide } from "./agent-side.ts";
import type { BargeIn } from "./barge-in.ts";
import { takesTurn } from "./interruption.ts";
import type { PendingQuestions } from "./pending-questions.ts";
import { Recognitions } from "./recognitions.ts";
import type { SilenceWatch } from "./silence.ts";
import { TALKING, type TurnMachine } from "./turn-taking.ts";
import type { Utterance, UtteranceSegmenter } from "./utterance-segmenter.ts";

/** Transcript text for speech without recognised words. */
const INAUDIBLE = "[inaudible]";

interface UtteranceProcessorOptions {
  readonly settings: ConversationSettings;
  readonly activeLanguage: ActiveLanguage;
  readonly usage: UsageMeter;
  readonly machine: TurnMachine;
  readonly agent: AgentSide;
  readonly segmenter: UtteranceSegmenter;
  readonly echo: EchoGuard;
  readonly bargeIn: BargeIn;
  readonly pendingQuestions: PendingQuestions;
  readonly silence: SilenceWatch;
  readonly optOut: SpokenOptOut;
  /** Screening of an outbound call; null for inbound calls. */
  readonly screening: () => Screening | null;
  /** True if the agent speaks first: a person's "hello" then gets no answer from the LLM. */
  readonly greetsFirst: boolean;
  /** True while the caller waits for a transfer and gets no answer. */
  readonly waits: () => boolean;
  readonly onFailure: (error: unknown) => void;
}

/** The caller's turn; the first words of a called person; or words during the agent's turn. */
type UtteranceKind = "turn" | "greeting" | "aside";

export class UtteranceProcessor {
  readonly #recognitions = new Recognitions();
  /** True if the recogniser failed during the running utterance. */
  #utteranceLost = false;

  constructor(private readonly options: UtteranceProcessorOptions) {}

  /** True while an utterance is being recognised. */
  get pending(): boolean {
    return this.#recognitions.pending;
  }

  /** Settles when all utterances are recognised. Never rejects. */
  get latest(): Promise<void> {
    return this.#recognitions.latest;
  }

  utteranceBegan(): void {
    this.#utteranceLost = false;
  }

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

  /** Recognises the running utterance as far as it goes. */
  finishNow(): void {
    const { segmenter, echo } = this.options;
    if (segmenter.active && !echo.suspected) this.#recognise(segmenter.utterance);
  }

  /** The recogniser is back: asks the caller to repeat a lost utterance. */
  restored(): void {
    const { segmenter, machine, agent } = this.options;
    this.#utteranceLost = segmenter.active;
    if (!this.#recognitions.pending) return;
    this.#recognitions.discardPending();
    if (machine.state.name === "thinking" && !agent.hasWords) this.#askToRepeat();
  }

  #askToRepeat(): void {
    const { bargeIn, machine, agent, activeLanguage } = this.options;
    bargeIn.forget();
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
    const { usage, machine, agent, bargeIn, pendingQuestions, silence, screening } = this.options;
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
    if (name === "agent_speaking" && !nearlyDone && !protectedNow) bargeIn.yieldTurn();
    bargeIn.confirm();
    pendingQuestions.record(text || INAUDIBLE, utterance);
    silence.callerActive();
    if (!this.#refusesCalls(text)) pendingQuestions.answer(text, result.confidence, utterance);
  }

  /** If the person is still speaking, waits for the end of their words. */
  #refusesCalls(text: string): boolean {
    const { machine, pendingQuestions, optOut } = this.options;
    const { name } = machine.state;
    if (name === "caller_speaking" || name === "endpointing") return false;
    if (!optOut.takes(pendingQuestions.with(text))) return false;
    pendingQuestions.forget();
    return true;
  }

  /**
   * True for a short noise, or a "mhm" that does not take the turn. If it was the caller's turn, nothing is
   * interrupted: the agent's current words are a filler.
   */
  #isNothing(text: string, { speechMs, soundMs }: Utterance, hadTurn: boolean): boolean {
    const { settings, activeLanguage, machine, agent, bargeIn } = this.options;
    const { language } = activeLanguage;
    const agentSpeaks = machine.state.name === "agent_speaking" && !hadTurn;
    if (agentSpeaks && !agent.nearlyDone)
      return !takesTurn(settings, language, { speechMs: soundMs, partial: text });
    if (text === "" && speechMs < settings.bargeInMs) return true;
    const onlyListening = agent.expected !== "yes_no" && isBackChannel(text, language);
    if (text !== "" && !onlyListening) return false;
    return agentSpeaks || agent.toolPending || bargeIn.undecided;
  }
}
