/** Latvian: numerals by case and gender, definite ordinals for dates, counted nouns. */
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

const DIGITS = listOf("nulle viens divi trīs četri pieci seši septiņi astoņi deviņi");
const STEMS = listOf("null vien div tr četr piec seš septiņ astoņ deviņ");
const BARE = listOf("- - div trīs četr piec seš septiņ astoņ deviņ");

/** nominative genitive dative accusative instrumental locative; after "ar" the accusative is said. */
const ONE = { masculine: "s a am u u ā", feminine: "a as ai u u ā" };
const PLURAL = { masculine: "i u iem us us os", feminine: "as u ām as as ās" };
const THREE = {
  masculine: "trīs triju trim trīs trīs trijos",
  feminine: "trīs triju trim trīs trīs trijās",
};
const LARGE: readonly (readonly [size: number, one: string, many: string])[] = [
  [1e9, "miljards", "miljardi"],
  [1e6, "miljons", "miljoni"],
];

type Kind = "masculine" | "feminine";
const kindOf = (gender: Gender): Kind => (gender === "feminine" ? "feminine" : "masculine");

/** "1 dolārs", "2 dolāri", "10 dolāru". */
type Count = "one" | "few" | "none";
const plural = new Intl.PluralRules("lv");
function countOf(value: number): Count {
  const rule = plural.select(value);
  return rule === "one" ? "one" : rule === "zero" ? "none" : "few";
}

/** Hundreds and thousands have no ending in other cases: "pēc divsimt eiro". */
function cardinal(value: number, agreement: Agreement): string {
  if (value === 0) return "nulle";
  for (const [size, one, many] of LARGE) {
    if (value < size) continue;
    const count = Math.floor(value / size);
    const name = countOf(count) === "one" ? one : many;
    return joined(
      count === 1 ? "" : cardinal(count, NOMINATIVE),
      name,
      restOf(value % size, agreement),
    );
  }
  const isNominative = agreement.case === "nominative";
  for (const [size, one, many, bare] of [
    [1_000, "tūkstotis", "tūkstoši", "tūkstoš"],
    [100, "simts", "simti", "simt"],
  ] as const) {
    if (value < size) continue;
    const count = Math.floor(value / size);
    const rest = restOf(value % size, agreement);
    if (count === 1) return joined(isNominative ? one : bare, rest);
    if (!isNominative && count < 10) return joined(`${BARE[count] ?? ""}${bare}`, rest);
    const name = isNominative ? (countOf(count) === "one" ? one : many) : bare;
    return joined(cardinal(count, NOMINATIVE), name, rest);
  }
  return belowHundred(value, agreement);
}

const restOf = (value: number, agreement: Agreement) =>
  value === 0 ? "" : cardinal(value, agreement);

function belowHundred(value: number, { gender, case: wanted }: Agreement): string {
  if (value === 10) return "desmit";
  if (value > 10 && value < 20)
    return value === 11 ? "vienpadsmit" : `${BARE[value - 10] ?? ""}padsmit`;
  if (value >= 20) {
    const rest = restOf(value % 10, { gender, case: wanted });
    return joined(`${BARE[Math.floor(value / 10)] ?? ""}desmit`, rest);
  }
  const kind = kindOf(gender);
  if (value === 3) return formOf(THREE[kind], wanted);
  return `${STEMS[value] ?? ""}${formOf(value === 1 ? ONE[kind] : PLURAL[kind], wanted)}`;
}

const ORDINAL_STEMS = listOf(
  "null pirm otr treš ceturt piekt sest septīt astot devīt desmit vienpadsmit divpadsmit trīspadsmit četrpadsmit piecpadsmit sešpadsmit septiņpadsmit astoņpadsmit deviņpadsmit",
);
const ORDINAL_ENDINGS = {
  masculine: "ais ā ajam o o ajā",
  feminine: "ā ās ajai o o ajā",
};

/** "divdesmit ceturtajā". Only the last word is declined. */
function ordinal(value: number, kind: Kind, wanted: Case): string {
  const ending = formOf(ORDINAL_ENDINGS[kind], wanted);
  if (value >= 1_000) {
    const count = Math.floor(value / 1_000);
    const thousands = count === 1 ? "tūkstoš" : `${BARE[count] ?? ""}tūkstoš`;
    const rest = value % 1_000;
    return rest === 0 ? thousands + ending : `${thousands} ${ordinal(rest, kind, wanted)}`;
  }
  if (value >= 100) {
    const count = Math.floor(value / 100);
    const hundreds = count === 1 ? "simt" : `${BARE[count] ?? ""}simt`;
    const rest = value % 100;
    return rest === 0 ? hundreds + ending : `${hundreds} ${ordinal(rest, kind, wanted)}`;
  }
  if (value < 20) return (ORDINAL_STEMS[value] ?? "") + ending;
  const tens = `${BARE[Math.floor(value / 10)] ?? ""}desmit`;
  return value % 10 === 0 ? tens + ending : `${tens} ${ordinal(value % 10, kind, wanted)}`;
}

type NounForms = readonly [singular: string, plural: string, gender: Kind];

const masculine = (stem: string): NounForms => [
  `${stem}s ${stem}a ${stem}am ${stem}u ${stem}u ${stem}ā`,
  `${stem}i ${stem}u ${stem}iem ${stem}us ${stem}us ${stem}os`,
  "masculine",
];
const feminine = (stem: string): NounForms => [
  `${stem}a ${stem}as ${stem}ai ${stem}u ${stem}u ${stem}ā`,
  `${stem}as ${stem}u ${stem}ām ${stem}as ${stem}as ${stem}ās`,
  "feminine",
];
const feminineE = (stem: string, genitivePlural: string): NounForms => [
  `${stem}e ${stem}es ${stem}ei ${stem}i ${stem}i ${stem}ē`,
  `${stem}es ${genitivePlural} ${stem}ēm ${stem}es ${stem}es ${stem}ēs`,
  "feminine",
];
const EURO = "eiro eiro eiro eiro eiro eiro";

const NOUNS: Readonly<Record<Unit, NounForms>> = {
  euro: [EURO, EURO, "masculine"],
  cent: masculine("cent"),
  dollar: masculine("dolār"),
  pound: feminine("mārciņ"),
  penny: masculine("pens"),
  rouble: [
    "rublis rubļa rublim rubli rubli rublī",
    "rubļi rubļu rubļiem rubļus rubļus rubļos",
    "masculine",
  ],
  kopeck: feminine("kapeik"),
  percent: masculine("procent"),
  second: feminineE("sekund", "sekunžu"),
  minute: feminineE("minūt", "minūšu"),
  hour: feminine("stund"),
  day: feminine("dien"),
  week: feminine("nedēļ"),
  month: [
    "mēnesis mēneša mēnesim mēnesi mēnesi mēnesī",
    "mēneši mēnešu mēnešiem mēnešus mēnešus mēnešos",
    "masculine",
  ],
  year: masculine("gad"),
  metre: masculine("metr"),
  millimetre: masculine("milimetr"),
  centimetre: masculine("centimetr"),
  kilometre: masculine("kilometr"),
  kilogram: masculine("kilogram"),
  gram: masculine("gram"),
  milligram: masculine("miligram"),
  litre: masculine("litr"),
  millilitre: masculine("mililitr"),
  piece: masculine("gabal"),
  squareMetre: masculine("kvadrātmetr"),
  workday: feminine("darba\u00a0dien"),
  degree: masculine("grād"),
};

/**
 * Before a plural, every preposition takes the dative. Before a singular, each takes its own case.
 */
const SINGULAR: readonly (readonly [RegExp, Case])[] = [
  [/^(no|pēc|pirms|bez|aiz|virs|zem|kopš|pie)$/, "genitive"],
  [/^(līdz|pa)$/, "dative"],
  [/^(par|uz|ar|ap|caur|pret|starp|ik)$/, "accusative"],
];
const TAKES_ACCUSATIVE =
  /^(ne)?(maksā|(?:iz)?dzer|lieto|samaks|piemaks|apmaks|ilg[ts]|ilgs|gaid|uzgaid|aizņem|prasa|ietaup|saņem|dod|tērē|nopirk|pārdod|sver)/;
const isPreposition = (word: string) => SINGULAR.some(([pattern]) => pattern.test(word));

const GENITIVE_BEFORE = /^\s(atlaid|attālum|apmēr|braucien|gājien|temperatūr|laikā)/;

function caseAfter(before: string, amount: Amount, after = ""): Case {
  if (GENITIVE_BEFORE.test(after)) return "genitive";
  const word = governorOf(before);
  const isSingular = amount.fraction === "" && countOf(amount.whole) === "one";
  if (isPreposition(word))
    return isSingular ? (firstFitting(SINGULAR, word) ?? "dative") : "dative";
  return TAKES_ACCUSATIVE.test(word) ? "accusative" : "nominative";
}

const FEW_ENDINGS: readonly (readonly [RegExp, readonly [Kind, Case]])[] = [
  [/iem$/, ["masculine", "dative"]],
  [/(ām|ēm|īm)$/, ["feminine", "dative"]],
  [/us$/, ["masculine", "accusative"]],
  [/os$/, ["masculine", "locative"]],
  [/(ās|ēs|īs)$/, ["feminine", "locative"]],
  [/(as|es|is)$/, ["feminine", "nominative"]],
  [/u$/, ["masculine", "genitive"]],
  [/i$/, ["masculine", "nominative"]],
];
const ONE_ENDINGS: readonly (readonly [RegExp, readonly [Kind, Case]])[] = [
  [/(ai|ei)$/, ["feminine", "dative"]],
  [/(am|im|um)$/, ["masculine", "dative"]],
  [/(as|es)$/, ["feminine", "genitive"]],
  [/(ā|ē|ī)$/, ["feminine", "locative"]],
  [/(u|i)$/, ["masculine", "accusative"]],
  [/(s|š)$/, ["masculine", "nominative"]],
  [/(a|e)$/, ["feminine", "nominative"]],
];

const ATTRIBUTE = /^(darba|kalendāra)$/;

function agreement(amount: Amount, before: string, after: string): Agreement {
  const following = countedWordOf(after, ATTRIBUTE);
  const count = countOf(amount.whole);
  const governed = caseAfter(before, amount);
  const found =
    following === "eiro"
      ? null
      : firstFitting(count === "one" ? ONE_ENDINGS : FEW_ENDINGS, following);
  if (found === null) return { gender: "masculine", case: governed };
  const [gender, wanted] = found;
  if (count === "one" && /a$/.test(following) && governed === "genitive")
    return { gender: "masculine", case: "genitive" };
  return { gender, case: wanted };
}

function number({ whole, fraction }: Amount, wanted: Agreement): string {
  if (fraction === "") return cardinal(whole, wanted);
  const noughts = /^0*/.exec(fraction)?.[0].length ?? 0;
  const rest = fraction.slice(noughts);
  return joined(
    cardinal(whole, NOMINATIVE),
    "komats",
    ...Array.from({ length: noughts }, () => "nulle"),
    rest === "" ? "" : cardinal(Number(rest), NOMINATIVE),
  );
}

/** "desmit minūtes", but "desmit procentu". */
const IS_TIME: ReadonlySet<Unit> = new Set<Unit>([
  "second",
  "minute",
  "hour",
  "day",
  "week",
  "month",
  "year",
]);

function noun(unit: Unit, { whole, fraction }: Amount, wanted: Case): string {
  const [singular, pluralForms] = NOUNS[unit];
  if (fraction !== "") return formOf(pluralForms, wanted);
  const count = countOf(whole);
  if (count === "one") return formOf(singular, wanted);
  const isGenitive = count === "none" && wanted === "nominative" && !IS_TIME.has(unit);
  if (isGenitive) return formOf(pluralForms, "genitive");
  return formOf(pluralForms, wanted);
}

const MONTHS = listOf(
  "janvār februār mart aprīl maij jūnij jūlij august septembr oktobr novembr decembr",
);
/** "novembris", but "marts", "maijs" and "augusts". */
const IS_HARD = new Set(["mart", "maij", "jūnij", "jūlij", "august"]);
const monthForms = (stem: string): string =>
  IS_HARD.has(stem)
    ? `${stem}s ${stem}a ${stem}am ${stem}u ${stem}u ${stem}ā`
    : `${stem}is ${stem}a ${stem}im ${stem}i ${stem}i ${stem}ī`;

/** The day is the object of these verbs (understood, named, chosen), not the time of an event. */
const TAKES_DAY =
  /(?<!\p{L})(?:sapratu|dzirdēju|izvēlēj\p{L}+|izvēlieties|norādīj\p{L}+|nosauc\p{L}+|minēj\p{L}+|domāj\p{L}+|apstiprin\p{L}+|piedāvā\p{L}*|pieņem\p{L}*|atcel\p{L}*|main\p{L}+)\s*:?\s*$/iu;
/** "pirmdienu, 23. novembri": the day has the case of the weekday before it. */
const WEEKDAY_CASES: readonly (readonly [RegExp, Case])[] = [
  [/dienu,?\s*$/i, "accusative"],
  [/dienai,?\s*$/i, "dative"],
  [/dienas,?\s*$/i, "genitive"],
  [/diena,?\s*$/i, "nominative"],
];

/** On a day: the locative. "uz" and "par" take the accusative. */
function dayCase(before: string): Case {
  const governed = firstFitting(SINGULAR, lastWordOf(before));
  if (governed !== null) return governed;
  if (TAKES_DAY.test(before)) return "accusative";
  const weekday = firstFitting(WEEKDAY_CASES, before);
  if (weekday !== null) return weekday;
  return /(šodien ir|šodien|datums|datums:)\s*$/i.test(before) ? "nominative" : "locative";
}

function dateIn({ day, month, year }: CalendarDay, wanted: Case): string {
  const years = year === null ? "" : `${ordinal(year, "masculine", "genitive")} gada`;
  const named = formOf(monthForms(MONTHS[month - 1] ?? ""), wanted);
  return joined(years, ordinal(day, "masculine", wanted), named);
}

const HOURS_PLURAL = {
  locative: "os",
  dative: "iem",
};

/** "desmitos", "desmitiem", "divdesmit vienos". */
function hourIn(hour: number, wanted: "locative" | "dative"): string {
  if (hour === 0) return `divdesmit četr${HOURS_PLURAL[wanted]}`;
  const words = cardinal(hour, NOMINATIVE).split(" ");
  const last = hour % 10;
  if (hour > 20 && last !== 0)
    return `divdesmit ${last === 1 ? `vien${HOURS_PLURAL[wanted]}` : belowTenIn(last, wanted)}`;
  if (hour < 10) return hour === 1 ? `vien${HOURS_PLURAL[wanted]}` : belowTenIn(hour, wanted);
  return `${words.at(-1) ?? ""}${HOURS_PLURAL[wanted]}`;
}

const belowTenIn = (value: number, wanted: "locative" | "dative") =>
  value === 3
    ? `trij${HOURS_PLURAL[wanted]}`
    : cardinal(value, { gender: "masculine", case: wanted });

/** "desmitos", "desmitos trīsdesmit", "deviņos un piecās minūtēs". */
function clockIn({ hour, minute }: ClockTime, wanted: "locative" | "dative"): string {
  const said = hourIn(hour, wanted);
  if (minute === 0) return said;
  const isWhole = minute % 10 === 0 || (minute > 10 && minute < 20);
  if (isWhole) return `${said} ${cardinal(minute, NOMINATIVE)}`;
  const amount: Amount = { whole: minute, fraction: "" };
  const minutes = cardinal(minute, { gender: "feminine", case: wanted });
  return `${said} un ${minutes} ${noun("minute", amount, wanted)}`;
}

const TIME_WORD = /(pulksten|plkst\.?)\s*$/i;

/** "līdz divdesmit ceturtajam novembrim pulksten desmitiem" */
const DAY_IN_DATIVE = new RegExp(`(?:${MONTHS.join("|")})(?:im|am),?\\s*$`, "iu");

function clock(time: ClockTime, before: string): string {
  const hasWord = TIME_WORD.test(before);
  const beforeWord = before.replace(TIME_WORD, "");
  const isGoverned = isPreposition(lastWordOf(beforeWord)) || DAY_IN_DATIVE.test(beforeWord);
  if (isGoverned) return clockIn(time, "dative");
  return joined(hasWord ? "" : "pulksten", clockIn(time, "locative"));
}

/** "no deviņiem līdz septiņpadsmitiem" */
function hours(from: ClockTime, to: ClockTime, before: string): string {
  const prefix = lastWordOf(before) === "no" ? "" : "no";
  return joined(prefix, clockIn(from, "dative"), "līdz", clockIn(to, "dative"));
}

/** "deviņiem un vienpadsmitiem" */
const timesBetween = (from: ClockTime, to: ClockTime): string =>
  joined(clockIn(from, "dative"), "un", clockIn(to, "dative"));

function span(low: Amount, high: Amount, before: string, after: string): string {
  const agreed = agreement(high, before, after);
  const noun = countedWordOf(after, ATTRIBUTE);
  if (/(iem|ām|ēm)$/.test(noun)) {
    const dative: Agreement = { gender: agreed.gender, case: "dative" };
    return `${number(low, dative)} līdz ${number(high, dative)}`;
  }
  const gender = firstFitting(FEW_ENDINGS, noun)?.[0] ?? agreed.gender;
  return `${number(low, { ...agreed, gender })} līdz ${number(high, { ...agreed, gender })}`;
}

const YEAR = String.raw`(?:(\d{4})\.\s?gada\s)?`;
const NAMED_DATE = new RegExp(
  `(?<![\\p{L}\\d])${YEAR}(\\d{1,2})\\.\\s?(${MONTHS.join("|")})(is|s|a|im|am|i|u|ī|ā)(?!\\p{L})(?:\\s(\\d{4})\\.?(?:\\sgad[aāu])?)?`,
  "giu",
);
const MONTH_CASES: Readonly<Record<string, Case>> = {
  is: "nominative",
  s: "nominative",
  a: "genitive",
  im: "dative",
  am: "dative",
  i: "accusative",
  u: "accusative",
  ī: "locative",
  ā: "locative",
};

/** "24.–26. decembrī" */
const DAYS = new RegExp(
  `(?<![\\p{L}\\d])(?:no\\s)?(\\d{1,2})\\.?\\s?(?:[–-]|līdz)\\s?(\\d{1,2})\\.\\s?(${MONTHS.join("|")})(?:is|s|im|am|ī|ā)(?!\\p{L})`,
  "giu",
);
const daysSaid = (_: string, first: string, last: string, month: string) =>
  `no ${ordinal(Number(first), "masculine", "genitive")} līdz ${ordinal(Number(last), "masculine", "dative")} ${formOf(monthForms(month.toLowerCase()), "dative")}`;

/** "24., 25. un 26. decembrī" */
const DAY_LIST = new RegExp(
  `(?<![\\p{L}\\d])((?:\\d{1,2}\\.,\\s)*\\d{1,2}\\.\\s(?:un|vai)\\s)(?=\\d{1,2}\\.\\s(?:${MONTHS.join("|")})(is|s|a|im|am|i|u|ī|ā)(?!\\p{L}))`,
  "giu",
);
const dayLists = (text: string): string =>
  text.replace(DAY_LIST, (_, days: string, ending: string) =>
    days.replace(/(\d+)\./g, (__, day) =>
      ordinal(Number(day), "masculine", MONTH_CASES[ending.toLowerCase()] ?? "locative"),
    ),
  );

const namedDates = (text: string): string =>
  text.replace(DAYS, daysSaid).replace(NAMED_DATE, (...parts) => {
    const [, first, day, stem = "", ending = "", last] = parts as (string | undefined)[];
    const written = first ?? last;
    const calendarDay = {
      day: Number(day),
      month: MONTHS.indexOf(stem.toLowerCase()) + 1,
      year: written === undefined ? null : Number(written),
    };
    return dateIn(calendarDay, MONTH_CASES[ending.toLowerCase()] ?? "locative");
  });

const YEAR_CASES: Readonly<Record<string, Case>> = {
  gads: "nominative",
  gada: "genitive",
  gadam: "dative",
  gadu: "accusative",
  gadā: "locative",
};
const years = (text: string): string =>
  text
    .replace(
      /(?<!\d)([12]\d{3})\.?\s?[–-]\s?([12]\d{3})\.\s?g(?:\.|ad(?:s|iem|am|i)(?!\p{L}))/gu,
      (...parts) => {
        const from = ordinal(Number(parts[1]), "masculine", "genitive");
        const to = ordinal(Number(parts[2]), "masculine", "dative");
        return `no ${from} līdz ${to} gadam${sentenceEnd(String(parts[0]), afterOf(parts))}`;
      },
    )
    .replace(
      /(?<!\d)([12]\d{3})\.?\s(gad(?:s|a|am|u|ā))(?!\p{L})/gu,
      (_, year, word: string) =>
        `${ordinal(Number(year), "masculine", YEAR_CASES[word] ?? "genitive")} ${word}`,
    )
    .replace(
      /(?<!\d)([12]\d{3})\.\s?g\./gu,
      (_, year) => `${ordinal(Number(year), "masculine", "genitive")} gada`,
    );

const ORDINAL_NOUNS: readonly (readonly [RegExp, readonly [Kind, Case]])[] = [
  [/(ai|ei)$/, ["feminine", "dative"]],
  [/(am|im)$/, ["masculine", "dative"]],
  [/(as|es)$/, ["feminine", "genitive"]],
  [/(ā|ē|ī)$/, ["masculine", "locative"]],
  [/(u|i)$/, ["masculine", "accusative"]],
  [/(s|š)$/, ["masculine", "nominative"]],
  [/e$/, ["feminine", "nominative"]],
];
const isMasculineGenitive = (word: string) =>
  /^(stāva|kabineta|gada|gadsimta|dzīvokļa|numura|maršruta)$/.test(word);
/** "5. stāvā", "3. kabinets": a full stop between a number and a lower-case letter. */
const ordinals = (text: string): string =>
  text.replace(/(?<![\p{L}\d.,:])(\d{1,3})\.\s(?=(\p{Ll}+))/gu, (...parts) => {
    const [, value, next = ""] = parts as string[];
    // "1. un 2. stāvs"
    const following = /^(?:un|vai|līdz) \d{1,3}\.\s(\p{Ll}+)/u.exec(afterOf(parts))?.[1] ?? next;
    if (isMasculineGenitive(following))
      return `${ordinal(Number(value), "masculine", "genitive")} `;
    const found = firstFitting(ORDINAL_NOUNS, following) ?? (["feminine", "nominative"] as const);
    return `${ordinal(Number(value), found[0], found[1])} `;
  });

const WEEKDAYS: Readonly<Record<string, string>> = {
  p: "pirmdien",
  pr: "pirmdien",
  pirmd: "pirmdien",
  pirmdiena: "pirmdien",
  o: "otrdien",
  ot: "otrdien",
  otrd: "otrdien",
  otrdiena: "otrdien",
  t: "trešdien",
  tr: "trešdien",
  trešd: "trešdien",
  trešdiena: "trešdien",
  c: "ceturtdien",
  ce: "ceturtdien",
  ceturtd: "ceturtdien",
  ceturtdiena: "ceturtdien",
  pk: "piektdien",
  piektd: "piektdien",
  piektdiena: "piektdien",
  s: "sestdien",
  se: "sestdien",
  sestd: "sestdien",
  sestdiena: "sestdien",
  sv: "svētdien",
  svētd: "svētdien",
  svētdiena: "svētdien",
};
const WEEKDAY =
  "(pr|pirmd|ot|otrd|tr|trešd|ce|ceturtd|pk|piektd|se|sestd|sv|svētd|p|(?:pirm|otr|treš|ceturt|piekt|sest|svēt)diena)(?:\\.(?!\\s*$|\\s+\\p{Lu}))?";

const daysFromTo = (_: string, from = "", to = "") =>
  `no ${WEEKDAYS[from.toLowerCase()] ?? from}as līdz ${WEEKDAYS[to.toLowerCase()] ?? to}ai`;

/** "pusotras stundas", "divas ar pusi stundas", "pusotru gadu" */
function halves(parts: string[]): string {
  const [written = "", whole, named = ""] = parts;
  const before = beforeOf(parts);
  const end = sentenceEnd(written, afterOf(parts));
  const noun = named === "st." ? "stundas" : named;
  if (Number(whole) > 1) {
    const agreed = agreement({ whole: 2, fraction: "" }, before, ` ${noun}`);
    return `${cardinal(Number(whole), agreed)} ar pusi ${noun}${end}`;
  }
  const isHour = noun.startsWith("stund");
  if (TAKES_ACCUSATIVE.test(lastWordOf(before)))
    return `pusotru ${isHour ? "stundu" : "gadu"}${end}`;
  return `${isHour ? "pusotras stundas" : "pusotra gada"}${end}`;
}

export const LATVIAN: SpokenLanguage = {
  digits: DIGITS,
  signs: {
    at: "et",
    dot: "punkts",
    dash: "domuzīme",
    underscore: "pasvītra",
    slash: "slīpsvītra",
    plus: "plus",
    minus: "mīnus",
    and: "un",
  },
  per: { word: "", case: "locative" },
  decimalMark: ",",
  monthFirst: false,
  units: [
    ["€|EUR|eiro", "euro"],
    ["\\$|USD", "dollar"],
    ["£|GBP", "pound"],
    ["%", "percent"],
    ["sek\\.", "second"],
    ["min\\.?", "minute"],
    ["st\\.|h", "hour"],
    ["ned\\.", "week"],
    ["mēn\\.", "month"],
    ["d\\. ?d\\.", "workday"],
    ["d\\.", "day"],
    ["km", "kilometre"],
    ["kg", "kilogram"],
    ["mg", "milligram"],
    ["ml", "millilitre"],
    ["cm", "centimetre"],
    ["mm", "millimetre"],
    ["g", "gram"],
    ["m²|m2|kv\\. ?m\\.?", "squareMetre"],
    ["m", "metre"],
    ["l", "litre"],
    ["gab\\.", "piece"],
    ["°C?", "degree"],
  ],
  scales: [
    ["tūkst\\.", 1e3],
    ["milj\\.|mlj\\.", 1e6],
    ["mljrd\\.|miljrd\\.", 1e9],
  ],
  hourMark: "",
  timeWord: "plkst\\.?|pulksten",
  hoursBefore:
    /(strādā|darba laik|atvērt|pieņem|gaid|darbdien|pirmdien|otrdien|trešdien|ceturtdien|piektdien|sestdien|svētdien|katru dien)[^.!?]{0,24}$/iu,
  lasts: /(?!)/,
  hoursAfter: /^\s*(katru|darbdien|ik)/i,
  rewrites: [
    [/(?<!\d)24\/7(?!\d)/g, "visu diennakti, septiņas dienas nedēļā"],
    [
      new RegExp(`(?<![\\p{L}\\d])${WEEKDAY}\\s?[–—-]\\s?${WEEKDAY}(?![\\p{L}\\d])`, "giu"),
      daysFromTo,
    ],
    [/(?<![\p{L}\d])([POTCS])\.?\s?[–-]\s?(Pk|Sv|[OTCS])\.?(?=:?\s\d)/gu, daysFromTo],
    [/(?<=\d )d\.( ?d\.)?(?=\slaikā)/g, (_, isWork = "") => (isWork ? "darba dienu" : "dienu")],
    // "S 9–14", "Sv. slēgts"
    [
      /(?<![\p{L}\d–-])(Pk|Pr|Ot|Tr|Ce|Se|Sv|[POTCS])\.?(?=:?\s\d{1,2}(?:[.:]\d{2})?\s?[–-]\s?\d{1,2}(?:[.:]\d{2})?(?!\d|\s\p{Ll})|\s(?:[–-]\s)?slēgt)/gu,
      (_, day = "") => WEEKDAYS[day.toLowerCase()] ?? day,
    ],
    // The full stop belongs to the date.
    [/(?<=\d{1,2}\.\d{2}\.\d{4})\.(?=\s(?:plkst|pulksten|\d{1,2}:))/g, ""],
    [/(?<![\d.,])(\d{1,2}),5\s(st\.|(?:stund|gad)\p{L}+)/gu, (...parts) => halves(parts)],
    [/(?<!\p{L})plkst\.?(?=\s)/giu, "pulksten"],
    [/(?<![\p{L}\d])#/gu, "restīti"],
    [/(?<=spied\p{L}+\s(?:\S+\svai\s)?)\*/giu, "zvaigznīti"],
    [/(?<!\p{L})Nr\.\s?(?=\d)/giu, "numurs "],
    [/(?<![\d/])1\/2(?![\d/])/g, "puse"],
    [/(?:№|(?<!\w)#(?=\s?\d))\s?/g, "numurs "],
    [/(?<=\d)\s?[×x]\s?(?=\d)/g, " reiz "],
    [/(?<=\d\s)g\. ?v\./g, "gadu vecumam"],
    [/(?<=\d\.\s)gs\.(?=\s\p{Ll})/gu, "gadsimta"],
    [/(?<=(?:^|\s)pa\s)(?:tālr|tel)\.(?=\s?[+\d(:])/giu, "tālruni"],
    [/(?<!\p{L})(tālr|tel)\.(?=\s?[+\d(:])/giu, "tālrunis"],
    [/(?<!\p{L})piem\./giu, "piemēram"],
    [/(?<!\p{L})t\. ?i\./giu, "tas ir"],
    [/(?<!\p{L})u\. ?c\./giu, "un citi"],
    [/(?<!\p{L})utt\./giu, "un tā tālāk"],
    [/(?<!\p{L})skat\./giu, "skatiet"],
    [/(?<!\p{L})PIN(?!\p{L})/gu, "pin"],
  ],
  inflected: [dayLists, namedDates, years, ordinals],
  date: (day, before) => dateIn(day, dayCase(before)),
  clock,
  isDuration: () => false,
  hours,
  between: { words: ["starp", "un"], times: timesBetween },
  caseAfter,
  genderOf: (unit) => NOUNS[unit][2],
  number,
  noun,
  agreement,
  span,
};
