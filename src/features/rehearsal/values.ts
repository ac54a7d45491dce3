/**
 * Finds numbers, amounts of money and dates in an agent's words, as figures or as words of its four languages:
 * "€40", "40 EUR", "forty euros" and "keturiasdešimt eurų" are the same value.
 */
import { ORDINALS } from "../../core/ordinals.ts";

/** Whole number words: "сто" is a number, "стоит" is not. */
const NUMBER_WORDS: readonly (readonly [value: number, words: RegExp])[] = (
  [
    [0, "zero|nulis|nulle|ноль|нуль"],
    [1, "one|vien(?:as|a|ą|o|ai|am|i|s|u)|один|одна|одну|одно|одного"],
    [2, "two|du|dvi|dviejų|dviem|div(?:i|as|us|u|iem|ām)|два|две|двух"],
    [3, "three|trys|tris|trijų|trīs|triju|три|тр[её]х"],
    [4, "four|ketur(?:i|is|ių|ios|ias)|četr(?:i|as|us|u)|четыре|четыр[её]х"],
    [5, "five|penk(?:i|is|ių|ios|ias)|piec(?:i|as|us|u)|пять|пяти"],
    [6, "six|šeš(?:i|is|ių|ios|ias)|seš(?:i|as|us|u)|шесть|шести"],
    [7, "seven|septyn(?:i|is|ių|ios|ias)|septiņ(?:i|as|us|u)|семь|семи"],
    [8, "eight|aštuon(?:i|is|ių|ios|ias)|astoņ(?:i|as|us|u)|восемь|восьми"],
    [9, "nine|devyn(?:i|is|ių|ios|ias)|deviņ(?:i|as|us|u)|девять|девяти"],
    [10, "ten|dešimt|dešimties|desmit(?:s|i|os)?|десять|десяти"],
    [11, "eleven|vienuolik\\p{L}+|vienpadsmit\\p{L}*|одиннадцат[ьи]"],
    [12, "twelve|dvylik\\p{L}+|divpadsmit\\p{L}*|двенадцат[ьи]"],
    [13, "thirteen|trylik\\p{L}+|trīspadsmit\\p{L}*|тринадцат[ьи]"],
    [14, "fourteen|keturiolik\\p{L}+|četrpadsmit\\p{L}*|четырнадцат[ьи]"],
    [15, "fifteen|penkiolik\\p{L}+|piecpadsmit\\p{L}*|пятнадцат[ьи]"],
    [16, "sixteen|šešiolik\\p{L}+|sešpadsmit\\p{L}*|шестнадцат[ьи]"],
    [17, "seventeen|septyniolik\\p{L}+|septiņpadsmit\\p{L}*|семнадцат[ьи]"],
    [18, "eighteen|aštuoniolik\\p{L}+|astoņpadsmit\\p{L}*|восемнадцат[ьи]"],
    [19, "nineteen|devyniolik\\p{L}+|deviņpadsmit\\p{L}*|девятнадцат[ьи]"],
    [20, "twenty|dvidešimt\\p{L}*|divdesmit\\p{L}*|двадцат[ьи]"],
    [30, "thirty|trisdešimt\\p{L}*|trīsdesmit\\p{L}*|тридцат[ьи]"],
    [40, "forty|keturiasdešimt\\p{L}*|četrdesmit\\p{L}*|сорока?"],
    [50, "fifty|penkiasdešimt\\p{L}*|piecdesmit\\p{L}*|пятьдесят|пятидесяти"],
    [60, "sixty|šešiasdešimt\\p{L}*|sešdesmit\\p{L}*|шестьдесят|шестидесяти"],
    [70, "seventy|septyniasdešimt\\p{L}*|septiņdesmit\\p{L}*|семьдесят|семидесяти"],
    [80, "eighty|aštuoniasdešimt\\p{L}*|astoņdesmit\\p{L}*|восемьдесят|восьмидесяти"],
    [90, "ninety|devyniasdešimt\\p{L}*|deviņdesmit\\p{L}*|девяносто"],
    [100, "hundred|šimt(?:as|ai|ų|us|ą|o)|simt(?:s|i|u|us)?|сто|ста"],
    [200, "двести"],
    [300, "триста"],
    [400, "четыреста"],
    [500, "пятьсот"],
    [600, "шестьсот"],
    [700, "семьсот"],
    [800, "восемьсот"],
    [900, "девятьсот"],
    [1000, "thousand|tūkstan\\p{L}+|tūksto\\p{L}+|тысяч\\p{L}?"],
  ] as const
).map(([value, words]) => [value, new RegExp(`^(?:${words})$`, "u")]);

/** Beginnings of month names, from January. */
const MONTHS: readonly RegExp[] = [
  /^(?:jan(?:uar|vār)|saus|январ)/,
  /^(?:feb|vasar[io]|феврал)/,
  /^(?:mar(?:ch|t)|kov[aoąu]|март)/,
  /^(?:apr|balan|апрел)/,
  /^(?:may$|geguž|maij|ма[йяе]$)/,
  /^(?:june?$|birž|jūnij|июн)/,
  /^(?:july?$|liep[aoą]|jūlij|июл)/,
  /^(?:aug|rugpj|август)/,
  /^(?:sept|rugs|сентябр)/,
  /^(?:o[ck]to|spal|октябр)/,
  /^(?:nov|lapkr|ноябр)/,
  /^(?:de[cz]em|gruod|декабр)/,
];

/** Beginnings of weekday names, from Monday. */
const WEEKDAYS: readonly RegExp[] = [
  /^(?:monday|pirmadien|pirmdien|понедельник)/,
  /^(?:tuesday|antradien|otrdien|вторник)/,
  /^(?:wednesday|trečiadien|trešdien|сред[аыу])/,
  /^(?:thursday|ketvirtadien|ceturtdien|четверг)/,
  /^(?:friday|penktadien|piektdien|пятниц)/,
  /^(?:saturday|šeštadien|sestdien|суббот)/,
  /^(?:sunday|sekmadien|svētdien|воскресень)/,
];

const NEAR_DAYS: readonly RegExp[] = [
  /^(?:today|tonight|šiandien|šodien|сегодня)$/,
  /^(?:tomorrow|rytoj|rīt|завтра)$/,
];

const CURRENCIES: Readonly<Record<string, RegExp>> = {
  EUR: /^(?:€|eur(?:os?|ai|ų|us|as|ais|ą)?|eiro|евро)$/,
  USD: /^(?:\$|usd|dollars?|doleri\p{L}+|dolār\p{L}+|доллар\p{L}*)$/u,
  GBP: /^(?:£|gbp|pounds?|svar\p{L}+|mārciņ\p{L}+|фунт\p{L}*)$/u,
};
const CENTS = /^(?:cents?|cent\p{L}+|цент\p{L}*|pence)$/u;

const DAY_MS = 86_400_000;
const DAYS_AHEAD_MAX = 7;

const tokensOf = (text: string): string[] =>
  text
    .toLocaleLowerCase()
    .replace(/(\d)[\s\u00a0](?=\d{3}(?!\d))/g, "$1")
    .match(/\d+(?:[.,:]\d+)*|\p{L}+|[€$£]/gu) ?? [];

const wordValue = (token: string): number | null =>
  NUMBER_WORDS.find(([, words]) => words.test(token))?.[0] ?? null;

/** `1,250.50`, `1.250,50` and `40,5` are numbers; `12:30` is not. */
function figureValue(token: string): number | null {
  if (!/^\d+(?:[.,]\d+)*$/.test(token)) return null;
  const decimals = /[.,](\d{1,2})$/.exec(token)?.[1] ?? "";
  const whole = decimals === "" ? token : token.slice(0, -decimals.length - 1);
  return Number(`${whole.replace(/[.,]/g, "")}${decimals === "" ? "" : `.${decimals}`}`);
}

interface FoundNumber {
  readonly value: number;
  /** Token range: `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

function foundNumbers(tokens: readonly string[]): FoundNumber[] {
  const found: FoundNumber[] = [];
  for (let index = 0; index < tokens.length; ) {
    const figure = figureValue(tokens[index] ?? "");
    const number =
      figure === null
        ? spelledNumber(tokens, index)
        : { value: figure, from: index, to: index + 1 };
    if (number) found.push(number);
    index = number?.to ?? index + 1;
  }
  return found;
}

/** Parses "two hundred and forty five" from this token; null if it is not a number. */
function spelledNumber(tokens: readonly string[], from: number): FoundNumber | null {
  let total = 0;
  let part = 0;
  let last = Number.POSITIVE_INFINITY;
  let to = from;
  for (let index = from; index < tokens.length; index++) {
    const joins = /^(?:and|ir|un|и)$/.test(tokens[index] ?? "");
    const value = wordValue(tokens[joins && part >= 100 ? index + 1 : index] ?? "");
    if (value === null) break;
    if (joins) index++;
    if (value === 1000) {
      total += (part || 1) * 1000;
      part = 0;
      last = value;
    } else if (value === 100 && part > 0 && part < 10) {
      part *= 100;
      last = value;
    } else if (to === from || (value < last && last >= 20)) {
      part += value;
      last = value === 100 ? 100 : value;
    } else break;
    to = index + 1;
  }
  return to === from ? null : { value: total + part, from, to };
}

export const saysNumber = (text: string, wanted: number): boolean =>
  foundNumbers(tokensOf(text)).some(({ value }) => value === wanted);

/** `wanted` is like "40 EUR" or "40.50 EUR". */
export function saysMoney(text: string, wanted: string): boolean {
  const [amount = "", currency = ""] = wanted.split(" ");
  const cents = Math.round(Number(amount.replace(",", ".")) * 100);
  const sign = CURRENCIES[currency] ?? new RegExp(`^${currency.toLowerCase()}$`);
  const tokens = tokensOf(text);
  const numbers = foundNumbers(tokens);
  return numbers.some(({ value, from, to }, index) => {
    const after = tokens[to] ?? "";
    if (!sign.test(after) && !sign.test(tokens[from - 1] ?? "")) return false;
    const next = numbers[index + 1];
    const extra = next && next.from - to <= 2 && CENTS.test(tokens[next.to] ?? "") ? next.value : 0;
    return Math.round(value * 100) + extra === cents;
  });
}

/** `wanted` and `today` are like `2026-11-24`. A weekday or "tomorrow" means a date of the coming week. */
export function saysDate(text: string, wanted: string, today: string): boolean {
  const [year = 0, month = 0, day = 0] = wanted.split("-").map(Number);
  const written = new RegExp(
    `\\b(?:${wanted}|0?${day}[./]0?${month}[./]${year}|${year}[./]0?${month}[./]0?${day})\\b`,
  );
  if (written.test(text)) return true;
  const tokens = tokensOf(text);
  const ahead = Math.round((Date.parse(wanted) - Date.parse(today)) / DAY_MS);
  if (NEAR_DAYS[ahead] && tokens.some((token) => NEAR_DAYS[ahead]?.test(token))) return true;
  const weekday = (new Date(wanted).getUTCDay() + 6) % 7;
  const isNear = ahead > 0 && ahead <= DAYS_AHEAD_MAX;
  if (isNear && tokens.some((token) => WEEKDAYS[weekday]?.test(token))) return true;
  return tokens.some(
    (token, index) =>
      MONTHS[month - 1]?.test(token) === true &&
      dayNumbers(tokens.slice(Math.max(0, index - 4), index + 4)).includes(day),
  );
}

function dayNumbers(tokens: readonly string[]): number[] {
  const ordinals = tokens.flatMap((token, index) => {
    const ordinal = ORDINALS[token];
    if (ordinal === undefined) return [];
    const tens = wordValue(tokens[index - 1] ?? "");
    return [ordinal < 10 && tens !== null && tens >= 20 ? tens + ordinal : ordinal];
  });
  return [...ordinals, ...foundNumbers(tokens).map(({ value }) => value)];
}
