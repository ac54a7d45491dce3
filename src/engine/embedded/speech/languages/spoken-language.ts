/**
 * Rules of one language for reading numbers in a text aloud. Each language has its own file in this
 * folder. spoken-text.ts finds the numbers and calls these rules.
 *
 * `before` is the text before the number: a preposition or a verb at its end determines the case.
 */

export type Case =
  | "nominative"
  | "genitive"
  | "dative"
  | "accusative"
  | "instrumental"
  | "locative";

/** `collective`: for nouns without a singular (Lithuanian "metai"). */
export type Gender = "masculine" | "feminine" | "neuter" | "collective";

export interface Agreement {
  readonly gender: Gender;
  readonly case: Case;
}

/** A written number: its whole part, and the digits after the decimal mark or "". */
export interface Amount {
  readonly whole: number;
  readonly fraction: string;
}

export interface CalendarDay {
  readonly day: number;
  readonly month: number;
  /** Null if no year is written. */
  readonly year: number | null;
}

export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  /** The text shows that it is a 24-hour time ("09:00"), or contains a.m. or p.m. */
  readonly isMarked: boolean;
}

export type Unit =
  | "euro"
  | "cent"
  | "dollar"
  | "pound"
  | "penny"
  | "rouble"
  | "kopeck"
  | "percent"
  | "second"
  | "minute"
  | "hour"
  | "day"
  | "week"
  | "month"
  | "year"
  | "metre"
  | "millimetre"
  | "centimetre"
  | "kilometre"
  | "kilogram"
  | "gram"
  | "milligram"
  | "litre"
  | "millilitre"
  | "squareMetre"
  | "piece"
  | "workday"
  | "degree";

type Rewrite = readonly [RegExp, string | ((...parts: string[]) => string)];

export interface SpokenLanguage {
  /** Words for the digits 0 to 9. */
  readonly digits: readonly string[];
  readonly signs: {
    readonly at: string;
    readonly dot: string;
    readonly dash: string;
    readonly underscore: string;
    readonly slash: string;
    readonly plus: string;
    readonly minus: string;
    readonly and: string;
  };
  /** Reading of "€5/month": the word for "/", and the case of the word after it. */
  readonly per: { readonly word: string; readonly case: Case };
  readonly decimalMark: "." | ",";
  /** "11/22/2026": only America writes the month first. */
  readonly monthFirst: boolean;
  /** Written units after a number, as case-insensitive patterns. */
  readonly units: readonly (readonly [pattern: string, unit: Unit])[];
  /** Written thousands and millions after a number, as patterns. */
  readonly scales: readonly (readonly [pattern: string, factor: number])[];
  /** Mark of an hour after its number ("val.", "ч."), as a pattern. */
  readonly hourMark: string;
  /** Word before a time ("plkst."), as a pattern. */
  readonly timeWord: string;
  /** "9–17" means opening hours after these words. */
  readonly hoursBefore: RegExp;
  readonly hoursAfter: RegExp;
  /** "takes 2–3 hours": after these words it is not a time of day. */
  readonly lasts: RegExp;
  /** Replacements that need no case. They run before all numbers. */
  readonly rewrites: readonly Rewrite[];
  /** Dates with the month in words, ordinals and years. They run after the numeric dates. */
  readonly inflected: readonly ((text: string) => string)[];
  date(day: CalendarDay, before: string): string;
  clock(time: ClockTime, before: string): string;
  /** True if "5 val." means five hours, not five o'clock. */
  isDuration(hour: number, before: string, after: string): boolean;
  hours(from: ClockTime, to: ClockTime, before: string): string;
  /**
   * "between 9:00 and 11:00": patterns of its words, and how to say the times. Null: like any other
   * times.
   */
  readonly between: {
    readonly words: readonly [between: string, and: string];
    times(from: ClockTime, to: ClockTime): string;
  } | null;
  /** Case of a quantity, determined by the words around it. */
  caseAfter(before: string, amount: Amount, after?: string): Case;
  genderOf(unit: Unit): Gender;
  number(amount: Amount, agreement: Agreement): string;
  noun(unit: Unit, amount: Amount, wanted: Case): string;
  /** Gender and case of a number before a written word. */
  agreement(amount: Amount, before: string, after: string): Agreement;
  /** "2–3 days" without the noun. */
  span(low: Amount, high: Amount, before: string, after: string): string;
}

/** The last word of a text in lower case; "" at its beginning and after a punctuation mark. */
export function lastWordOf(before: string): string {
  return /(\p{L}+)[\s\u00a0]*$/u.exec(before)?.[1]?.toLowerCase() ?? "";
}

/** The word that decides the case: before "5 and" of "between 5 and 10 €", otherwise the last one. */
export function governorOf(before: string): string {
  return lastWordOf(before.replace(/((?:tarp|starp|между)\s)[\d.,]+\s(?:ir|un|и)\s$/iu, "$1"));
}

/** The word that follows in lower case; "" before a punctuation mark. */
function nextWordOf(after: string): string {
  return /^[\s\u00a0]*(\p{L}+)/u.exec(after)?.[1]?.toLowerCase() ?? "";
}

/** The counted word: the second one if the first is an adjective or the like. */
export function countedWordOf(after: string, skipped: RegExp): string {
  const first = nextWordOf(after);
  if (!skipped.test(first)) return first;
  return /^\s*\p{L}+\s(\p{L}+)/u.exec(after)?.[1]?.toLowerCase() ?? first;
}

/** Value of the first matching pattern. */
export function firstFitting<Value>(
  entries: readonly (readonly [RegExp, Value])[],
  text: string,
): Value | null {
  return entries.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** "a b" → ["a", "b"]. */
export const listOf = (words: string): readonly string[] => words.split(" ");

const CASES = ["nominative", "genitive", "dative", "accusative", "instrumental", "locative"];

/** Form for a case, from "nominative genitive dative accusative instrumental locative". */
export function formOf(forms: string, wanted: Case): string {
  return listOf(forms)[CASES.indexOf(wanted)] ?? "";
}

export const joined = (...words: readonly string[]): string => words.filter(Boolean).join(" ");

export const NOMINATIVE: Agreement = { gender: "masculine", case: "nominative" };

/** Maximum characters before a match. They are searched again at each match. */
const BEFORE_MAX = 200;

/** Text just before a match, from the arguments of `replace`. */
export function beforeOf(parts: readonly unknown[]): string {
  const [offset, whole] = placeOf(parts);
  return whole.slice(Math.max(0, offset - BEFORE_MAX), offset);
}

export function afterOf(parts: readonly unknown[]): string {
  const [offset, whole] = placeOf(parts);
  return whole.slice(offset + String(parts[0]).length);
}

function placeOf(parts: readonly unknown[]): readonly [offset: number, whole: string] {
  const last = parts.at(-1);
  const skipped = typeof last === "object" ? 1 : 0;
  return [Number(parts.at(-2 - skipped)), String(parts.at(-1 - skipped))];
}

/** The full stop of an abbreviation also ends the sentence if a new one follows. */
export function sentenceEnd(written: string, after: string): string {
  return written.endsWith(".") && /^(?:\s*$|\s+["(]?\p{Lu})/u.test(after) ? "." : "";
}
