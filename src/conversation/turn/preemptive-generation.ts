/**
 * Work that starts at the caller's first silence, before the end of the utterance is certain: recognition,
 * then the LLM, then TTS for the first words of the answer. If the caller continues, all of it is discarded.
 *
 * Guarantees: nothing is spoken, stored or run before the turn is over (responder.ts holds the answer and its
 * tool calls back). Frequent pauses cost at most `DISCARDED_MAX` attempts per utterance. `[conversation]
 * speculate` limits which parts start early.
 */

import type { ConversationSettings } from "../conversation-settings.ts";
import type { EngineSession } from "../engine-port.ts";
import { SPEECH_MS_MIN } from "../limits.ts";
import type { ActiveLanguage } from "../speech/active-language.ts";
import { isBackChannel, soundsFinished } from "../words.ts";
import type { AgentSide } from "./agent-side.ts";
import type { BargeIn } from "./barge-in.ts";
import type { PendingQuestions } from "./pending-questions.ts";
import type { TurnMachine } from "./turn-taking.ts";
import type { UtteranceSegmenter } from "./utterance-segmenter.ts";

interface PreemptiveGenerationOptions {
  readonly settings: Pick<ConversationSettings, "speculate">;
  readonly engine: Pick<EngineSession, "stt" | "llm">;
  readonly activeLanguage: ActiveLanguage;
  readonly machine: TurnMachine;
  readonly agent: AgentSide;
  readonly bargeIn: BargeIn;
  readonly segmenter: UtteranceSegmenter;
  readonly pendingQuestions: PendingQuestions;
}

/** Maximum discarded attempts per utterance. After that, the end of the utterance is awaited. */
const DISCARDED_MAX = 3;

export class PreemptiveGeneration {
  #isQuiet = false;
  #begun = false;
  /** Number of early starts that the running utterance made void. */
  #discarded = 0;

  constructor(private readonly options: PreemptiveGenerationOptions) {}

  utteranceBegan(): void {
    this.#isQuiet = false;
    this.#begun = false;
    this.#discarded = 0;
  }

  /** The first silence: starts early recognition if the engine reports no partials. */
  quiet(): void {
    const { engine, settings } = this.options;
    this.#isQuiet = true;
    if (settings.speculate !== "off" && this.#mayBeOver && engine.stt.recogniseEarly) {
      this.#begun = true;
      engine.stt.recogniseEarly();
    }
    this.wordsCame();
  }

  /** New stable words are known: the LLM may start during the silence. */
  wordsCame(): void {
    const { engine, activeLanguage, settings, segmenter, agent, bargeIn } = this.options;
    const { language } = activeLanguage;
    const { partial } = segmenter;
    if (settings.speculate !== "all" || partial === "" || !this.#mayBeOver) return;
    // Until an interruption is confirmed, the LLM's history lacks the cut of its last answer.
    if (!engine.llm.capabilities?.earlyStart || bargeIn.undecided) return;
    if (!soundsFinished(partial, language) || isBackChannel(partial, language)) return;
    this.#begun = true;
    const text = this.options.pendingQuestions.with(partial);
    agent.askEarly({ type: "utterance", text, confidence: 1, early: true });
  }

  /** The caller continues. */
  resumed(): void {
    const { engine, agent } = this.options;
    this.#isQuiet = false;
    engine.stt.dropEarly?.();
    agent.dropEarly();
    if (this.#begun) this.#discarded++;
    this.#begun = false;
  }

  /** True if the caller has the turn, spoke longer than a click, is not dictating and has probably finished. */
  get #mayBeOver(): boolean {
    const { machine, agent, segmenter } = this.options;
    const { name } = machine.state;
    if (!this.#isQuiet || (name !== "caller_speaking" && name !== "endpointing")) return false;
    if (this.#discarded >= DISCARDED_MAX || segmenter.speechMs < SPEECH_MS_MIN) return false;
    return agent.expected === "open" && !agent.askedForDictation;
  }
}
