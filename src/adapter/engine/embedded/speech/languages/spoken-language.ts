/**
 * What a language must know so that figures in a text are said as its speakers say them. Each
 * language has a file of its own beside this one; spoken-text.ts finds the figures and asks here.
 *
 * `before` is the text up to the figure: a preposition or a verb at its end decides the case.
 */

export type Case =
  | "nominative"
  | "genitive"
  | "dative"
  | "accusative"
  | "instrumental"
  | "locative";

/** `collective`: of nouns that have no singular (Lithuanian "metai"). */
export type Gender = "masculine" | "feminine" | "neuter" | "collective";

export interface Agreement {
  readonly gender: Gender;
  readonly case: Case;
}

/** A number as written: whole part, and the digits after the decimal mark or "". */
export interface Amount {
  readonly whole: number;
  readonly fraction: string;
}

export interface CalendarDay {
  readonly day: number;
  readonly month: number;
  /** Null: none is written. */
  readonly year: number | null;
}

export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  /** The text shows that it is a 24-hour time ("09:00"), or says a.m. or p.m. */
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
  /** 0 to 9. */
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
  /** How "€5/month" is said: the word, and the case of what follows. */
  readonly per: { readonly word: string; readonly case: Case };
  readonly decimalMark: "." | ",";
  /** "11/22/2026": the day comes first everywhere but in America. */
  readonly monthFirst: boolean;
  /** Units as written after a figure, as patterns without regard to case. */
  readonly units: readonly (readonly [pattern: string, unit: Unit])[];
  /** Thousands and millions as written after a figure, as patterns. */
  readonly scales: readonly (readonly [pattern: string, factor: number])[];
  /** The mark of a clock hour after its figure ("val.", "ч."), as a pattern. */
  readonly hourMark: string;
  /** The word before a time that belongs to it ("plkst."), as a pattern. */
  readonly timeWord: string;
  /** Opening hours are meant where this stands before "9–17", or the next after it. */
  readonly hoursBefore: RegExp;
  readonly hoursAfter: RegExp;
  /** "takes 2–3 hours": after these it is no time of the day. */
  readonly lasts: RegExp;
  /** Before all figures: what is to be said where no case has to be found. */
  readonly rewrites: readonly Rewrite[];
  /** Dates with the month in words, ordinals and years; after the dates in figures. */
  readonly inflected: readonly ((text: string) => string)[];
  date(day: CalendarDay, before: string): string;
  clock(time: ClockTime, before: string): string;
  /** "5 val." is five hours, not five o'clock. */
  isDuration(hour: number, before: string, after: string): boolean;
  hours(from: ClockTime, to: ClockTime, before: string): string;
  /** "between 9:00 and 11:00": its words as patterns, and the times. Null: said like any others. */
  readonly between: {
    readonly words: readonly [between: string, and: string];
    times(from: ClockTime, to: ClockTime): string;
  } | null;
  /** The case that the words around it ask of a quantity. */
  caseAfter(before: string, amount: Amount, after?: string): Case;
  genderOf(unit: Unit): Gender;
  number(amount: Amount, agreement: Agreement): string;
  noun(unit: Unit, amount: Amount, wanted: Case): string;
  /** What a figure before a written word agrees with. */
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

/** The word that is counted: the second one after an adjective or the like. */
export function countedWordOf(after: string, skipped: RegExp): string {
  const first = nextWordOf(after);
  if (!skipped.test(first)) return first;
  return /^\s*\p{L}+\s(\p{L}+)/u.exec(after)?.[1]?.toLowerCase() ?? first;
}

/** The value of the first pattern that fits. */
export function firstFitting<Value>(
  entries: readonly (readonly [RegExp, Value])[],
  text: string,
): Value | null {
  return entries.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** "a b" → ["a", "b"]. */
export const listOf = (words: string): readonly string[] => words.split(" ");

const CASES = ["nominative", "genitive", "dative", "accusative", "instrumental", "locative"];

/** The form of a case from "nominative genitive dative accusative instrumental locative". */
export function formOf(forms: string, wanted: Case): string {
  return listOf(forms)[CASES.indexOf(wanted)] ?? "";
}

/** Words without the empty ones. */
export const joined = (...words: readonly string[]): string => words.filter(Boolean).join(" ");

export const NOMINATIVE: Agreement = { gender: "masculine", case: "nominative" };

/** Of the text before a match: it is looked through anew at each of them. */
const BEFORE_MAX = 200;

/** The text just before a match, of the arguments of `replace`. */
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

/** The point of an abbreviation also ends a sentence where one begins after it. */
export function sentenceEnd(written: string, after: string): string {
  return written.endsWith(".") && /^(?:\s*$|\s+["(]?\p{Lu})/u.test(after) ? "." : "";
}
