/** What one call has used of its engine. */
import type { EngineUsage } from "./call-report.ts";
import type { LlmUsage } from "./engine-port.ts";

export class UsageMeter {
  #llmInputTokens = 0;
  #llmCachedInputTokens = 0;
  #llmOutputTokens = 0;
  #ttsCharacters = 0;
  #sttMs = 0;

  tokens(used: LlmUsage): void {
    this.#llmInputTokens += used.inputTokens;
    this.#llmCachedInputTokens += used.cachedInputTokens ?? 0;
    this.#llmOutputTokens += used.outputTokens;
  }

  synthesised(characters: number): void {
    this.#ttsCharacters += characters;
  }

  recognised(audioMs: number): void {
    this.#sttMs += audioMs;
  }

  read(): EngineUsage {
    return {
      llmInputTokens: this.#llmInputTokens,
      llmCachedInputTokens: this.#llmCachedInputTokens,
      llmOutputTokens: this.#llmOutputTokens,
      ttsCharacters: this.#ttsCharacters,
      sttSeconds: this.#sttMs / 1_000,
    };
  }
}
