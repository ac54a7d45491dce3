/**
 * Prepares and searches an agent's knowledge in the calling thread. For the doctor, which has one
 * small file; calls use the knowledge worker.
 */
import { systemClock, yieldToEventLoop } from "../../../core/clock.ts";
import { type AskTopics, PreparedTopics } from "./agent-topics.ts";

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
