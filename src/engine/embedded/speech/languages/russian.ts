/** Russian: numerals by case and gender, ordinals for dates and years, counted nouns. */
import {
  type Agreement,
  type Amount,
  afterOf,
  beforeOf,
  type CalendarDay,
  type Case,
  type ClockTime,
  countedWordOf,
  firstFitting,
  formOf,
  type Gender,
  governorOf,
  joined,
  lastWordOf,
  listOf,
  NOMINATIVE,
  type SpokenLanguage,
  sentenceEnd,
  type Unit,
} from "./spoken-language.ts";

const DIGITS = listOf("ноль один два три четыре пять шесть семь восемь девять");

/** nominative genitive dative accusative instrumental locative */
const ONE: Readonly<Record<Gender, string>> = {
  masculine: "один одного одному один одним одном",
  feminine: "одна одной одной одну одной одной",
  neuter: "одно одного одному одно одним одном",
  collective: "одни одних одним одни одними одних",
};
const SMALL: readonly string[] = [
  "ноль ноля нолю ноль нолём ноле",
  "",
  "два двух двум два двумя двух",
  "три трёх трём три тремя трёх",
  "четыре четырёх четырём четыре четырьмя четырёх",
  ...listOf("пят шест сем").map(softSign),
  "восемь восьми восьми восемь восемью восьми",
  ...listOf(
    "девят десят одиннадцат двенадцат тринадцат четырнадцат пятнадцат шестнадцат семнадцат восемнадцат девятнадцат",
  ).map(softSign),
];
const TENS: readonly string[] = [
  "",
  "",
  softSign("двадцат"),
  softSign("тридцат"),
  "сорок сорока сорока сорок сорока сорока",
  ...listOf("пят шест сем").map(
    (stem) =>
      `${stem}ьдесят ${stem}идесяти ${stem}идесяти ${stem}ьдесят ${stem}ьюдесятью ${stem}идесяти`,
  ),
  "восемьдесят восьмидесяти восьмидесяти восемьдесят восемьюдесятью восьмидесяти",
  "девяносто девяноста девяноста девяносто девяноста девяноста",
];
const HUNDREDS: readonly string[] = [
  "",
  "сто ста ста сто ста ста",
  "двести двухсот двумстам двести двумястами двухстах",
  "триста трёхсот трёмстам триста тремястами трёхстах",
  "четыреста четырёхсот четырёмстам четыреста четырьмястами четырёхстах",
  ...listOf("пят шест сем").map(
    (stem) => `${stem}ьсот ${stem}исот ${stem}истам ${stem}ьсот ${stem}ьюстами ${stem}истах`,
  ),
  "восемьсот восьмисот восьмистам восемьсот восемьюстами восьмистах",
  "девятьсот девятисот девятистам девятьсот девятьюстами девятистах",
];

function softSign(stem: string): string {
  return `${stem}ь ${stem}и ${stem}и ${stem}ь ${stem}ью ${stem}и`;
}

type NounForms = readonly [singular: string, plural: string, gender: Gender];

const hard = (stem: string): NounForms => [
  `${stem} ${stem}а ${stem}у ${stem} ${stem}ом ${stem}е`,
  `${stem}ы ${stem}ов ${stem}ам ${stem}ы ${stem}ами ${stem}ах`,
  "masculine",
];
const feminine = (stem: string, genitivePlural: string, plural = "ы"): NounForms => [
  `${stem}а ${stem}${plural} ${stem}е ${stem}у ${stem}ой ${stem}е`,
  `${stem}${plural} ${genitivePlural} ${stem}ам ${stem}${plural} ${stem}ами ${stem}ах`,
  "feminine",
];
const soft = (stem: string, nominative: string): NounForms => [
  `${nominative} ${stem}я ${stem}ю ${nominative} ${stem}ём ${stem}е`,
  `${stem}и ${stem}ей ${stem}ям ${stem}и ${stem}ями ${stem}ях`,
  "masculine",
];
const EURO = "евро евро евро евро евро евро";

const NOUNS: Readonly<Record<Unit, NounForms>> = {
  euro: [EURO, EURO, "masculine"],
  cent: hard("цент"),
  dollar: hard("доллар"),
  pound: hard("фунт"),
  penny: [
    "пенс пенса пенсу пенс пенсом пенсе",
    "пенсы пенсов пенсам пенсы пенсами пенсах",
    "masculine",
  ],
  rouble: soft("рубл", "рубль"),
  kopeck: [
    "копейка копейки копейке копейку копейкой копейке",
    "копейки копеек копейкам копейки копейками копейках",
    "feminine",
  ],
  percent: hard("процент"),
  second: feminine("секунд", "секунд"),
  minute: feminine("минут", "минут"),
  hour: hard("час"),
  day: ["день дня дню день днём дне", "дни дней дням дни днями днях", "masculine"],
  week: [
    "неделя недели неделе неделю неделей неделе",
    "недели недель неделям недели неделями неделях",
    "feminine",
  ],
  month: [
    "месяц месяца месяцу месяц месяцем месяце",
    "месяцы месяцев месяцам месяцы месяцами месяцах",
    "masculine",
  ],
  year: ["год года году год годом годе", "годы лет годам годы годами годах", "masculine"],
  metre: hard("метр"),
  millimetre: hard("миллиметр"),
  centimetre: hard("сантиметр"),
  kilometre: hard("километр"),
  kilogram: hard("килограмм"),
  gram: hard("грамм"),
  milligram: hard("миллиграмм"),
  litre: hard("литр"),
  millilitre: hard("миллилитр"),
  piece: feminine("штук", "штук", "и"),
  squareMetre: hard("метр"),
  workday: [
    "рабочий\u00a0день рабочего\u00a0дня рабочему\u00a0дню рабочий\u00a0день рабочим\u00a0днём рабочем\u00a0дне",
    "рабочие\u00a0дни рабочих\u00a0дней рабочим\u00a0дням рабочие\u00a0дни рабочими\u00a0днями рабочих\u00a0днях",
    "masculine",
  ],
  degree: hard("градус"),
};
const SCALES: readonly (readonly [size: number, forms: NounForms])[] = [
  [1e9, hard("миллиард")],
  [1e6, hard("миллион")],
  [
    1_000,
    [
      "тысяча тысячи тысяче тысячу тысячей тысяче",
      "тысячи тысяч тысячам тысячи тысячами тысячах",
      "feminine",
    ],
  ],
];

type Count = "one" | "few" | "many";
const plural = new Intl.PluralRules("ru");
function countOf(value: number): Count {
  const rule = plural.select(value);
  return rule === "one" || rule === "few" ? rule : "many";
}

/** "один час", "два часа", "пять часов"; in other cases "двух часов", "пятью часами". */
function inflected([singular, pluralForms]: NounForms, value: number, wanted: Case): string {
  const count = countOf(value);
  if (count === "one") return formOf(singular, wanted);
  const isDirect = wanted === "nominative" || wanted === "accusative";
  if (!isDirect) return formOf(pluralForms, wanted);
  return count === "few" ? formOf(singular, "genitive") : formOf(pluralForms, "genitive");
}

function cardinal(value: number, agreement: Agreement): string {
  for (const [size, forms] of SCALES) {
    if (value < size) continue;
    const count = Math.floor(value / size);
    const ofScale: Agreement = { gender: forms[2], case: agreement.case };
    const rest = value % size;
    return joined(
      count === 1 ? "" : cardinal(count, ofScale),
      inflected(forms, count, agreement.case),
      rest === 0 ? "" : cardinal(rest, agreement),
    );
  }
  if (value >= 100) {
    const rest = value % 100;
    const hundreds = formOf(HUNDREDS[Math.floor(value / 100)] ?? "", agreement.case);
    return joined(hundreds, rest === 0 ? "" : cardinal(rest, agreement));
  }
  if (value >= 20) {
    const rest = value % 10;
    const tens = formOf(TENS[Math.floor(value / 10)] ?? "", agreement.case);
    return joined(tens, rest === 0 ? "" : cardinal(rest, agreement));
  }
  if (value === 1) return formOf(ONE[agreement.gender], agreement.case);
  const isFeminineTwo = value === 2 && agreement.gender === "feminine";
  if (isFeminineTwo && (agreement.case === "nominative" || agreement.case === "accusative"))
    return "две";
  return formOf(SMALL[value] ?? "", agreement.case);
}

const ORDINAL_STEMS = listOf(
  "нулев перв втор трет четвёрт пят шест седьм восьм девят десят одиннадцат двенадцат тринадцат четырнадцат пятнадцат шестнадцат семнадцат восемнадцат девятнадцат",
);
const ORDINAL_TENS = listOf(
  "- - двадцат тридцат сороков пятидесят шестидесят семидесят восьмидесят девяност",
);
const ORDINAL_HUNDREDS = listOf(
  "- сот двухсот трёхсот четырёхсот пятисот шестисот семисот восьмисот девятисот",
);
const STRESSED = new Set(["нулев", "втор", "шест", "седьм", "восьм", "сороков"]);
const ENDINGS: Readonly<Record<"masculine" | "feminine" | "neuter", string>> = {
  masculine: "ый ого ому ый ым ом",
  feminine: "ая ой ой ую ой ой",
  neuter: "ое ого ому ое ым ом",
};
const THIRD: Readonly<Record<"masculine" | "feminine" | "neuter", string>> = {
  masculine: "третий третьего третьему третий третьим третьем",
  feminine: "третья третьей третьей третью третьей третьей",
  neuter: "третье третьего третьему третье третьим третьем",
};

type OrdinalGender = keyof typeof ENDINGS;

/** "двадцать четвёртого". Only the last word is declined. */
function ordinal(value: number, gender: OrdinalGender, wanted: Case): string {
  const [stem, before] = ordinalStem(value);
  if (stem === "трет") return joined(before, formOf(THIRD[gender], wanted));
  const ending = formOf(ENDINGS[gender], wanted);
  const isMasculineBase = ending === "ый" && STRESSED.has(stem);
  return joined(before, stem + (isMasculineBase ? "ой" : ending));
}

function ordinalStem(value: number): readonly [stem: string, before: string] {
  const rest = value % 1_000;
  if (value >= 1_000 && rest === 0) {
    const count = value / 1_000;
    const prefix = count === 1 ? "" : cardinal(count, { gender: "masculine", case: "genitive" });
    return [`${prefix.replace(/\s/g, "")}тысячн`, ""];
  }
  const thousands = value >= 1_000 ? cardinal(value - rest, NOMINATIVE) : "";
  const below = rest % 100;
  if (rest >= 100 && below === 0) return [ORDINAL_HUNDREDS[rest / 100] ?? "", thousands];
  const hundreds = rest >= 100 ? cardinal(rest - below, NOMINATIVE) : "";
  const head = joined(thousands, hundreds);
  if (below < 20) return [ORDINAL_STEMS[below] ?? "", head];
  const ones = below % 10;
  if (ones === 0) return [ORDINAL_TENS[below / 10] ?? "", head];
  return [ORDINAL_STEMS[ones] ?? "", joined(head, cardinal(below - ones, NOMINATIVE))];
}

const GOVERNED: readonly (readonly [RegExp, Case])[] = [
  [
    /^(до|от|с|со|около|без|из|для|после|более|менее|больше|меньше|свыше|порядка|не|у|течение|размере|пределах|кроме|позже|раньше|старше|младше|дольше|дороже|дешевле)$/,
    "genitive",
  ],
  [/^(через|за|на|про|в|во|каждые|каждый|каждую|спустя)$/, "accusative"],
  [/^(к|ко|по)$/, "dative"],
  [/^(между|перед|над|под)$/, "instrumental"],
  [/^(о|об|при)$/, "locative"],
  [
    /^(стоит|стоят|стоил[аио]?|длится|займ[её]т|занимает|подожд[иё]\p{L}*|ждать|жд[иё]\p{L}*|плат\p{L}+|заплат\p{L}+|оплат\p{L}+|сэконом\p{L}+|получ\p{L}+|продлится)$/u,
    "accusative",
  ],
];

/** "в пятистах метрах от нас", "в двадцати минутах езды" */
const AWAY = /^\s(от|езды|ходьбы|пути)(?!\p{L})/u;

function caseAfter(before: string, amount: Amount, after = ""): Case {
  const word = governorOf(before);
  if (word === "в" && AWAY.test(after)) return "locative";
  const found = firstFitting(GOVERNED, word) ?? "nominative";
  // "по пять евро": only the number one takes the dative.
  if (word === "по" && countOf(amount.whole) !== "one") return "accusative";
  return word === "не" ? "nominative" : found;
}

const FEW_ENDINGS: readonly (readonly [RegExp, readonly [Gender, Case]])[] = [
  [/(ам|ям)$/, ["masculine", "dative"]],
  [/(ами|ями|ьми)$/, ["masculine", "instrumental"]],
  [/(ах|ях)$/, ["masculine", "locative"]],
  [/(ов|ев|ей|ых|их)$/, ["masculine", "genitive"]],
  [/(ы|и)$/, ["feminine", "nominative"]],
  [/(а|я)$/, ["masculine", "nominative"]],
  [/(минут|секунд|недель|копеек|лет|раз)$/, ["masculine", "genitive"]],
];
const ONE_ENDINGS: readonly (readonly [RegExp, readonly [Gender, Case]])[] = [
  [/^евро$/, ["masculine", "nominative"]],
  [/мя$/, ["neuter", "nominative"]],
  [/(ую|юю|у|ю)$/, ["feminine", "accusative"]],
  [/(ая|яя|а|я)$/, ["feminine", "nominative"]],
  [/(ое|ее|о|е)$/, ["neuter", "nominative"]],
  [/(ого|его)$/, ["masculine", "genitive"]],
  [/(ой|ей|ы|и)$/, ["feminine", "genitive"]],
  [/(ому|ему)$/, ["masculine", "dative"]],
  [/(ом|ем|ём)$/, ["masculine", "instrumental"]],
];

const ADJECTIVE = /(ых|их|ые|ие|ый|ий|ая|ое|ого|ую)$/;

function agreement(amount: Amount, before: string, after: string): Agreement {
  const following = countedWordOf(after, ADJECTIVE);
  const governed = caseAfter(before, amount);
  const count = countOf(amount.whole);
  if (count === "many") {
    const found = firstFitting(FEW_ENDINGS.slice(0, 3), following);
    return { gender: "masculine", case: found?.[1] ?? governed };
  }
  const found = firstFitting(count === "one" ? ONE_ENDINGS : FEW_ENDINGS, following);
  if (found === null || following === "евро") return { gender: "masculine", case: governed };
  const [gender, wanted] = found;
  // "на одного человека"
  if (count === "one" && governed === "accusative" && /[ая]$/.test(following))
    return { gender: "masculine", case: "genitive" };
  // "от одного доллара", "после одной минуты": the preposition identifies the masculine genitive.
  if (count === "one" && governed === "genitive" && /[ая]$/.test(following))
    return { gender: "masculine", case: "genitive" };
  if (count === "one" && governed === "dative" && following.endsWith("е"))
    return { gender: "feminine", case: "dative" };
  if (count === "one" && governed === "dative" && /[ую]$/.test(following))
    return { gender: "masculine", case: "dative" };
  return { gender, case: wanted };
}

const DENOMINATORS = ["", "десят", "сот", "тысячн"];

/** "полтора часа", "два с половиной часа", "пять с половиной часов". */
const isHalf = ({ whole, fraction }: Amount) => fraction === "5" && whole > 0;

function number({ whole, fraction }: Amount, wanted: Agreement): string {
  if (fraction === "") return cardinal(whole, wanted);
  if (isHalf({ whole, fraction })) {
    if (whole > 1) return `${cardinal(whole, wanted)} с половиной`;
    return wanted.gender === "feminine" ? "полторы" : "полтора";
  }
  const denominator = DENOMINATORS[fraction.length];
  const feminineOne: Agreement = { gender: "feminine", case: "nominative" };
  if (denominator === undefined)
    return joined(
      cardinal(whole, NOMINATIVE),
      "и",
      ...[...fraction].map((digit) => DIGITS[Number(digit)] ?? ""),
    );
  const part = Number(fraction);
  const integer = countOf(whole) === "one" ? "целая" : "целых";
  const ending = countOf(part) === "one" ? "ая" : "ых";
  return joined(
    cardinal(whole, feminineOne),
    integer,
    cardinal(part, feminineOne),
    denominator + ending,
  );
}

const SQUARE_ONE = "квадратный квадратного квадратному квадратный квадратным квадратном";
const SQUARE_MANY = "квадратных квадратных квадратным квадратных квадратными квадратных";

/** "два квадратных метра" */
function square({ whole, fraction }: Amount, wanted: Case): string {
  if (fraction !== "") return formOf(SQUARE_ONE, "genitive");
  return formOf(countOf(whole) === "one" ? SQUARE_ONE : SQUARE_MANY, wanted);
}

function noun(unit: Unit, { whole, fraction }: Amount, wanted: Case): string {
  if (unit === "squareMetre")
    return `${square({ whole, fraction }, wanted)} ${noun("metre", { whole, fraction }, wanted)}`;
  const isAdded = isHalf({ whole, fraction }) && whole > 1;
  if (fraction !== "" && !isAdded) return formOf(NOUNS[unit][0], "genitive");
  return inflected(NOUNS[unit], whole, wanted);
}

const MONTHS = listOf(
  "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
);

/** "двадцать четвёртого", "на двадцать четвёртое", "к двадцать четвёртому". */
function dayCase(before: string): Case {
  const word = lastWordOf(before);
  if (/^(на|по|за)$/.test(word)) return "accusative";
  if (/^(к|ко)$/.test(word)) return "dative";
  return /(сегодня|дата|дата:)\s*$/i.test(before) ? "nominative" : "genitive";
}

function date({ day, month, year }: CalendarDay, before: string): string {
  const years = year === null ? "" : `${ordinal(year, "masculine", "genitive")} года`;
  return joined(ordinal(day, "neuter", dayCase(before)), MONTHS[month - 1] ?? "", years);
}

/** "десять часов", "десять тридцать", "девять ноль пять". */
function clockIn({ hour, minute }: ClockTime, wanted: Case, withHours: boolean): string {
  const said = cardinal(hour, { gender: "masculine", case: wanted });
  if (minute === 0) return withHours ? `${said} ${inflected(NOUNS.hour, hour, wanted)}` : said;
  const minutes = cardinal(minute, { gender: "feminine", case: wanted });
  if (minute >= 10) return `${said} ${minutes}`;
  return `${said} ноль ${cardinal(minute, { gender: "masculine", case: wanted })}`;
}

const CLOCK_CASES: readonly (readonly [RegExp, Case])[] = [
  [/^(до|от|с|со|около|после)$/, "genitive"],
  [/^(к|ко)$/, "dative"],
  [/^(перед|между)$/, "instrumental"],
];

function clock(time: ClockTime, before: string): string {
  return clockIn(time, firstFitting(CLOCK_CASES, lastWordOf(before)) ?? "nominative", true);
}

/** "с девяти до семнадцати" */
function hours(from: ClockTime, to: ClockTime, before: string): string {
  const prefix = /^(с|со|от)$/.test(lastWordOf(before)) ? "" : "с";
  return joined(prefix, clockIn(from, "genitive", false), "до", clockIn(to, "genitive", false));
}

/** "десятью и двенадцатью часами" */
const timesBetween = (from: ClockTime, to: ClockTime): string =>
  joined(clockIn(from, "instrumental", false), "и", clockIn(to, "instrumental", true));

function span(low: Amount, high: Amount, before: string, after: string): string {
  const agreed = agreement(high, before, after);
  const governed = caseAfter(before, high);
  if (countOf(high.whole) === "many" && governed !== "genitive" && governed !== "dative") {
    const genitive: Agreement = { gender: agreed.gender, case: "genitive" };
    return `от ${number(low, genitive)} до ${number(high, genitive)}`;
  }
  return `${number(low, agreed)}-${number(high, agreed)}`;
}

const NAMED_DATE = new RegExp(
  `(?<![\\p{L}\\d])(\\d{1,2})(?:-(?:го|е))?\\s(${MONTHS.join("|")})(?!\\p{L})(?:\\s(\\d{4})(?:\\s?(?:г\\.|года))?)?`,
  "giu",
);
/** "24–26 декабря" */
const DAYS = new RegExp(
  `(?<![\\p{L}\\d])(?:с\\s)?(\\d{1,2})\\s?(?:[–-]|по)\\s?(\\d{1,2})\\s(${MONTHS.join("|")})(?!\\p{L})`,
  "giu",
);
const daysSaid = (_: string, first: string, last: string, month: string) =>
  `с ${ordinal(Number(first), "neuter", "genitive")} по ${ordinal(Number(last), "neuter", "accusative")} ${month}`;

/** "24, 25 и 26 декабря" */
const DAY_LIST = new RegExp(
  `(?<![\\p{L}\\d.,:])((?:\\d{1,2},\\s)*\\d{1,2}\\s(?:и|или)\\s)(?=\\d{1,2}\\s(?:${MONTHS.join("|")})(?!\\p{L}))`,
  "giu",
);
const DAYS_BETWEEN = new RegExp(
  `(?<=между\\s)(\\d{1,2}) и (\\d{1,2})(?=\\s(?:${MONTHS.join("|")})(?!\\p{L}))`,
  "giu",
);
const ordinalsIn = (days: string, wanted: Case): string =>
  days.replace(/\d+/g, (day) => ordinal(Number(day), "neuter", wanted));
const dayLists = (text: string): string =>
  text
    .replace(DAYS_BETWEEN, (days) => ordinalsIn(days, "instrumental"))
    .replace(DAY_LIST, (...parts) => ordinalsIn(String(parts[1]), dayCase(beforeOf(parts))));

const namedDates = (text: string): string =>
  text.replace(DAYS, daysSaid).replace(NAMED_DATE, (...parts) => {
    const [, day, month = "", year] = parts as (string | undefined)[];
    const number = MONTHS.indexOf(month.toLowerCase()) + 1;
    const written = year === undefined ? null : Number(year);
    const said = date({ day: Number(day), month: number, year: written }, beforeOf(parts));
    return said + sentenceEnd(String(parts[0]), afterOf(parts));
  });

const YEAR_CASES: Readonly<Record<string, Case>> = {
  год: "nominative",
  года: "genitive",
  году: "locative",
  годом: "instrumental",
  годе: "locative",
};
const years = (text: string): string =>
  text
    .replace(/(?<!\d)([12]\d{3})\s?[–-]\s?([12]\d{3})\s?(?:гг\.|годы)/gu, (...parts) => {
      const from = ordinal(Number(parts[1]), "masculine", "genitive");
      const to = ordinal(Number(parts[2]), "masculine", "accusative");
      return `с ${from} по ${to} год${sentenceEnd(String(parts[0]), afterOf(parts))}`;
    })
    .replace(
      /(?<=(?:^|\s)ко?\s)([12]\d{3})\sгоду(?!\p{L})/giu,
      (_, year) => `${ordinal(Number(year), "masculine", "dative")} году`,
    )
    .replace(
      /(?<!\d)([12]\d{3})\s(год(?:а|у|ом)?)(?!\p{L})/gu,
      (_, year, word: string) =>
        `${ordinal(Number(year), "masculine", YEAR_CASES[word] ?? "nominative")} ${word}`,
    )
    .replace(
      /(?<=(?:^|\s)в\s)([12]\d{3})\s?г\./giu,
      (...parts) =>
        `${ordinal(Number(parts[1]), "masculine", "locative")} году${sentenceEnd(".", afterOf(parts))}`,
    )
    .replace(
      /(?<!\d)([12]\d{3})\s?г\./gu,
      (...parts) =>
        `${ordinal(Number(parts[1]), "masculine", "genitive")} года${sentenceEnd(".", afterOf(parts))}`,
    );

const SUFFIXES: readonly (readonly [RegExp, readonly [OrdinalGender, Case]])[] = [
  [/^(й|ый|ий|ой)$/, ["masculine", "nominative"]],
  [/^(я|ая)$/, ["feminine", "nominative"]],
  [/^(е|ое)$/, ["neuter", "nominative"]],
  [/^(го|ого|его)$/, ["masculine", "genitive"]],
  [/^(му|ому)$/, ["masculine", "dative"]],
  [/^(м|ом)$/, ["masculine", "locative"]],
  [/^(ю|ую)$/, ["feminine", "accusative"]],
];
const PLACE_CASES: Readonly<Record<string, Case>> = { е: "locative", у: "dative" };
/** "5-й", "2-м этаже". */
const ordinals = (text: string): string =>
  text
    .replace(
      /(?<![\p{L}\d.,:–-])(?!1\s)(\d{1,3})\s(этаж|кабинет|номер(?=[еу]))([еу]?)(?!\p{L})/gu,
      (_, value, noun: string, ending: string) =>
        `${ordinal(Number(value), "masculine", PLACE_CASES[ending] ?? "nominative")} ${noun}${ending}`,
    )
    // "двадцать один номер" may be a count.
    .replace(
      /(?<![\p{L}\d.,:–-])(\d{0,2}[02-9]|1?11)\sномер(?!\p{L})/gu,
      (_, value) => `${ordinal(Number(value), "masculine", "nominative")} номер`,
    )
    .replace(/(?<![\p{L}\d])(\d{1,4})-(\p{Ll}{1,3})(?!\p{L})/gu, (whole, value, suffix) => {
      const found = firstFitting(SUFFIXES, suffix);
      return found === null ? whole : ordinal(Number(value), found[0], found[1]);
    });

/** Genitive after "с", accusative after "по". */
const WEEKDAYS: readonly (readonly [RegExp, string, string])[] = [
  [/^(пн|понедельник)/, "понедельника", "понедельник"],
  [/^вт/, "вторника", "вторник"],
  [/^ср/, "среды", "среду"],
  [/^(чт|четверг)/, "четверга", "четверг"],
  [/^(пт|пятница)/, "пятницы", "пятницу"],
  [/^(сб|суббота)/, "субботы", "субботу"],
  [/^(вс|воскресенье)/, "воскресенья", "воскресенье"],
];
const WEEKDAY =
  "(пн|вт|ср|чт|пт|сб|вс|понедельник|вторник|среда|четверг|пятница|суббота|воскресенье)(?:\\.(?!\\s*$|\\s+\\p{Lu}))?";
const weekday = (written: string, form: 1 | 2) =>
  WEEKDAYS.find(([pattern]) => pattern.test(written.toLowerCase()))?.[form] ?? written;

/** "в субботу", once. */
function dayIn(parts: string[]): string {
  const day = weekday(parts[1] ?? "", 2);
  if (/^(?:в|во|по)$/.test(lastWordOf(beforeOf(parts)))) return day;
  return `${day.startsWith("вт") ? "во" : "в"} ${day}`;
}

export const RUSSIAN: SpokenLanguage = {
  digits: DIGITS,
  signs: {
    at: "собака",
    dot: "точка",
    dash: "дефис",
    underscore: "подчёркивание",
    slash: "слэш",
    plus: "плюс",
    minus: "минус",
    and: "и",
  },
  per: { word: "в", case: "accusative" },
  decimalMark: ",",
  monthFirst: false,
  units: [
    ["€|EUR|евро", "euro"],
    ["\\$|USD|долл\\.", "dollar"],
    ["£|GBP", "pound"],
    ["₽|RUB|руб\\.?", "rouble"],
    ["коп\\.", "kopeck"],
    ["%", "percent"],
    ["сек\\.?", "second"],
    ["мин\\.?", "minute"],
    ["ч\\.?", "hour"],
    ["(?:раб\\.|р\\.) ?д(?:н|ней)?\\.", "workday"],
    ["дн\\.", "day"],
    ["нед\\.", "week"],
    ["мес\\.", "month"],
    ["км", "kilometre"],
    ["кг", "kilogram"],
    ["мг", "milligram"],
    ["мл", "millilitre"],
    ["см", "centimetre"],
    ["мм", "millimetre"],
    ["г", "gram"],
    ["м²|м2|кв\\. ?м\\.?", "squareMetre"],
    ["м", "metre"],
    ["л", "litre"],
    ["шт\\.", "piece"],
    ["°C?", "degree"],
  ],
  scales: [
    ["тыс\\.", 1e3],
    ["млн\\.?", 1e6],
    ["млрд\\.?", 1e9],
  ],
  hourMark: "ч\\.?|час(?:ов|а)?",
  timeWord: "",
  hoursBefore:
    /(работа|график|режим|открыт|принима|понедельник|вторник|среду|четверг|пятницу|субботу|воскресенье|ежедневно|по будням)[^.!?]{0,24}$/iu,
  lasts:
    /(?<!\p{L})(займ[её]т|занимает|длится|продлится|уйд[её]т|около|через|за|ждать|подождите)\s*$/iu,
  hoursAfter: /^\s*(ежедневно|по\s|в будни|каждый|кроме)/i,
  rewrites: [
    [/(?<!\d)24\/7(?!\d)/g, "круглосуточно, без выходных"],
    [
      new RegExp(`(?<![\\p{L}\\d])${WEEKDAY}\\s?[–—-]\\s?${WEEKDAY}(?![\\p{L}\\d])`, "giu"),
      (_, from = "", to = "") => `с ${weekday(from, 1)} по ${weekday(to, 2)}`,
    ],
    // "сб 9–14", "вс выходной"
    [
      new RegExp(
        `(?<![\\p{L}\\d–-])${WEEKDAY}(?=:?\\s\\d{1,2}(?:[.:]\\d{2})?\\s?[–-]\\s?\\d{1,2}(?:[.:]\\d{2})?(?!\\d|\\s(?!ч)\\p{Ll}))`,
        "giu",
      ),
      (...parts) => dayIn(parts),
    ],
    [/(?<![\p{L}\d–-])вс\.?(?=\s(?:[–-]\s)?(?:выходной|закрыт))/giu, "воскресенье"],
    [/(?<![\p{L}\d–-])сб\.?(?=\s(?:[–-]\s)?(?:выходной|закрыт))/giu, "суббота"],
    // "в 10.30" is not a decimal fraction.
    [
      /(?<=(?:^|\s)(?:в|с|со|до|к|около|после)\s)(\d{1,2})\.([0-5]\d)(?=\s*(?:$|[,;!?)]|\.(?:\s|$)|[–-]|(?:до|по|и|утра|вечера|дня)(?!\p{L})))/giu,
      (written, hour = "", minute = "") => (Number(hour) > 24 ? written : `${hour}:${minute}`),
    ],
    [/(?<=(?:^|\s)на\s)(\d{1,2})\.(\d{2})(?=\sв\s\d)/giu, (written) => `${written}.`],
    [/(?<![\p{L}\d])#/gu, "решётку"],
    [/(?<=нажм\p{L}+\s(?:\S+\sили\s)?)\*/giu, "звёздочку"],
    [/(?<![\d/])1\/2(?![\d/])/g, "половина"],
    [/(?:№|(?<!\w)#(?=\s?\d))\s?/g, "номер "],
    [/(?<=\d )раб\. (?=дн)/g, "рабочих "],
    [/(?<=\d)\s?[×xх]\s?(?=\d)/g, " на "],
    [/(?<!\p{L})доб\.\s?(?=\d)/giu, "добавочный "],
    [/(?<=(?:^|\s)по\s)тел\.(?=\s?[+\d(:])/giu, "телефону"],
    [/(?<!\p{L})тел\.(?=\s?[+\d(:])/giu, "телефон"],
    [/(?<=(?:^|\s)на\s)ул\.(?=\s)/giu, "улице"],
    [/(?<=(?:^|\s)в\s)г\.(?=\s\p{Lu})/gu, "городе"],
    [/(?<!\p{L})ул\.(?=\s)/giu, "улица"],
    [/(?<!\p{L})(?:пр-т|просп\.|пр\.)(?=\s\p{Lu})/gu, "проспект"],
    [/(?<!\p{L})д\.\s?(?=\d)/gu, "дом "],
    [/(?<!\p{L})кв\.\s?(?=\d)/gu, "квартира "],
    [/(?<!\p{L})г\.(?=\s\p{Lu})/gu, "город"],
    [/(?<!\p{L})и т\. ?д\./giu, "и так далее"],
    [/(?<!\p{L})и т\. ?п\./giu, "и тому подобное"],
    [/(?<!\p{L})т\. ?е\./giu, "то есть"],
    [/(?<!\p{L})напр\./giu, "например"],
    [/(?<!\p{L}|\d\s?)см\.(?=\s)/giu, "смотрите"],
    [/(?<!\p{L})ПИН(?!\p{L})/gu, "пин"],
  ],
  inflected: [dayLists, namedDates, years, ordinals],
  date,
  clock,
  isDuration: () => true,
  hours,
  between: { words: ["между", "и"], times: timesBetween },
  caseAfter,
  genderOf: (unit) => NOUNS[unit][2],
  number,
  noun,
  agreement,
  span,
};
