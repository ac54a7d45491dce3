/** Engine usage of one call, including discarded work. */
import { type EngineUsage, NOTHING_DISCARDED } from "./call-report.ts";
import type { LlmUsage, SttResult } from "./engine-port.ts";

type Counters = { -readonly [Name in keyof EngineUsage]: EngineUsage[Name] };

export class UsageMeter {
  readonly #used: Omit<Counters, "discarded" | "embeddingTokens"> = {
    llmInputTokens: 0,
    llmCachedInputTokens: 0,
    llmOutputTokens: 0,
    ttsCharacters: 0,
    sttSeconds: 0,
  };
  readonly #discarded = { ...NOTHING_DISCARDED };

  tokens({ inputTokens, outputTokens, cachedInputTokens = 0, discarded }: LlmUsage): void {
    this.#used.llmInputTokens += inputTokens;
    this.#used.llmCachedInputTokens += cachedInputTokens;
    this.#used.llmOutputTokens += outputTokens;
    this.#discarded.llmInputTokens += discarded?.inputTokens ?? 0;
    this.#discarded.llmOutputTokens += discarded?.outputTokens ?? 0;
  }

  synthesised(characters: number): void {
    this.#used.ttsCharacters += characters;
  }

  /** Characters synthesised for a discarded early answer. */
  synthesisedInVain(characters: number): void {
    this.synthesised(characters);
    this.#discarded.ttsCharacters += characters;
  }

  recognised({ audioMs, discardedMs = 0 }: Pick<SttResult, "audioMs" | "discardedMs">): void {
    this.#used.sttSeconds += audioMs / 1_000;
    this.#discarded.sttSeconds += discardedMs / 1_000;
  }

  read(): EngineUsage {
    return { ...this.#used, discarded: { ...this.#discarded } };
  }
}
