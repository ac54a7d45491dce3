/**
 * Knowledge searches of a call worker's calls. The main thread answers them, because it knows each
 * agent's knowledge.
 */

import type { EngineSession } from "../conversation/engine-port.ts";
import { KnowledgeLlm } from "../conversation/prompt/knowledge-llm.ts";
import type { Clock } from "../core/clock.ts";
import {
  type KnowledgePassage,
  QUESTION_CHARACTERS_MAX,
} from "../features/knowledge/knowledge-index.ts";
import { MainAsks } from "./main-asks.ts";
import type { FromCallWorker } from "./messages.ts";

export class KnowledgeAsks {
  readonly #asks = new MainAsks<readonly KnowledgePassage[]>([]);

  constructor(
    private readonly post: (message: FromCallWorker) => void,
    private readonly clock: Clock,
  ) {}

  /** Wraps the engine's session, so that its LLM gets passages with each question. */
  give(callId: string, engine: EngineSession): EngineSession {
    const llm = new KnowledgeLlm(engine.llm, (text) => this.#ask(callId, text), this.clock);
    return {
      stt: engine.stt,
      tts: engine.tts,
      llm,
      combinedSession: engine.combinedSession ?? false,
      get onSpeechWorker() {
        return engine.onSpeechWorker ?? false;
      },
      ...(engine.switchLanguage
        ? { switchLanguage: (language) => engine.switchLanguage?.(language) }
        : {}),
      close: () => engine.close(),
    };
  }

  answered(askId: number, passages: readonly KnowledgePassage[]): void {
    this.#asks.answered(askId, passages);
  }

  #ask(callId: string, text: string): Promise<readonly KnowledgePassage[]> {
    const question = text.slice(0, QUESTION_CHARACTERS_MAX);
    return this.#asks.ask((askId) =>
      this.post({ type: "knowledgeAsked", args: [callId, askId, question] }),
    );
  }
}
