/**
 * What is begun at the caller's first silence, before it is certain that they have finished: recognition,
 * then the LLM, then the voice for the first words of its answer. A caller who goes on makes all of it
 * void.
 *
 * Guarantees: nothing of it is heard, stored or carried out before the turn is over (responder.ts holds the
 * answer back, tool calls included); a caller who pauses again and again costs no more than
 * `DISCARDED_MAX` attempts an utterance; `[conversation] speculate` bounds what is begun at all.
 */

import type { ConversationSettings } from "../conversation-settings.ts";
import type { EngineSession } from "../engine-port.ts";
import { SPEECH_MS_MIN } from "../limits.ts";
import type { ActiveLanguage } from "../speech/active-language.ts";
import { isBackChannel, soundsFinished } from "../words.ts";
import type { AgentSide } from "./agent-side.ts";
import type { Overlap } from "./overlap.ts";
import type { PendingQuestions } from "./pending-questions.ts";
import type { TurnMachine } from "./turn-taking.ts";
import type { UtteranceSegmenter } from "./utterance-segmenter.ts";

interface EarlyStartOptions {
  readonly settings: Pick<ConversationSettings, "speculate">;
  readonly engine: Pick<EngineSession, "stt" | "llm">;
  readonly activeLanguage: ActiveLanguage;
  readonly machine: TurnMachine;
  readonly agent: AgentSide;
  readonly overlap: Overlap;
  readonly segmenter: UtteranceSegmenter;
  readonly pendingQuestions: PendingQuestions;
}

/** Of one utterance. Whoever pauses so often tells a story: its end is waited for. */
const DISCARDED_MAX = 3;

export class EarlyStart {
  #isQuiet = false;
  #begun = false;
  /** How often the running utterance went on after something was begun. */
  #discarded = 0;

  constructor(private readonly options: EarlyStartOptions) {}

  utteranceBegan(): void {
    this.#isQuiet = false;
    this.#begun = false;
    this.#discarded = 0;
  }

  /** The first silence: the recogniser may begin, where it reports no words meanwhile. */
  quiet(): void {
    const { engine, settings } = this.options;
    this.#isQuiet = true;
    if (settings.speculate !== "off" && this.#mayBeOver && engine.stt.recogniseEarly) {
      this.#begun = true;
      engine.stt.recogniseEarly();
    }
    this.wordsCame();
  }

  /** Other words are known, perhaps all: the LLM may begin to think while the silence is counted. */
  wordsCame(): void {
    const { engine, activeLanguage, settings, segmenter, agent, overlap } = this.options;
    const { language } = activeLanguage;
    const { partial } = segmenter;
    if (settings.speculate !== "all" || partial === "" || !this.#mayBeOver) return;
    // Until an interruption is one, the LLM has not been told what of its answer was heard.
    if (!engine.llm.capabilities?.earlyStart || overlap.undecided) return;
    if (!soundsFinished(partial, language) || isBackChannel(partial, language)) return;
    this.#begun = true;
    const text = this.options.pendingQuestions.with(partial);
    agent.askEarly({ type: "utterance", text, confidence: 1, early: true });
  }

  /** The caller goes on. */
  resumed(): void {
    const { engine, agent } = this.options;
    this.#isQuiet = false;
    engine.stt.dropEarly?.();
    agent.dropEarly();
    if (this.#begun) this.#discarded++;
    this.#begun = false;
  }

  /** The caller has the word, said more than a click, dictates nothing and has probably finished. */
  get #mayBeOver(): boolean {
    const { machine, agent, segmenter } = this.options;
    const { name } = machine.state;
    if (!this.#isQuiet || (name !== "caller_speaking" && name !== "endpointing")) return false;
    if (this.#discarded >= DISCARDED_MAX || segmenter.speechMs < SPEECH_MS_MIN) return false;
    return agent.expected === "open" && !agent.askedForDictation;
  }
}
