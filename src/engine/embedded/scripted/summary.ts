/**
 * One or two sentences about a call, in the agent's language, from its facts. Also the line about
 * earlier calls for a returning caller, with the tenant's own names of questions and tools.
 */

import type { CallEnd, CallSummary } from "../../../conversation/engine-port.ts";
import { fill, textsOf } from "../../../core/texts.ts";
import type { AgentLanguage } from "../../../features/agent/agent.ts";
import type { CallRecord } from "./call-record.ts";
import summaryTexts from "./summary-texts.json" with { type: "json" };

const TEXTS = textsOf(summaryTexts);

const TOPICS_TOLD_MAX = 4;

export function summaryOf(record: CallRecord, end: CallEnd, language: AgentLanguage): CallSummary {
  const phrases = TEXTS[language];
  const topics = record.answered
    .slice(0, TOPICS_TOLD_MAX)
    .map((topic) => fill(phrases.quoted, { topic }));
  const facts: string[] = [];
  const did = record.toolsDone.length > 0 || record.message === "taken";
  if (topics.length > 0) {
    facts.push(fill(phrases.answered, { topics: listed(topics, phrases.and) }));
  } else if (!record.spoke) facts.push(phrases.silent);
  else if (!did) facts.push(phrases.nothing);
  if (record.toolsDone.length > 0) {
    facts.push(fill(phrases.toolsDone, { tools: record.toolsDone.join(", ") }));
  }
  if (record.toolsFailed.length > 0) {
    facts.push(fill(phrases.toolsFailed, { tools: record.toolsFailed.join(", ") }));
  }
  if (record.message === "taken") facts.push(phrases.message);
  if (record.notUnderstood > 0) {
    facts.push(fill(phrases.notUnderstood, { count: record.notUnderstood }));
  }
  const [first = ""] = facts;
  const told = [first.charAt(0).toUpperCase() + first.slice(1), ...facts.slice(1)].join("; ");
  const endings: Readonly<Record<string, string>> = phrases.ends;
  const ending = endings[end.reason] ?? phrases.endsOtherwise;
  const isSpoken = end.reason === "transferred";
  const duration = (isSpoken ? spokenDuration : clockDuration)(end.durationSeconds, language);
  const ended = fill(ending, { duration }).replace(/\.\.$/, ".");
  return { text: `${told}. ${ended}`, line: `${told}.` };
}

function listed(items: readonly string[], and: string): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${and} ${items.at(-1)}`;
}

/** 75 → "1:15". */
function clockDuration(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** 75 → "1 min 15 sec". Spoken to the person who takes over the call. */
function spokenDuration(seconds: number, language: AgentLanguage): string {
  const whole = Math.round(seconds);
  const values = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const parts = values.flatMap((value, index) =>
    value > 0 ? [`${value} ${TEXTS[language].units[index] ?? ""}`] : [],
  );
  return parts.join(" ");
}
