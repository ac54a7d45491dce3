/** Look-ups of a call worker's calls: main is asked, which knows what each call's agent may know. */
import type { Clock } from "../../core/clock.ts";
import type { EngineSession } from "../../domain/conversation/engine-port.ts";
import { KnowledgeLlm } from "../../domain/conversation/prompt/knowledge-llm.ts";
import type { KnowledgePassage } from "../../domain/knowledge/knowledge-index.ts";
import type { FromCallWorker } from "./messages.ts";

/** Main answers each; what it did not answer by then is lost. */
const WAITING_MAX = 1_000;

export class KnowledgeAsks {
  readonly #waiting = new Map<number, (passages: readonly KnowledgePassage[]) => void>();
  #nextAsk = 1;

  constructor(
    private readonly post: (message: FromCallWorker) => void,
    private readonly clock: Clock,
  ) {}

  /** The engine's session, whose LLM is given passages with each question. */
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
    this.#waiting.get(askId)?.(passages);
    this.#waiting.delete(askId);
  }

  #ask(callId: string, question: string): Promise<readonly KnowledgePassage[]> {
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size >= WAITING_MAX && oldest !== undefined) this.answered(oldest, []);
    const askId = this.#nextAsk++;
    return new Promise((resolve) => {
      this.#waiting.set(askId, resolve);
      this.post({ type: "knowledgeAsked", args: [callId, askId, question] });
    });
  }
}
