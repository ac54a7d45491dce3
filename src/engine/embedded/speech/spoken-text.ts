/**
 * Converts written text into speakable text, because espeak-ng reads characters, not meaning.
 * Handles addresses, dates, clock times, opening hours, money, units and telephone numbers. Numbers
 * get the case and gender that the words around them need. This file finds them; the rules of the
 * languages are in languages/.
 */
import { ENGLISH } from "./languages/english.ts";
import { LATVIAN } from "./languages/latvian.ts";
import { LITHUANIAN } from "./languages/lithuanian.ts";
import { RUSSIAN } from "./languages/russian.ts";
import {
  type Agreement,
  type Amount,
  afterOf,
  beforeOf,
  type ClockTime,
  joined,
  NOMINATIVE,
  type SpokenLanguage,
  sentenceEnd,
  type Unit,
} from "./languages/spoken-language.ts";

const LANGUAGES: Readonly<Record<string, SpokenLanguage>> = {
  en: ENGLISH,
  lt: LITHUANIAN,
  lv: LATVIAN,
  ru: RUSSIAN,
};

type Step = (text: string, language: SpokenLanguage) => string;

/** The order matters: each step removes text that a later step would misread. */
const STEPS: readonly Step[] = [
  spokenAddresses,
  rewritten,
  spokenScales,
  spokenTimestamps,
  spokenDates,
  (text, { inflected }) => inflected.reduce((said, step) => step(said), text),
  spokenVersions,
  spokenPriceSpans,
  spokenBetween,
  spokenHours,
  spokenClocks,
  spokenMoney,
  spokenPhones,
  (text, { signs }) => text.replace(/(?<=^|\s)[-−](?=\d)/g, `${signs.minus} `),
  spokenQuantities,
  spokenSpans,
  spokenBlocks,
  spokenNumbers,
  // The full stop of "p.m." also ends its sentence.
  (text) => text.replace(/(\b[ap]\.m\.)\.(?!\w)/g, "$1"),
  // Non-breaking spaces keep nouns of two words together until they are declined.
  (text) => text.replaceAll("\u00a0", " "),
];

export function spokenText(text: string, language: string): string {
  const spoken = LANGUAGES[language.slice(0, 2)] ?? ENGLISH;
  const plain = text.replace(/[“”„«»]/g, '"').replace(/[\u00a0\u202f\u2009]/g, " ");
  return STEPS.reduce((said, step) => step(said, spoken), plain);
}

/**
 * "ir t. t.", "utt.", "и т. д.": a sentence may end after these. After "ул." an address continues.
 */
const CLOSES = /(?:t\. ?t|utt|pan|т\. ?[дп])\.$/i;

function rewritten(text: string, { rewrites }: SpokenLanguage): string {
  return rewrites.reduce((said, [pattern, by]) => {
    if (typeof by !== "string") return said.replace(pattern, by);
    return said.replace(pattern, (...parts) => {
      const beginsSentence = /(?:^|[^\d.][.!?])\s*$/.test(beforeOf(parts));
      const written = String(parts[0]);
      const end = CLOSES.test(written) ? sentenceEnd(written, afterOf(parts)) : "";
      return (beginsSentence ? by.charAt(0).toUpperCase() + by.slice(1) : by) + end;
    });
  }, text);
}

// Addresses.

const HOST =
  /(?<![\w@.])(?:www\.)?([a-z\d][\w-]{0,62}(?:\.[a-z\d][\w-]{0,62})*\.(?:com|net|org|eu|lt|lv|ee|pl|de|uk|ru|io|info|biz|example))((?:\/[\w-]+)*)\/?(?![\w@])/gi;

function spokenAddresses(text: string, { signs, digits }: SpokenLanguage): string {
  const spell = (written: string) =>
    written
      .replace(/\d/g, (digit) => ` ${digits[Number(digit)] ?? ""} `)
      .replaceAll("@", ` ${signs.at} `)
      .replaceAll(".", ` ${signs.dot} `)
      .replaceAll("_", ` ${signs.underscore} `)
      .replaceAll("-", ` ${signs.dash} `)
      .replaceAll("+", ` ${signs.plus} `)
      .replaceAll("/", ` ${signs.slash} `)
      .replace(/\s+/g, " ")
      .trim();
  return text
    .replace(/\bhttps?:\/\//gi, "")
    .replace(/[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g, spell)
    .replace(HOST, (_, host: string, path: string) => spell(host + path));
}

// Thousands and millions.

/** "5 tūkst. eurų", "€1.5M", "5–10 тыс.": writes out the whole number. */
function spokenScales(text: string, { scales, decimalMark }: SpokenLanguage): string {
  const sum = (whole: string, fraction: string | undefined, factor: number) => {
    const value = Math.round(Number(`${whole}.${fraction ?? "0"}`) * factor);
    // Seven digits in a row are a telephone number.
    if (value < 1e6) return String(value);
    return String(value).replace(/\B(?=(?:\d{3})+$)/g, decimalMark === "." ? "," : ".");
  };
  const amount = "(\\d{1,3})(?:[.,](\\d{1,3}))?";
  return scales.reduce((said, [mark, factor]) => {
    const pattern = new RegExp(
      `(?<![\\p{L}\\d.,])([€$£]?)(?:${amount}\\s?[–—-]\\s?)?${amount}\\s?(${mark})(?!\\p{L})`,
      "gu",
    );
    return said.replace(pattern, (...parts) => {
      const [written = "", sign = "", low, lowFraction, high = "", highFraction] =
        parts as string[];
      if (decimalMark === "." && sign === "") return written;
      const first = low === undefined ? "" : `${sum(low, lowFraction, factor)}–`;
      const after = afterOf(parts);
      const end = /^\s(?:Eur|EUR|USD|GBP)/.test(after) ? "" : sentenceEnd(written, after);
      return `${sign}${first}${sum(high, highFraction, factor)}${end}`;
    });
  }, text);
}

// Dates.

const isDay = (day: number, month: number) => month >= 1 && month <= 12 && day >= 1 && day <= 31;

/** "2026-11-24T10:12:00+02:00": seconds and time zone are not spoken. */
function spokenTimestamps(text: string): string {
  return text.replace(
    /(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?(?![\d:])/g,
    "$1, $2",
  );
}

/** Seven digits and a hyphen would be a telephone number. */
const YEARS = /(?<![\d.,-])((?:19|20)\d{2})-((?:19|20)\d{2})(?![\d-])/g;

function spokenDates(text: string, language: SpokenLanguage): string {
  const said = (whole: string, day: number, month: number, year: number | null, before: string) =>
    isDay(day, month) ? language.date({ day, month, year }, before) : whole;
  return text
    .replace(/(?<![\d.-])((?:19|20)\d{2}) (\d{2}) (\d{2})(?![\d-]| \d{1,4}(?![\d:]))/g, "$1-$2-$3")
    .replace(YEARS, (...parts) =>
      CALLS.test(beforeOf(parts)) ? String(parts[0]) : `${parts[1]}–${parts[2]}`,
    )
    .replace(/(?<![\d.-])(\d{4})([-./])(\d{2})\2(\d{2})(?![\d-])/g, (...parts) => {
      const [whole, year, , month, day] = parts as string[];
      return said(String(whole), Number(day), Number(month), Number(year), beforeOf(parts));
    })
    .replace(/(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?![\d-])/g, (...parts) => {
      const [whole, first, sign, second, year] = parts as string[];
      const isAmerican = language.monthFirst || Number(second) > 12;
      const isMonthFirst = isAmerican && sign === "/" && Number(first) <= 12;
      const [day, month] = isMonthFirst ? [second, first] : [first, second];
      return said(String(whole), Number(day), Number(month), Number(year), beforeOf(parts));
    })
    .replace(/(?<![\d./-])(?<!pulksten )(\d{1,2})\.(\d{2})\.(?!\d)/g, (...parts) => {
      const [whole, day, month] = parts as string[];
      if (language.monthFirst) return String(whole);
      const date = said(String(whole), Number(day), Number(month), null, beforeOf(parts));
      return date === whole ? date : date + sentenceEnd(".", afterOf(parts));
    });
}

// Clock times.

const MERIDIEM = "[ap]\\.?m\\.?(?![\\p{L}\\d])";
const TIME = "(\\d{1,2})(?:[:.](\\d{2}))?";

/** Null if it is not a time of day. */
function timeOf(hour: string, minute: string | undefined, mark: string): ClockTime | null {
  const half = mark.charAt(0).toLowerCase();
  const isNamed = /^[ap]\.?m/i.test(mark);
  const written = Number(hour);
  const later = isNamed && half === "p" && written < 12 ? 12 : 0;
  const time: ClockTime = {
    hour: isNamed && half === "a" && written === 12 ? 0 : written + later,
    minute: Number(minute ?? 0),
    isMarked: isNamed || (minute !== undefined && hour.startsWith("0")) || written > 12,
  };
  return time.hour <= 24 && time.minute <= 59 ? time : null;
}

const marksOf = ({ hourMark, monthFirst }: SpokenLanguage) =>
  monthFirst ? MERIDIEM : hourMark || "(?!)";

/** "9–17", "9:00-17:00", "from 9 to 5 pm", "nuo 9 iki 17 val.". */
function spokenHours(text: string, language: SpokenLanguage): string {
  const mark = `(?:\\s?(${marksOf(language)})(?![\\p{L}\\d]))?`;
  const word = language.timeWord === "" ? "" : `(?:(?:${language.timeWord})\\s)?`;
  const pattern = new RegExp(
    `(?<![\\p{L}\\d.,:/–-])${word}${TIME}${mark}(?:\\s?[–—-]\\s?|\\s(?:to|till|until|iki|līdz|до)\\s)${word}${TIME}${mark}(?![\\d:%€]|[.,]\\d|\\s?[€%])`,
    "giu",
  );
  const isNamed = word === "" ? /(?!)/ : new RegExp(language.timeWord, "iu");
  return text.replace(pattern, (...parts) => {
    const [whole, hour1, minute1, mark1 = "", hour2, minute2, mark2 = ""] = parts as string[];
    const to = timeOf(String(hour2), minute2, mark2);
    const from = earlierOf(timeOf(String(hour1), minute1, mark1), to, mark1 === "" && mark2 !== "");
    const before = beforeOf(parts);
    const after = afterOf(parts);
    if (from === null || to === null) return String(whole);
    const isWhole = minute1 === undefined && minute2 === undefined;
    if (isWhole && mark2 !== "" && language.lasts.test(before))
      return spanOf(language, [from.hour, to.hour], "hour", before) + sentenceEnd(mark2, after);
    const isWritten = !isWhole || mark1 + mark2 !== "" || isNamed.test(String(whole));
    if (!isWritten && !meansHours(from, to, before, after, language)) return String(whole);
    return closed(language.hours(from, to, before), mark2, after);
  });
}

/** "tarp 9 ir 11 val.", "между 10:00 и 12:00" */
function spokenBetween(text: string, language: SpokenLanguage): string {
  if (language.between === null) return text;
  const { words, times } = language.between;
  const [between, and] = words;
  const word = language.timeWord === "" ? "" : `(?:(?:${language.timeWord})\\s)?`;
  const mark = `(?:\\s?(${marksOf(language)})(?![\\p{L}\\d]))?`;
  const pattern = new RegExp(
    `(?<=(?<!\\p{L})${between}\\s)${word}${TIME}${mark}\\s${and}\\s${word}${TIME}${mark}(?![\\p{L}\\d:])`,
    "giu",
  );
  return text.replace(pattern, (...parts) => {
    const [whole = "", hour1, minute1, mark1 = "", hour2, minute2, mark2 = ""] = parts as string[];
    const [from, to] = [
      timeOf(String(hour1), minute1, mark1),
      timeOf(String(hour2), minute2, mark2),
    ];
    const isNamed = language.timeWord !== "" && new RegExp(language.timeWord, "iu").test(whole);
    const isTime = isNamed || mark1 + mark2 !== "" || (minute1 ?? minute2) !== undefined;
    if (from === null || to === null || !isTime) return whole;
    return times(from, to) + sentenceEnd(mark2, afterOf(parts));
  });
}

/** The "p.m." of "1–3 pm" applies to both. */
function earlierOf(from: ClockTime | null, to: ClockTime | null, sharesMark: boolean) {
  if (from === null || to === null || !sharesMark || to.hour < 12) return from;
  return from.hour + 12 < to.hour ? { ...from, hour: from.hour + 12 } : from;
}

/** "9–12 and 13–17" */
const MORE_HOURS = /^,?\s(?:and|ir|un|и)\s(?=\d{1,2}(?::\d{2})?\s?[–—-])/u;

function meansHours(
  from: ClockTime,
  to: ClockTime,
  before: string,
  after: string,
  { hoursBefore, hoursAfter }: SpokenLanguage,
): boolean {
  const isFollowed = /^\s\p{Ll}/u.test(after.replace(hoursAfter, "").replace(MORE_HOURS, ""));
  const isOpen = hoursBefore.test(before) && !isFollowed;
  if (isOpen || hoursAfter.test(after)) return from.hour < to.hour || to.hour <= 12;
  const isAlone = /^\s*(?:$|[.,;!?)])/.test(after);
  return isAlone && from.hour >= 5 && to.hour >= 13 && from.hour < to.hour;
}

const closed = (said: string, mark: string, after: string) =>
  said.endsWith("m.") ? said : said + sentenceEnd(mark, after);

/** "14:30", "10 val.", "plkst. 10.00", "5 pm". */
function spokenClocks(text: string, language: SpokenLanguage): string {
  const say = (hour: string, minute: string | undefined, mark: string, parts: unknown[]) => {
    const time = timeOf(hour, minute, mark);
    if (time === null) return String(parts[0]);
    const isFull = minute !== undefined || language.timeWord !== "" || language.monthFirst;
    if (!isFull && language.isDuration(time.hour, beforeOf(parts), afterOf(parts)))
      return String(parts[0]);
    return closed(language.clock(time, beforeOf(parts)), mark, afterOf(parts));
  };
  const marked = new RegExp(
    `(?<![\\p{L}\\d.,:/])${TIME}\\s?(${marksOf(language)})(?![\\p{L}\\d])`,
    "giu",
  );
  const worded = new RegExp(`(?<=(?:${language.timeWord})\\s)${TIME}(?![\\d:])`, "giu");
  const said = text.replace(marked, (...parts) =>
    say(String(parts[1]), parts[2] as string | undefined, String(parts[3]), parts),
  );
  const named =
    language.timeWord === ""
      ? said
      : said.replace(worded, (...parts) =>
          say(String(parts[1]), parts[2] as string | undefined, "", parts),
        );
  return named.replace(/(?<![\p{L}\d.,:/])(\d{1,2}):(\d{2})(?![\d:])/gu, (...parts) =>
    say(String(parts[1]), String(parts[2]), "", parts),
  );
}

// Versions, network addresses, shares.

/** "1.2.3", "50/50". "1.200.000" is a number. */
function spokenVersions(text: string, { signs }: SpokenLanguage): string {
  return text
    .replace(/(?<![\d.,])\d+(?:\.\d+){2,}(?![\d.,]*\d)/g, (written) =>
      /^\d{1,3}(?:\.\d{3})+$/.test(written) ? written : written.replaceAll(".", ` ${signs.dot} `),
    )
    .replace(/(?<![\d/])(\d+)\/(\d+)(?![\d/])/g, (_, first, second) =>
      first === second ? `${first} ${second}` : `${first} ${signs.slash} ${second}`,
    );
}

// Money.

const CURRENCIES: readonly (readonly [RegExp, Unit, Unit])[] = [
  [/^(?:€|eur|eiro|евро)/i, "euro", "cent"],
  [/^(?:\$|usd|dol|долл)/i, "dollar", "cent"],
  [/^(?:£|gbp|pound|svar|mārc|фунт)/i, "pound", "penny"],
  [/^(?:₽|rub|руб)/i, "rouble", "kopeck"],
];
const SIGNS = "€|\\$|£|₽|(?:EUR|USD|GBP|RUB)(?![\\p{L}])";
const AFTER = `${SIGNS}|[Ee]ur(?!\\p{L})|eur\\.|руб\\.|руб(?!\\p{L})`;
/** Currency words count only together with cents: "12,50 eurų". */
const WORDS =
  "euros?|eur(?:as|ai|ų|us|ą|o)|eiro|евро|dollars?|doleri\\p{L}+|dolār\\p{L}+|доллар\\p{L}*|pounds?|рубл\\p{L}+";
const SUM = "(\\d{1,3}(?:[ ,.]\\d{3})+(?!\\d)|\\d+)(?:[.,](\\d{1,2}))?(?![\\d])";

function spokenMoney(text: string, language: SpokenLanguage): string {
  const per = "(?:\\s?/\\s?(\\p{L}+\\.?))?";
  const before = new RegExp(`(${SIGNS})\\s?${SUM}${per}`, "gu");
  const behind = new RegExp(`(?<![\\p{L}\\d.,])${SUM}\\s?(${AFTER})${per}`, "gu");
  const inWords = new RegExp(`(?<![\\p{L}\\d.,])(\\d+)[.,](\\d{2})\\s(${WORDS})(?!\\p{L})`, "giu");
  const millions = /([€$£])\s?(\d+(?:\.\d+)?)\s(million|billion)(?!\p{L})/gu;
  return text
    .replace(millions, (_, sign: string, amount: string, scale: string) => {
      const [unit] = unitsOf(sign);
      return `${amount} ${scale} ${language.noun(unit, { whole: 2, fraction: "" }, "nominative")}`;
    })
    .replace(before, (...parts) => {
      const [, sign, whole, coins, each] = parts as string[];
      const said = sumOf(language, { sign, whole, coins, each, before: beforeOf(parts) });
      return said + sentenceEnd(each ?? "", afterOf(parts));
    })
    .replace(behind, (...parts) => {
      const [, whole, coins, sign, each] = parts as string[];
      const said = sumOf(language, { sign, whole, coins, each, before: beforeOf(parts) });
      return said + sentenceEnd(String(each ?? sign), afterOf(parts));
    })
    .replace(inWords, (...parts) => {
      const [, whole, coins, sign] = parts as string[];
      return sumOf(language, { sign, whole, coins, before: beforeOf(parts) });
    });
}

/** "€10–15", "10–15 €" */
function spokenPriceSpans(text: string, language: SpokenLanguage): string {
  const span = "(\\d{1,6})\\s?[–—-]\\s?";
  const before = new RegExp(`(${SIGNS})\\s?${span}(?:${SIGNS})?(\\d{1,6})(?![\\d.,]*\\d)`, "gu");
  const behind = new RegExp(`(?<![\\p{L}\\d.,:–-])${span}(\\d{1,6})\\s?(${AFTER})`, "gu");
  const said = (sign: string, low: string, high: string, parts: unknown[]) => {
    const [unit] = unitsOf(sign);
    const upper = amountOf(high, "");
    const noun = language.noun(unit, upper, language.caseAfter(beforeOf(parts), upper));
    const end = sentenceEnd(String(parts[0]), afterOf(parts));
    return `${language.span(amountOf(low, ""), upper, beforeOf(parts), ` ${noun}`)} ${noun}${end}`;
  };
  return text
    .replace(/(\d)[,.][–-](?=\s?[€$£])/g, "$1")
    .replace(before, (...parts) =>
      said(String(parts[1]), String(parts[2]), String(parts[3]), parts),
    )
    .replace(behind, (...parts) =>
      said(String(parts[3]), String(parts[1]), String(parts[2]), parts),
    );
}

function unitsOf(sign: string): readonly [Unit, Unit] {
  const [, main, coin] = CURRENCIES.find(([pattern]) => pattern.test(sign)) ?? [];
  return [main ?? "euro", coin ?? "cent"];
}

interface Sum {
  readonly sign: string | undefined;
  readonly whole: string | undefined;
  readonly coins: string | undefined;
  /** "month" in "€5/month". */
  readonly each?: string | undefined;
  readonly before: string;
}

function sumOf(language: SpokenLanguage, { sign = "", whole = "", coins, each, before }: Sum) {
  const [main, coin] = unitsOf(sign);
  const euros = Number(whole.replace(/[ ,.]/g, ""));
  const cents = Number((coins ?? "").padEnd(2, "0"));
  const pieces = [
    ...(euros > 0 || cents === 0 ? [quantity(language, euros, main, before)] : []),
    ...(cents > 0 ? [quantity(language, cents, coin, before)] : []),
  ];
  const said = pieces.join(` ${language.signs.and} `);
  return each === undefined ? said : joined(said, perOf(language, each));
}

/** "/month", "/mėn.": for each of them. */
function perOf(language: SpokenLanguage, written: string): string {
  const bare = written.replace(/\.$/, "");
  const unit = unitOf(language, written) ?? unitOf(language, bare);
  const { word, case: wanted } = language.per;
  const one = { whole: 1, fraction: "" };
  return joined(word, unit === null ? bare : language.noun(unit, one, wanted));
}

function unitOf({ units }: SpokenLanguage, written: string): Unit | null {
  const found = units.find(([pattern]) => new RegExp(`^(?:${pattern})$`, "u").test(written));
  return found?.[1] ?? null;
}

function quantity(language: SpokenLanguage, value: number, unit: Unit, before: string): string {
  return quantityOf(language, { whole: value, fraction: "" }, unit, before);
}

function quantityOf(
  language: SpokenLanguage,
  amount: Amount,
  unit: Unit,
  before: string,
  after = "",
): string {
  const wanted = language.caseAfter(before, amount, after);
  const agreement = { gender: language.genderOf(unit), case: wanted };
  return `${language.number(amount, agreement)} ${language.noun(unit, amount, wanted)}`;
}

/** "2–3 hours" */
function spanOf(
  language: SpokenLanguage,
  [low, high]: readonly [number, number],
  unit: Unit,
  before: string,
): string {
  const [lower, upper] = [amountOf(String(low), ""), amountOf(String(high), "")];
  const noun = language.noun(unit, upper, language.caseAfter(before, upper));
  return `${language.span(lower, upper, before, ` ${noun}`)} ${noun}`;
}

// Telephone numbers.

const CALLS =
  /(?<!\p{L})(call|dial|phone|tel|skamb|numer|zvan|tālr|numur|звон|тел|номер)\p{L}*[.:]?\s*$/iu;

/**
 * Read digit by digit, with a short pause after every third. "1 200 000" is a number, not a
 * telephone number.
 */
function spokenPhones(text: string, { signs, digits }: SpokenLanguage): string {
  return text.replace(/(?<![\p{L}\d.,])\+?\(?\d(?:[\s()/-]{0,2}\d){6,}/gu, (...parts) => {
    const [number = ""] = parts as string[];
    const isSum = /^[1-79]\d?(?: \d{3})+$/.test(number);
    if (isSum && !CALLS.test(beforeOf(parts))) return number;
    // The number of an invoice: "No. 2026-118".
    if (/^20\d{2}-\d{3}$/.test(number) && IS_LABEL.test(beforeOf(parts)))
      return number.replace("-", " ");
    const groups = number.replace(/\D/g, "").match(/\d{1,3}/g) ?? [];
    const said = groups.map((group) =>
      [...group].map((digit) => digits[Number(digit)] ?? "").join(" "),
    );
    return `${number.startsWith("+") ? `${signs.plus} ` : ""}${said.join(", ")}`;
  });
}

// Quantities and plain figures.

/** English groups thousands with a comma, the others with a space or a full stop. */
function amountPattern({ decimalMark }: SpokenLanguage): string {
  const groups = decimalMark === "." ? "," : "[ .]";
  return `(\\d{1,3}(?:${groups}\\d{3})+(?!\\d)|\\d+)(?:[,.](\\d+))?`;
}

const amountOf = (whole: string | undefined, fraction: string | undefined): Amount => ({
  whole: Number((whole ?? "").replace(/\D/g, "")),
  fraction: fraction ?? "",
});

/** "5 min.", "3,5 %", "10–15 min.", "50 km/h". */
function spokenQuantities(text: string, language: SpokenLanguage): string {
  const amount = amountPattern(language);
  const units = language.units.map(([pattern]) => pattern).join("|");
  const pattern = new RegExp(
    `(?<![\\p{L}\\d.,:/–-])(?:${amount}\\s?[–—-]\\s?)?${amount}\\s?(${units})(?![\\p{L}\\d])(?:/(\\p{L}+\\.?))?`,
    "gu",
  );
  /** "after 1 min. 15 sec.": the minutes have the case of the seconds. */
  const quantityBefore = new RegExp(`${amount}\\s?(?:${units})\\s*$`, "iu");
  const belowNought = new RegExp(`(?<!\\p{L})${language.signs.minus}\\s$`, "u");
  return text.replace(pattern, (...parts) => {
    const [whole, low, lowFraction, high, highFraction, written = "", each] = parts as string[];
    const unit = unitOf(language, written);
    if (unit === null) return String(whole);
    const per = each === undefined ? "" : ` ${perOf(language, each)}`;
    const before = beforeOf(parts).replace(quantityBefore, "").replace(belowNought, "");
    const after = afterOf(parts);
    const upper = amountOf(high, highFraction);
    const end = per + sentenceEnd(each ?? written, after);
    if (low === undefined) return quantityOf(language, upper, unit, before, after) + end;
    const noun = language.noun(unit, upper, language.caseAfter(before, upper, after));
    return `${language.span(amountOf(low, lowFraction), upper, before, ` ${noun}`)} ${noun}${end}`;
  });
}

/** "2–3 days". A hyphen between plain numbers belongs to an address or a code. */
function spokenSpans(text: string, language: SpokenLanguage): string {
  const amount = amountPattern(language);
  const pattern = new RegExp(
    `(?<![\\p{L}\\d.,:/–-])${amount}(?:\\s?[–—]\\s?|-)${amount}(?![\\p{L}\\d–-])`,
    "gu",
  );
  return text.replace(pattern, (...parts) => {
    const [whole = "", low, lowFraction, high, highFraction] = parts as string[];
    const after = afterOf(parts);
    if (whole.includes("-") && !/^\s\p{Ll}/u.test(after)) return whole.replace("-", " ");
    const upper = amountOf(high, highFraction);
    return language.span(amountOf(low, lowFraction), upper, beforeOf(parts), after);
  });
}

/** "174A", "R16": a house, a size. */
function spokenBlocks(text: string, language: SpokenLanguage): string {
  const say = (figures: string) => language.number(amountOf(figures, ""), NOMINATIVE);
  return text
    .replace(
      /(?<![\p{L}\d.,:-])([1-9]\d{0,3})(\p{Lu})(?![\p{L}\d])/gu,
      (_, figures, letter) => `${say(figures)} ${letter}`,
    )
    .replace(
      /(?<![\p{L}\d.,:-])(\p{Lu})([1-9]\d{0,2})(?![\p{L}\d.,:-]*\d)(?!\p{L})/gu,
      (_, letter, figures) => `${letter} ${say(figures)}`,
    );
}

/** Numbers after these words are read digit by digit. */
const CODE_BEFORE =
  /(?<!\p{L})(?:code|pin|extension|reference|kod(?:as|ą|u|o)|kods|код(?:а|у|ом)?|пин|пин-код)(?:\s(?:is|yra|ir))?[\s:]+$/iu;

/** "Call 911", "Zvaniet 112". */
const DIALLED = /(?<!\p{L})(?:call|dial|zvaniet|zvanīt)\s+$/iu;

/** The number after these words is a name and counts nothing. */
const IS_LABEL = /(?<!\p{L})(?:number|numer(?:is|į|iu|io)|numurs?|номер)\s*$/iu;

/**
 * "dvi su puse valandos", "до двух с половиной часов": the number has the gender of the noun. Other
 * fractions agree with nothing.
 */
function ofFraction(amount: Amount, parts: unknown[], language: SpokenLanguage): Agreement {
  if (amount.fraction !== "5") return NOMINATIVE;
  const before = beforeOf(parts);
  const { gender } = language.agreement({ whole: 2, fraction: "" }, before, afterOf(parts));
  return { gender, case: language.caseAfter(before, amount) };
}

function spokenNumbers(text: string, language: SpokenLanguage): string {
  const { digits } = language;
  const pattern = new RegExp(`(?<![\\p{L}\\d])${amountPattern(language)}(?![\\p{L}\\d])`, "gu");
  return text.replace(pattern, (...parts) => {
    const [whole = "", figures = "", fraction] = parts as string[];
    const isDialled = DIALLED.test(beforeOf(parts)) && !/^\s\p{Ll}/u.test(afterOf(parts));
    const isCode =
      (isDialled && figures.length === 3) ||
      /^0\d/.test(figures) ||
      figures.length > 12 ||
      (figures.length > 2 && fraction === undefined && CODE_BEFORE.test(beforeOf(parts)));
    if (isCode) return [...whole].map((digit) => digits[Number(digit)] ?? "").join(" ");
    const amount = amountOf(figures, fraction);
    const before = beforeOf(parts);
    const agreement = IS_LABEL.test(before)
      ? NOMINATIVE
      : language.agreement(amount, before, afterOf(parts));
    if (fraction === undefined) return language.number(amount, agreement);
    return language.number(amount, ofFraction(amount, parts, language));
  });
}
