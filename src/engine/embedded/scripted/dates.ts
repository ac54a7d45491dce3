/** Spoken days and clock times. Days are counted in UTC from the moment of the call. */
import { ORDINALS } from "../../../core/ordinals.ts";
import type { AgentLanguage } from "../../../features/agent/agent.ts";
import { NEAR_DAYS, WEEKDAYS } from "./lexicon.ts";
import { parseNumberWords, smallNumber } from "./number-words.ts";
import { wordsOf } from "./words.ts";

const DAY_MS = 86_400_000;
const MONTHS =
  "january february march april may june july august september october november december".split(
    " ",
  );

/** `2026-11-24`, never in the past; null if the text names no day. */
export function parseDate(text: string, language: AgentLanguage, nowMs: number): string | null {
  const written = /\b(\d{4})-(\d{2})-(\d{2})\b/.exec(text);
  if (written !== null) return written[0];
  const words = wordsOf(text, language);
  const plain = words.join(" ");
  const near = [...NEAR_DAYS[language].entries()].reverse();
  for (const [days, name] of near)
    if (` ${plain} `.includes(` ${name} `)) return dayAfter(nowMs, days);
  const weekday = WEEKDAYS[language].findIndex((name) => {
    const begins = new RegExp(`^${name}`, "u");
    return words.some((word) => begins.test(word));
  });
  if (weekday >= 0) {
    const today = (new Date(nowMs).getUTCDay() + 6) % 7;
    return dayAfter(nowMs, (weekday - today + 7) % 7 || 7);
  }
  return language === "en" ? dayOfMonth(words, nowMs) : null;
}

function dayOfMonth(words: readonly string[], nowMs: number): string | null {
  const month = words.findIndex((word) => MONTHS.includes(word));
  let day = 0;
  for (const [index, word] of words.entries()) {
    const ordinal = ORDINALS[word];
    if (ordinal === undefined) continue;
    const tens = smallNumber(words[index - 1] ?? "") ?? 0;
    day = ordinal + (ordinal < 10 && tens >= 20 ? tens : 0);
  }
  if (day === 0 && month >= 0) {
    const numbers = words.filter((word) => smallNumber(word) !== null);
    day = parseNumberWords(numbers) ?? 0;
  }
  if (day < 1 || day > 31) return null;
  const now = new Date(nowMs);
  const named = month < 0 ? now.getUTCMonth() : MONTHS.indexOf(words[month] ?? "");
  const step = month < 0 ? 1 : 12;
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  for (let ahead = 0; ahead <= 12; ahead += step) {
    const date = new Date(Date.UTC(now.getUTCFullYear(), named + ahead, day));
    if (date.getTime() >= today && date.getUTCDate() === day) return isoDay(date.getTime());
  }
  return null;
}

function dayAfter(nowMs: number, days: number): string {
  return isoDay(nowMs + days * DAY_MS);
}

function isoDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/**
 * `14:30`; null if the text names no time. Hours 1–7 without a part of the day are in the
 * afternoon.
 */
export function parseTime(text: string, language: AgentLanguage): string | null {
  const written = /\b(\d{1,2})[:.]?(\d{2})\b/.exec(text);
  if (written !== null) return clockTime(Number(written[1]), Number(written[2]));
  if (language !== "en") {
    const hour = /\b(\d{1,2})\b/.exec(text);
    return hour === null ? null : clockTime(Number(hour[1]), 0);
  }
  const words = wordsOf(text, "en");
  const plain = words.join(" ");
  if (plain.includes("noon") && !plain.includes("afternoon")) return "12:00";
  const numbers = words.filter((word) => word !== "a" && smallNumber(word) !== null);
  const [first = "", ...others] = numbers;
  let hour = smallNumber(first);
  if (hour === null) return null;
  let minute = others.length === 0 ? 0 : (parseNumberWords(others) ?? 0);
  if (plain.includes("half past")) minute = 30;
  if (plain.includes("quarter past")) minute = 15;
  if (plain.includes("quarter to")) {
    minute = 45;
    hour -= 1;
  }
  const morning = /\b(morning|a m|am)\b/.test(plain);
  const later = /\b(afternoon|evening|p m|pm)\b/.test(plain);
  if (hour < 12 && (later || (!morning && hour >= 1 && hour <= 7))) hour += 12;
  if (hour === 12 && morning) hour = 0;
  return clockTime(hour, minute);
}

function clockTime(hour: number, minute: number): string | null {
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return null;
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}
