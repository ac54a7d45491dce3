/** Describes earlier calls: in English for the prompt, in the agent's language for the caller. */

import { wallClock } from "../../core/calendar.ts";
import { oneLine } from "../../core/one-line.ts";
import { fill, textsOf } from "../../core/texts.ts";
import type { AgentLanguage } from "../agent/agent.ts";
import memoryTexts from "./memory-texts.json" with { type: "json" };

const TEXTS = textsOf(memoryTexts);

const SENTENCE_CHARACTERS_MAX = 600;

export interface Memory {
  /** Why we called; empty if unknown. */
  readonly reason: string;
  /** The result in one line. */
  readonly outcome: string;
  readonly promise: string;
  readonly sensitive: boolean;
  readonly attemptedAt: number;
  /** The call's summary, while it is stored. */
  readonly summary?: string | null;
}

const LOCALES: Readonly<Record<AgentLanguage, string>> = {
  en: "en-GB",
  lt: "lt-LT",
  lv: "lv-LV",
  ru: "ru-RU",
};

/** "We called this number today at 10:12 about: an appointment. Nobody answered." */
export function memoryLine(memory: Memory, timeZone: string, nowMs: number): string {
  const when = whenInWords(memory.attemptedAt, timeZone, nowMs, "en");
  const about = memory.reason === "" ? "" : ` about: ${memory.reason}`;
  return `We called this number ${when}${about}. ${memory.outcome}`;
}

/** For a recognised caller: includes the promise and the summary. */
export function memoryDetails(memory: Memory, timeZone: string, nowMs: number): string {
  const { promise, summary } = memory;
  return [
    memoryLine(memory, timeZone, nowMs),
    ...(promise === "" ? [] : [`We promised: ${promise}`]),
    ...(summary ? [`Summary of that call: ${summary}`] : []),
  ].join(" ");
}

/** Stored reason of birthday calls, translated for callers. Other reasons are the customer's words. */
export const BIRTHDAY_REASON = "a birthday";

/** Question and answer for engines without a language model. */
export const memoryKnowledge = (
  memory: Memory,
  language: AgentLanguage,
  timeZone: string,
  nowMs: number,
): string => {
  const when = whenInWords(memory.attemptedAt, timeZone, nowMs, language);
  const { question, called, calledAbout, birthday } = TEXTS[language];
  const reason = memory.reason === BIRTHDAY_REASON ? birthday : memory.reason;
  const sentence = fill(reason === "" ? called : calledAbout, { when, reason });
  return `## ${question}\n${oneLine(sentence, SENTENCE_CHARACTERS_MAX)}.\n`;
};

function whenInWords(
  atMs: number,
  timeZone: string,
  nowMs: number,
  language: AgentLanguage,
): string {
  const { today, yesterday, dayAndTime } = TEXTS[language];
  const time = new Intl.DateTimeFormat(LOCALES[language], { timeZone, timeStyle: "short" }).format(
    atMs,
  );
  const days = dayNumber(nowMs, timeZone) - dayNumber(atMs, timeZone);
  const format = { timeZone, day: "numeric", month: "long" } as const;
  const date = new Intl.DateTimeFormat(LOCALES[language], format).format(atMs);
  const day = days === 0 ? today : days === 1 ? yesterday : onDay(date, language);
  return fill(dayAndTime, { day, time });
}

/** "24 November" → "on 24 November", "24. novembris" → "24. novembrī". No year: memories are recent. */
function onDay(date: string, language: AgentLanguage): string {
  const inflected = language === "lv" ? date.replace(/is$/, "ī").replace(/s$/, "ā") : date;
  return fill(TEXTS[language].onDate, { date: inflected });
}

function dayNumber(atMs: number, timeZone: string): number {
  const { year, month, day } = wallClock(timeZone, atMs);
  return Math.floor(Date.UTC(year, month - 1, day) / 86_400_000);
}

const OUTCOMES: Readonly<Record<string, string>> = {
  no_answer: "Nobody answered.",
  busy: "The line was busy.",
  declined: "The call was declined.",
  cancelled: "The call was cancelled before an answer.",
  voicemail_left: "We left a message on the answering machine.",
  voicemail_hangup: "An answering machine took the call; no message was left.",
  transferred: "We spoke, and the call was transferred to a person.",
  invalid_number: "The number could not be reached.",
};

/** `line`: subject and result from the summary; empty if unknown. */
export function outcomeInWords(endedReason: string, answered: boolean, line: string): string {
  const known = OUTCOMES[endedReason];
  if (known) return known;
  if (!answered) return "The call did not come through.";
  return line === "" ? "We spoke." : `We spoke: ${line}`;
}
