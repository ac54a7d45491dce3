/** What the recogniser needs to know of an agent, from its knowledge and tools. */
import { createHash } from "node:crypto";
import type { AgentLanguage } from "../../../../domain/agent/agent.ts";
import type { ToolSnapshot } from "../../../../domain/conversation/call-config.ts";
import { heardKinds, type PhraseKind } from "../closed-languages.ts";
import type { GrammarSource } from "../speech-messages.ts";
import type { KnowledgeEntry } from "./knowledge.ts";

export function grammarSourceOf(
  knowledge: readonly KnowledgeEntry[],
  settings: { readonly language: AgentLanguage; readonly tools: readonly ToolSnapshot[] },
  kinds: readonly PhraseKind[] = heardKinds(settings.language),
): GrammarSource {
  const { language } = settings;
  const questions = knowledge.flatMap((entry) => entry.questions);
  const tools = settings.tools.flatMap((tool) => [
    tool.name.replace(/[_-]+/g, " "),
    tool.description,
  ]);
  const context = [...tools, ...knowledge.map((entry) => entry.answer)];
  const content = JSON.stringify([language, questions, context, kinds]);
  const key = createHash("sha256").update(content).digest("hex").slice(0, 32);
  return { key, language, questions, context, kinds };
}
