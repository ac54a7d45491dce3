/** Summary of a call from its known facts, if no model writes one. */

import type { CallEnd, CallSummary } from "../../conversation/engine-port.ts";
import type { Clock } from "../../core/clock.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import { CallRecord } from "../embedded/scripted/call-record.ts";
import { summaryOf } from "../embedded/scripted/summary.ts";
import type { ConversationHistory } from "./conversation-history.ts";
import type { MessageTaker } from "./message-taker.ts";

export function summaryWithoutModel(
  memory: ConversationHistory,
  end: CallEnd,
  language: AgentLanguage,
  messageTaker: MessageTaker | null,
): CallSummary {
  const record = new CallRecord();
  record.spoke = memory.callerSpoke;
  for (const name of memory.toolsDone) record.addTool(name, true);
  for (const name of memory.toolsFailed) record.addTool(name, false);
  if (!messageTaker?.begun) {
    const topics = memory.entries.filter(({ by }) => by === "caller").map(({ text }) => text);
    for (const text of topics) record.addAnswer(text.slice(0, 60));
    // The caller's own words are not shown in later calls: the next caller from the number may be
    // another person.
    return { ...summaryOf(record, end, language), line: "" };
  }
  const { text, outage } = messageTaker;
  if (text !== "") record.message = "taken";
  const summary = summaryOf(record, end, language);
  return { ...summary, text: [outage, text, summary.text].filter((part) => part !== "").join(" ") };
}

/** Settles as `work`, or rejects after `timeoutMs`. */
export function withDeadline<Value>(
  clock: Clock,
  work: Promise<Value>,
  timeoutMs: number,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`not ready within ${timeoutMs} ms`));
    const timer = clock.after(timeoutMs, late);
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
