/**
 * The scripted agent behind the engine port: its steps as a stream, texts cut into
 * sentences. It generates nothing: answers are the tenant's own words.
 */
import type { Clock } from "../../../../core/clock.ts";
import type { Random } from "../../../../core/random.ts";
import type { LlmSession, SessionSettings } from "../../../../domain/conversation/engine-port.ts";
import type { PhraseKind } from "../closed-languages.ts";
import type { Nearness } from "../meaning/meanings.ts";
import { splitSentences } from "../speech/sentences.ts";
import type { KnowledgeEntry } from "./knowledge.ts";
import { ScriptedAgent } from "./scripted-agent.ts";
import { summaryOf } from "./summary.ts";
import { Topics } from "./topics.ts";

interface ScriptedSessionOptions {
  readonly settings: Pick<SessionSettings, "language" | "tools" | "transferTargets">;
  readonly knowledge: readonly KnowledgeEntry[];
  readonly clock: Clock;
  readonly random: Random;
  /** How near a text is to the topics in meaning. Default: words alone decide. */
  readonly compare?: (text: string) => Promise<Nearness | null>;
  /** Whether phrases of a kind are heard; what is not is asked for by keys. Default: all are. */
  readonly hears?: (kind: PhraseKind) => boolean;
}

export function createScriptedSession(options: ScriptedSessionOptions): LlmSession {
  const { settings, knowledge, clock, random, compare, hears = () => true } = options;
  const { language } = settings;
  const agent = new ScriptedAgent({
    language,
    hears,
    topics: new Topics(knowledge, settings.tools, language),
    transferTarget: settings.transferTargets?.[0] ?? null,
    now: () => clock.now(),
    newToolCallId: () => `tool_${Buffer.from(random.bytes(9)).toString("base64url")}`,
  });
  return {
    async *respond(input, signal) {
      const nearness =
        input.type === "utterance" && input.text !== "" ? await compare?.(input.text) : null;
      if (signal.aborted) return;
      let outputWords = 0;
      for (const step of agent.respond(input, nearness)) {
        if (step.type !== "text") {
          yield step;
          continue;
        }
        for (const text of splitSentences(step.text)) {
          if (signal.aborted) return;
          outputWords += text.split(/\s+/).length;
          yield { type: "text", text };
        }
      }
      const inputWords = input.type === "utterance" ? input.text.split(/\s+/).length : 0;
      yield { type: "done", usage: { inputTokens: inputWords, outputTokens: outputWords } };
    },
    truncateSpoken: (text) => agent.truncateSpoken(text),
    summarize: async (end) => summaryOf(agent.record, end, language),
  };
}
