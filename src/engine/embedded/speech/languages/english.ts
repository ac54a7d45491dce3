/** American English: numbers, clock times, dates and amounts in words. */
import { numberInWords } from "../../scripted/number-words.ts";
import {
  type Amount,
  type CalendarDay,
  type ClockTime,
  joined,
  listOf,
  NOMINATIVE,
  type SpokenLanguage,
  type Unit,
} from "./spoken-language.ts";

const DIGITS = listOf("zero one two three four five six seven eight nine");
const MONTHS = listOf(
  "January February March April May June July August September October November December",
);

const ORDINALS: Readonly<Record<string, string>> = {
  one: "first",
  two: "second",
  three: "third",
  five: "fifth",
  eight: "eighth",
  nine: "ninth",
  twelve: "twelfth",
};

/** "twenty fourth": only the last word changes. */
function ordinal(value: number): string {
  return numberInWords(String(value)).replace(
    /\w+$/,
    (last) => ORDINALS[last] ?? `${last.replace(/y$/, "ie")}th`,
  );
}

/** "twenty twenty six", "two thousand five", "nineteen oh five". */
function yearInWords(year: number): string {
  const [century, rest] = [Math.floor(year / 100), year % 100];
  if (century % 10 === 0 && rest < 10) return numberInWords(String(year));
  const said = numberInWords(String(century));
  if (rest === 0) return `${said} hundred`;
  return `${said} ${rest < 10 ? "oh " : ""}${numberInWords(String(rest))}`;
}

function date({ day, month, year }: CalendarDay): string {
  const said = `${MONTHS[month - 1] ?? ""} ${ordinal(day)}`;
  return year === null ? said : `${said}, ${yearInWords(year)}`;
}

/** "two thirty p.m.", "nine oh five", "ten o'clock". */
function clock({ hour, minute, isMarked }: ClockTime): string {
  if (hour % 24 === 0 && minute === 0) return "midnight";
  if (hour === 12 && minute === 0 && isMarked) return "noon";
  const half = hour >= 12 ? "p.m." : "a.m.";
  const said = numberInWords(String(hour % 12 === 0 ? 12 : hour % 12));
  const minutes = minute === 0 ? "" : (minute < 10 ? "oh " : "") + numberInWords(String(minute));
  const isClear = isMarked || hour > 12;
  if (isClear) return joined(said, minutes, half);
  return minutes === "" ? `${said} o'clock` : `${said} ${minutes}`;
}

/** "nine a.m. to five p.m.": if one time is marked, the other one is derived from it. */
function hours(from: ClockTime, to: ClockTime): string {
  const isOverNoon = !from.isMarked && !to.isMarked && to.hour <= from.hour && to.hour < 12;
  if (isOverNoon) return hours(from, { ...to, hour: to.hour + 12, isMarked: true });
  const isMarked = from.isMarked || to.isMarked || to.hour > 12;
  return `${clock({ ...from, isMarked })} to ${clock({ ...to, isMarked })}`;
}

const NOUNS: Readonly<Record<Unit, readonly [one: string, many: string]>> = {
  euro: ["euro", "euros"],
  cent: ["cent", "cents"],
  dollar: ["dollar", "dollars"],
  pound: ["pound", "pounds"],
  penny: ["penny", "pence"],
  rouble: ["rouble", "roubles"],
  kopeck: ["kopeck", "kopecks"],
  percent: ["percent", "percent"],
  second: ["second", "seconds"],
  minute: ["minute", "minutes"],
  hour: ["hour", "hours"],
  day: ["day", "days"],
  week: ["week", "weeks"],
  month: ["month", "months"],
  year: ["year", "years"],
  metre: ["meter", "meters"],
  millimetre: ["millimeter", "millimeters"],
  centimetre: ["centimeter", "centimeters"],
  kilometre: ["kilometer", "kilometers"],
  kilogram: ["kilogram", "kilograms"],
  gram: ["gram", "grams"],
  milligram: ["milligram", "milligrams"],
  litre: ["liter", "liters"],
  millilitre: ["milliliter", "milliliters"],
  squareMetre: ["square meter", "square meters"],
  piece: ["piece", "pieces"],
  workday: ["working day", "working days"],
  degree: ["degree", "degrees"],
};

function number({ whole, fraction }: Amount): string {
  const said = numberInWords(String(whole));
  if (fraction === "") return said;
  return joined(said, "point", ...[...fraction].map((digit) => DIGITS[Number(digit)] ?? ""));
}

const SHORT_MONTHS = MONTHS.map((name) => name.slice(0, 3)).join("|");
const MONTH = `(${MONTHS.join("|")}|(?:${SHORT_MONTHS}|Sept)\\.?)`;
const DAY = "(?:[Tt]he )?(\\d{1,2})(?:st|nd|rd|th)?";
const DAY_FIRST = new RegExp(
  `(?<![\\w:])${DAY} (?:of )?${MONTH}(?![a-z])(?:,? (\\d{4})(?!\\d))?`,
  "g",
);
/** "May 5 people come?" */
const COUNTS = "(?!(?<=(?:May|March) \\d{1,2})\\s(?:people|(?!is|was|has|as)[a-z]+s)\\b)";
const MONTH_FIRST = new RegExp(
  `(?<![\\w:])${MONTH} ${DAY}(?![\\d:]|[.,]\\d)${COUNTS}(?:,? (\\d{4})(?!\\d))?`,
  "g",
);

/** "December 24–26". "24th to 26th December 2026" is converted to that form. */
const DAYS = new RegExp(
  `(?<![\\w:])${MONTH} (\\d{1,2})\\s?[–-]\\s?(\\d{1,2})(?!\\d)(?:,? (\\d{4})(?!\\d))?`,
  "g",
);
const DAYS_FIRST = new RegExp(
  `(?<![\\w:])${DAY}(?:\\s?[–-]\\s?|(?<=[Ff]rom \\d{1,2}(?:st|nd|rd|th)?)\\sto\\s)${DAY} (?:of )?${MONTH}(?![a-z])`,
  "g",
);

const monthOf = (name: string) =>
  MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3))) + 1;
const yearOf = (written: string | undefined) => (written === undefined ? null : Number(written));

const namedDates = (text: string): string =>
  text
    .replace(DAYS_FIRST, "$3 $1–$2")
    .replace(DAYS, (_, month: string, first, last, year?: string) => {
      const from = date({ day: Number(first), month: monthOf(month), year: null });
      const said = `${from} to ${ordinal(Number(last))}`;
      return year === undefined ? said : `${said}, ${yearInWords(Number(year))}`;
    })
    .replace(DAY_FIRST, (_, day, month: string, year?: string) =>
      date({ day: Number(day), month: monthOf(month), year: yearOf(year) }),
    )
    .replace(MONTH_FIRST, (_, month: string, day, year?: string) =>
      date({ day: Number(day), month: monthOf(month), year: yearOf(year) }),
    );

/** "in 2026", "since 1998": a year after such a word, if no noun follows. */
const years = (text: string): string =>
  text
    .replace(
      /(?<![\d.,-])((?:19|20)\d{2})\s?[–-]\s?((?:19|20)\d{2})(?![\d-])/g,
      (_, from, to) => `${yearInWords(Number(from))} to ${yearInWords(Number(to))}`,
    )
    .replace(
      /(?<=\b(?:in|since|from|until|by|of|year|to) )((?:19|20)\d{2})(?!\d|[,.]\d|\s?[%€]| (?:euros|dollars|pounds|people|minutes|hours|customers|calls))/gi,
      (_, year) => yearInWords(Number(year)),
    )
    .replace(new RegExp(`(?<=(?:${MONTHS.join("|")}) )([12]\\d{3})(?!\\d)`, "g"), (_, year) =>
      yearInWords(Number(year)),
    );

const ordinals = (text: string): string =>
  text.replace(/(?<![\w.])(\d{1,4})(?:st|nd|rd|th)\b/g, (_, value) => ordinal(Number(value)));

const WEEKDAYS = listOf("Monday Tuesday Wednesday Thursday Friday Saturday Sunday");
const WEEKDAY = `(${WEEKDAYS.join("|")}|(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)(?:\\.(?!\\s*$|\\s+[A-Z]))?)`;
const weekday = (written: string) =>
  WEEKDAYS.find((name) => name.startsWith(written.slice(0, 3))) ?? written;

export const ENGLISH: SpokenLanguage = {
  digits: DIGITS,
  signs: {
    at: "at",
    dot: "dot",
    dash: "dash",
    underscore: "underscore",
    slash: "slash",
    plus: "plus",
    minus: "minus",
    and: "and",
  },
  per: { word: "per", case: "nominative" },
  decimalMark: ".",
  monthFirst: true,
  units: [
    ["€|EUR", "euro"],
    ["\\$|USD", "dollar"],
    ["£|GBP", "pound"],
    ["%", "percent"],
    ["sec\\.|secs?", "second"],
    ["mins?\\.?", "minute"],
    ["hrs?\\.?|h", "hour"],
    ["wks?\\.?", "week"],
    ["mos?\\.", "month"],
    ["yrs?\\.?", "year"],
    ["km", "kilometre"],
    ["kg", "kilogram"],
    ["mg", "milligram"],
    ["ml", "millilitre"],
    ["cm", "centimetre"],
    ["mm", "millimetre"],
    ["g", "gram"],
    ["m²|m2|sq\\.? ?m", "squareMetre"],
    ["m", "metre"],
    ["l", "litre"],
    ["°C?", "degree"],
  ],
  scales: [
    ["[kK]", 1e3],
    ["[mM]", 1e6],
    ["bn", 1e9],
  ],
  hourMark: "",
  timeWord: "",
  hoursBefore:
    /(open|hours|from|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|weekdays|weekends|daily|available|between)[^.!?]{0,12}$/i,
  lasts: /(?!)/,
  between: null,
  hoursAfter:
    /^\s*(on|every|daily|monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekdays|during|only)\b/i,
  rewrites: [
    [/(?<=\d)\s?[×x]\s?(?=\d)/g, " by "],
    [/(?<!\d)24\/7(?!\d)/g, "twenty four hours a day, seven days a week"],
    [
      new RegExp(`\\b${WEEKDAY}\\s?[–—-]\\s?${WEEKDAY}(?![a-z])`, "g"),
      (_, from = "", to = "") => `${weekday(from)} to ${weekday(to)}`,
    ],
    [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.?(?=\s\d|:\s?\d)/g, (_, day = "") => weekday(day)],
    [/(?<![\d/])1\/2(?![\d/])/g, "one half"],
    [/\bNo\.\s?(?=\d)/g, "number "],
    [/(?:№|(?<!\w)#)\s?(?=\d)/g, "number "],
    [
      /(?<![\d.,])1 (euro|dollar|cent|minute|hour|day|week|month|year)s\b/g,
      (_, noun = "") => `1 ${noun}`,
    ],
    [/\be\.g\.,?/gi, "for example"],
    [/\bi\.e\.,?/gi, "that is"],
    [/\betc\.(?=\s[a-z])/g, "et cetera"],
    [/\bapprox\.(?=\s)/gi, "approximately"],
    [/\b[Tt]el\.?(?=:?\s?[+\d(])/g, "telephone"],
    [/\b[Ee]xt\.\s?(?=\d)/g, "extension "],
    // "12 Garden St.", but "3 St. John Street".
    [
      /(?<=\d\p{L}? (?:(?:St\.|\p{Lu}[\p{L}']+) )+)St(?![\p{L}])(?:\.(?!\s*$|\s+["(]?\p{Lu}))?/gu,
      "Street",
    ],
    [
      /(?<=\d\p{L}? (?:(?:St\.|\p{Lu}[\p{L}']+) )+)Ave(?![\p{L}])(?:\.(?!\s*$|\s+["(]?\p{Lu}))?/gu,
      "Avenue",
    ],
    [
      /(?<=\d\p{L}? (?:(?:St\.|\p{Lu}[\p{L}']+) )+)Rd(?![\p{L}])(?:\.(?!\s*$|\s+["(]?\p{Lu}))?/gu,
      "Road",
    ],
    [/(?<=\d\s?)°\s?F\b/g, "° Fahrenheit"],
    [/(?<=\b\d{1,2})\s?[x×](?= (?:a|per|each|every)\b)/g, " times"],
    [/(?<=\d\s?[ap]\.?m\.?)\s?[–—-]\s?(?=noon|midnight)/gi, " to "],
    [/(?<=\w) & (?=\w)/g, " and "],
  ],
  inflected: [namedDates, years, ordinals],
  date,
  clock,
  isDuration: () => false,
  hours,
  caseAfter: () => "nominative",
  genderOf: () => "masculine",
  number,
  noun(unit, { whole, fraction }) {
    const [one, many] = NOUNS[unit];
    return whole === 1 && fraction === "" ? one : many;
  },
  agreement: () => NOMINATIVE,
  span: (low, high) => `${number(low)} to ${number(high)}`,
};
