import type { Clock } from "../../../core/clock.ts";
import type { Random } from "../../../core/random.ts";
import type { Mind, SessionSettings } from "../../ports.ts";
import type { KnowledgeEntry } from "./knowledge.ts";

export interface MindOptions {
  readonly settings: SessionSettings;
  readonly knowledge: readonly KnowledgeEntry[];
  readonly clock: Clock;
  readonly random: Random;
}

export function createMind(_options: MindOptions): Mind {
  return {
    async *respond() {
      yield { type: "done", usage: { inputTokens: 0, outputTokens: 0 } };
    },
    heardUntil() {},
    summarize: async () => "",
  };
}
