/** The built-in engine's topics in this thread: calls ask the knowledge worker instead. */
import {
  type AskTopics,
  PreparedTopics,
} from "../../../src/adapter/engine/embedded/scripted/agent-topics.ts";
import { systemClock, yieldToEventLoop } from "../../../src/core/clock.ts";

export function topicsHere(): AskTopics {
  const topics = new PreparedTopics({
    nowMs: () => systemClock.monotonic(),
    rest: yieldToEventLoop,
  });
  return async (subject, ask) => {
    const key = JSON.stringify(subject);
    topics.add(key, subject);
    return await topics.ask(key, ask);
  };
}

/** One Markdown file of knowledge. */
export const markdown = (content: string) => [
  { filename: "faq.md", format: "md" as const, content },
];
