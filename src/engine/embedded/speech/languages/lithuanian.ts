/** Lithuanian: numerals by case and gender, ordinals for days and hours, counted nouns. */
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
  type SpokenLanguage,
  sentenceEnd,
  type Unit,
} from "./spoken-language.ts";

const DIGITS = listOf("nulis vienas du trys keturi penki šeši septyni aštuoni devyni");
const TEENS = listOf(
  "vienuolika dvylika trylika keturiolika penkiolika šešiolika septyniolika aštuoniolika devyniolika",
);
const TENS = listOf(
  "dešimt dvidešimt trisdešimt keturiasdešimt penkiasdešimt šešiasdešimt septyniasdešimt aštuoniasdešimt devyniasdešimt",
);

/** nominative genitive dative accusative instrumental locative */
const ONE: Readonly<Record<Gender, string>> = {
  masculine: "vienas vieno vienam vieną vienu viename",
  feminine: "viena vienos vienai vieną viena vienoje",
  neuter: "vienas vieno vienam vieną vienu viename",
  collective: "vieneri vienerių vieneriems vienerius vieneriais vieneriuose",
};
const TWO = {
  masculine: "du dviejų dviem du dviem dviejuose",
  feminine: "dvi dviejų dviem dvi dviem dviejose",
};
const THREE = {
  masculine: "trys trijų trims tris trimis trijuose",
  feminine: "trys trijų trims tris trimis trijose",
};
const FOUR_TO_NINE = {
  masculine: "i ių iems is iais iuose",
  feminine: "ios ių ioms ias iomis iose",
};
const STEMS = listOf("- - - - ketur penk šeš septyn aštuon devyn");
const COLLECTIVE = listOf("- - dvej trej ketver penker šešer septyner aštuoner devyner");
const COLLECTIVE_ENDINGS = "i ų iems us ais uose";
const NOUGHT = "nulis nulio nuliui nulį nuliu nulyje";
const SCALES: readonly (readonly [size: number, one: string, many: string])[] = [
  [1e9, "milijardas milijardo milijardui milijardą milijardu milijarde", "milijard"],
  [1e6, "milijonas milijono milijonui milijoną milijonu milijone", "milijon"],
];
const MANY_ENDINGS = "ai ų ams us ais uose";
const HUNDRED = ["šimtas šimto šimtui šimtą šimtu šimte", "šimt"] as const;
const THOUSAND = [
  "tūkstantis tūkstančio tūkstančiui tūkstantį tūkstančiu tūkstantyje",
  "tūkstanči",
] as const;

type Count = "one" | "few" | "many";
const plural = new Intl.PluralRules("lt");

/** "1 euras", "2 eurai", "10 eurų". */
function countOf(value: number): Count {
  const rule = plural.select(value);
  return rule === "one" || rule === "few" ? rule : "many";
}

function cardinal(value: number, { gender, case: wanted }: Agreement): string {
  if (value === 0) return formOf(NOUGHT, wanted);
  for (const [size, one, many] of SCALES)
    if (value >= size) return scaled(value, size, one, many, { gender, case: wanted });
  if (value >= 1_000) return scaled(value, 1_000, ...THOUSAND, { gender, case: wanted });
  if (value >= 100) return scaled(value, 100, ...HUNDRED, { gender, case: wanted });
  return belowHundred(value, { gender, case: wanted });
}

function scaled(
  value: number,
  size: number,
  one: string,
  many: string,
  agreement: Agreement,
): string {
  const count = Math.floor(value / size);
  const rest = value % size;
  const ofScale: Agreement = { gender: "masculine", case: agreement.case };
  const forms: Readonly<Record<Count, () => string>> = {
    one: () => joined(count === 1 ? "" : cardinal(count, ofScale), formOf(one, agreement.case)),
    few: () => `${cardinal(count, ofScale)} ${many}${formOf(MANY_ENDINGS, agreement.case)}`,
    many: () => `${cardinal(count, ofScale)} ${many}ų`,
  };
  return joined(forms[countOf(count)](), rest === 0 ? "" : cardinal(rest, agreement));
}

function belowHundred(value: number, agreement: Agreement): string {
  if (value < 10) return belowTen(value, agreement);
  if (value > 10 && value < 20) {
    const teen = TEENS[value - 11] ?? "";
    if (agreement.case === "genitive") return `${teen}s`.replace(/as$/, "os");
    return agreement.case === "dative" ? `${teen}i` : teen;
  }
  const tens = TENS[Math.floor(value / 10) - 1] ?? "";
  if (value % 10 === 0) return agreement.case === "genitive" ? `${tens}ies` : tens;
  return `${tens} ${belowTen(value % 10, agreement)}`;
}

function belowTen(value: number, { gender, case: wanted }: Agreement): string {
  if (value === 1) return formOf(ONE[gender], wanted);
  if (gender === "collective") return collective(value, wanted);
  const kind = gender === "feminine" ? "feminine" : "masculine";
  if (value === 2) return formOf(TWO[kind], wanted);
  if (value === 3) return formOf(THREE[kind], wanted);
  return `${STEMS[value] ?? ""}${formOf(FOUR_TO_NINE[kind], wanted)}`;
}

/** "dveji metai", "ketverių metų". */
function collective(value: number, wanted: Case): string {
  const stem = COLLECTIVE[value] ?? "";
  const isSoft = value >= 4;
  const ending = formOf(COLLECTIVE_ENDINGS, wanted);
  return isSoft && /^[uaų]/.test(ending) ? `${stem}i${ending}` : stem + ending;
}

const ORDINAL_STEMS = listOf(
  "nulin pirm antr treči ketvirt penkt šešt septint aštunt devint dešimt vienuolikt dvylikt trylikt keturiolikt penkiolikt šešiolikt septyniolikt aštuoniolikt devyniolikt",
);
const ORDINAL_ENDINGS = {
  masculine: "as o am ą u ame",
  feminine: "a os ai ą a oje",
  plural: "i ų iems us ais uose",
  definite: "asis ojo ajam ąjį uoju ajame",
  "definite feminine": "oji osios ajai ąją ąja ojoje",
};

type OrdinalKind = keyof typeof ORDINAL_ENDINGS;

/** "dvidešimt ketvirtą". Only the last word is declined. */
function ordinal(value: number, kind: OrdinalKind, wanted: Case): string {
  const ending = formOf(ORDINAL_ENDINGS[kind], wanted);
  const nominative: Agreement = { gender: "masculine", case: "nominative" };
  if (value >= 1_000 && value % 1_000 === 0) {
    const count = value / 1_000;
    return `${count === 1 ? "" : cardinal(count, nominative).replace(/\s/g, "")}tūkstant${ending}`;
  }
  if (value >= 100 && value % 100 === 0) return cardinal(value, nominative);
  if (value >= 100) return `${head(value, 100)} ${ordinal(value % 100, kind, wanted)}`;
  if (value < 20) return `${ORDINAL_STEMS[value] ?? ""}${ending}`;
  const tens = TENS[Math.floor(value / 10) - 1] ?? "";
  return value % 10 === 0 ? tens + ending : `${tens} ${ordinal(value % 10, kind, wanted)}`;
}

const head = (value: number, size: number) =>
  value < size ? "" : cardinal(value - (value % size), { gender: "masculine", case: "nominative" });

/** Singular and plural, nominative genitive dative accusative instrumental locative. */
type NounForms = readonly [singular: string, plural: string, gender: Gender];

const masculine = (stem: string): NounForms => [
  `${stem}as ${stem}o ${stem}ui ${stem}ą ${stem}u ${stem}e`,
  `${stem}ai ${stem}ų ${stem}ams ${stem}us ${stem}ais ${stem}uose`,
  "masculine",
];
const soft = (stem: string): NounForms => [
  `${stem}is ${stem}io ${stem}iui ${stem}į ${stem}iu ${stem}yje`,
  `${stem}iai ${stem}ių ${stem}iams ${stem}ius ${stem}iais ${stem}iuose`,
  "masculine",
];
const feminine = (stem: string): NounForms => [
  `${stem}a ${stem}os ${stem}ai ${stem}ą ${stem}a ${stem}oje`,
  `${stem}os ${stem}ų ${stem}oms ${stem}as ${stem}omis ${stem}ose`,
  "feminine",
];
const feminineE = (stem: string, genitivePlural: string): NounForms => [
  `${stem}ė ${stem}ės ${stem}ei ${stem}ę ${stem}e ${stem}ėje`,
  `${stem}ės ${genitivePlural} ${stem}ėms ${stem}es ${stem}ėmis ${stem}ėse`,
  "feminine",
];

const NOUNS: Readonly<Record<Unit, NounForms>> = {
  euro: masculine("eur"),
  cent: masculine("cent"),
  dollar: soft("doler"),
  pound: masculine("svar"),
  penny: masculine("pens"),
  rouble: soft("rubl"),
  kopeck: feminine("kapeik"),
  percent: masculine("procent"),
  second: feminineE("sekund", "sekundžių"),
  minute: feminineE("minut", "minučių"),
  hour: feminine("valand"),
  day: feminine("dien"),
  week: feminineE("savait", "savaičių"),
  month: [
    "mėnuo mėnesio mėnesiui mėnesį mėnesiu mėnesyje",
    "mėnesiai mėnesių mėnesiams mėnesius mėnesiais mėnesiuose",
    "masculine",
  ],
  year: [
    "metai metų metams metus metais metuose",
    "metai metų metams metus metais metuose",
    "collective",
  ],
  metre: masculine("metr"),
  millimetre: masculine("milimetr"),
  centimetre: masculine("centimetr"),
  kilometre: masculine("kilometr"),
  kilogram: masculine("kilogram"),
  gram: masculine("gram"),
  milligram: masculine("miligram"),
  litre: masculine("litr"),
  millilitre: masculine("mililitr"),
  piece: masculine("vienet"),
  // Two words, both declined.
  squareMetre: [
    "kvadratinis\u00a0metras kvadratinio\u00a0metro kvadratiniam\u00a0metrui kvadratinį\u00a0metrą kvadratiniu\u00a0metru kvadratiniame\u00a0metre",
    "kvadratiniai\u00a0metrai kvadratinių\u00a0metrų kvadratiniams\u00a0metrams kvadratinius\u00a0metrus kvadratiniais\u00a0metrais kvadratiniuose\u00a0metruose",
    "masculine",
  ],
  workday: feminine("darbo\u00a0dien"),
  degree: [
    "laipsnis laipsnio laipsniui laipsnį laipsniu laipsnyje",
    "laipsniai laipsnių laipsniams laipsnius laipsniais laipsniuose",
    "masculine",
  ],
};

/** Case by the last word before a quantity. */
const GOVERNED: readonly (readonly [RegExp, Case])[] = [
  [/^(nuo|iki|be|po|prie|ant|dėl|iš|virš|tarp|arti|ne mažiau|netoli|daugiau|mažiau)$/, "genitive"],
  [/^(už|per|apie|į|pas|prieš|kas|pro)$/, "accusative"],
  [/^(su|sulig)$/, "instrumental"],
  [/^likus$/, "dative"],
  [
    /^(ne)?(kainuo|(?:iš)?ger[kt]|kainav|mok[ėa]|sumok|primok|užmok|apmok|trunk|truks|truko|užtruk|užtrunk|lauk(?:ti|ia|ki|s)|sver|palauk[it]|skir|sutaup|gaus|gaunat|gaut|gauk|praleis|perk|suteik|galio|dirb|duo|turi|turė|priėm|sudar)/,
    "accusative",
  ],
];

const GENITIVE_BEFORE = /^\s(temperatūr|atstum|spindul)/;

const caseAfter = (before: string, _?: Amount, after = ""): Case =>
  GENITIVE_BEFORE.test(after)
    ? "genitive"
    : (firstFitting(GOVERNED, governorOf(before)) ?? "nominative");

const FEW_ENDINGS: readonly (readonly [RegExp, readonly [Gender, Case]])[] = [
  [/^žmonės$/, ["masculine", "nominative"]],
  [/^žmones$/, ["masculine", "accusative"]],
  [/met(ai)$/, ["collective", "nominative"]],
  [/^metų$/, ["collective", "genitive"]],
  [/^metus$/, ["collective", "accusative"]],
  [/^metams$/, ["collective", "dative"]],
  [/^metais$/, ["collective", "instrumental"]],
  [/(ams|iems|ims)$/, ["masculine", "dative"]],
  [/(oms|ėms)$/, ["feminine", "dative"]],
  [/(omis|ėmis)$/, ["feminine", "instrumental"]],
  [/ais$/, ["masculine", "instrumental"]],
  [/uose$/, ["masculine", "locative"]],
  [/(ose|ėse)$/, ["feminine", "locative"]],
  [/ų$/, ["masculine", "genitive"]],
  [/us$/, ["masculine", "accusative"]],
  [/(os|ės)$/, ["feminine", "nominative"]],
  [/(as|es)$/, ["feminine", "accusative"]],
];
const ONE_ENDINGS: readonly (readonly [RegExp, readonly [Gender, Case]])[] = [
  [/^(metai)$/, ["collective", "nominative"]],
  [/^metų$/, ["collective", "genitive"]],
  [/^metus$/, ["collective", "accusative"]],
  [/[ąęį]$/, ["masculine", "accusative"]],
  [/(os|ės)$/, ["feminine", "genitive"]],
  [/o$/, ["masculine", "genitive"]],
  [/(oje|ėje)$/, ["feminine", "locative"]],
  [/(ai|ei)$/, ["feminine", "dative"]],
  [/ui$/, ["masculine", "dative"]],
  [/(a|ė)$/, ["feminine", "nominative"]],
  [/e$/, ["masculine", "locative"]],
];

const ATTRIBUTE = /^(darbo|kalendoriaus)$/;

function agreement(amount: Amount, before: string, after: string): Agreement {
  const noun = countedWordOf(after, ATTRIBUTE);
  const governed = caseAfter(before);
  const count = countOf(amount.whole);
  if (count === "many") {
    const oblique = /(ams|oms|ėms|iems)$/.test(noun) ? "dative" : governed;
    return { gender: "masculine", case: oblique };
  }
  // "laukia penki klientai": no other case has this ending.
  if (count === "few" && governed === "accusative" && /(?<!^(?:meta|ik))i$|^žmonės$/.test(noun))
    return { gender: "masculine", case: "nominative" };
  const found = firstFitting(count === "one" ? ONE_ENDINGS : FEW_ENDINGS, noun);
  if (found === null) return { gender: "masculine", case: governed };
  const [gender, wanted] = found;
  // "dvi" and "trys" are the accusative, too.
  return { gender, case: wanted === "nominative" && governed === "accusative" ? governed : wanted };
}

const FRACTION_NAMES = "kablelis";

function number({ whole, fraction }: Amount, wanted: Agreement): string {
  if (fraction === "") return cardinal(whole, wanted);
  if (fraction === "5" && whole > 0) return `${cardinal(whole, wanted)} su puse`;
  const nominative: Agreement = { gender: "masculine", case: "nominative" };
  const noughts = /^0*/.exec(fraction)?.[0].length ?? 0;
  const rest = fraction.slice(noughts);
  return joined(
    cardinal(whole, nominative),
    FRACTION_NAMES,
    ...Array.from({ length: noughts }, () => "nulis"),
    rest === "" ? "" : cardinal(Number(rest), nominative),
  );
}

function noun(unit: Unit, { whole, fraction }: Amount, wanted: Case): string {
  const [singular, pluralForms] = NOUNS[unit];
  if (fraction !== "") return formOf(unit === "year" ? pluralForms : singular, "genitive");
  const count = countOf(whole);
  if (count === "one") return formOf(singular, wanted);
  if (count === "few" || wanted === "dative") return formOf(pluralForms, wanted);
  return formOf(pluralForms, "genitive");
}

const MONTHS = listOf(
  "sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio",
);

function dayCase(before: string): Case {
  const governed = caseAfter(before);
  if (governed === "genitive") return "genitive";
  return /(šiandien|šiandien yra|data|data:|rytoj)\s*$/i.test(before) ? "nominative" : "accusative";
}

function date({ day, month, year }: CalendarDay, before: string): string {
  const years = year === null ? "" : `${ordinal(year, "plural", "genitive")} metų`;
  return joined(years, MONTHS[month - 1] ?? "", ordinal(day, "feminine", dayCase(before)));
}

/** "dešimtą valandą", "dešimtą trisdešimt", "devintą valandą penkios minutės". */
function clockIn({ hour, minute }: ClockTime, wanted: Case): string {
  const said = ordinal(hour === 0 ? 24 : hour, "feminine", wanted);
  if (minute === 0) return `${said} ${formOf(NOUNS.hour[0], wanted)}`;
  // "iki septintos trisdešimt", but "iki septintos keturiasdešimt penkių".
  const isDeclined = wanted === "genitive" && minute > 20 && minute % 10 > 0;
  if (minute >= 10)
    return `${said} ${cardinal(minute, isDeclined ? { ...MINUTES, case: wanted } : MINUTES)}`;
  const minutes = noun("minute", { whole: minute, fraction: "" }, "nominative");
  return joined(said, formOf(NOUNS.hour[0], wanted), cardinal(minute, MINUTES), minutes);
}

const MINUTES: Agreement = { gender: "feminine", case: "nominative" };

/** "iki lapkričio dvidešimt ketvirtos aštuonioliktos valandos" */
const DAY_IN_GENITIVE = new RegExp(
  `(?:${MONTHS.join("|")})\\s(?:\\p{L}+\\s)?\\p{L}+os,?\\s*$`,
  "iu",
);

function clock(time: ClockTime, before: string): string {
  const isGenitive = caseAfter(before) === "genitive" || DAY_IN_GENITIVE.test(before);
  return clockIn(time, isGenitive ? "genitive" : "accusative");
}

/** "per 24 val.", "truks 2 val.". A small number of hours is a time of day only next to a day. */
const LASTS =
  /(?:^|\s)(per|už|kas|trunka|truks|truko|užtruks|užtrunka|bent|mažiausiai|daugiausiai?|palaukite|laukti|vos|tik|liko|lieka|dar)(?:\s(?:apie|maždaug))?\s*$/iu;
const ON_A_DAY = /(dieną|dienį|rytoj|šiandien|vakar|poryt|nuo|tarp|\p{L}(?:t|m|či|r)ą),?\s*$/iu;

const PART_OF_DAY = /^\s(ryto|ryte|vakaro|nakties|dienos|popiet)(?!\p{L})/u;

const isDuration = (hour: number, before: string, after: string): boolean =>
  !PART_OF_DAY.test(after) &&
  (hour === 24 || LASTS.test(before) || (hour < 7 && !ON_A_DAY.test(before)));

/** "nuo devintos iki septynioliktos valandos" */
function hours(from: ClockTime, to: ClockTime, before: string): string {
  const start = clockIn(from, "genitive").replace(/ valandos$/, "");
  const prefix = lastWordOf(before) === "nuo" ? "" : "nuo";
  return joined(prefix, start, "iki", clockIn(to, "genitive"));
}

/** "dešimtos ir dvyliktos valandos" */
const timesBetween = (from: ClockTime, to: ClockTime): string =>
  joined(clockIn(from, "genitive").replace(/ valandos$/, ""), "ir", clockIn(to, "genitive"));

function span(low: Amount, high: Amount, before: string, after: string): string {
  const agreed = agreement(high, before, after);
  const noun = countedWordOf(after, ATTRIBUTE);
  if (/ų$/.test(noun) && caseAfter(before) !== "genitive") {
    const genitive: Agreement = { gender: agreed.gender, case: "genitive" };
    return `nuo ${number(low, genitive)} iki ${number(high, genitive)}`;
  }
  const gender = firstFitting(FEW_ENDINGS, noun)?.[0] ?? agreed.gender;
  const joint = high.whole - low.whole === 1 ? " ar " : "–";
  return number(low, { ...agreed, gender }) + joint + number(high, { ...agreed, gender });
}

const DAY = String.raw`(\d{1,2})(?:\s?d\.|\s(?:dieną|dienos|diena)|(?!\d|[.,:]\d|-\p{L}|\s?(?:m\.|val|€|eur)))`;
const YEAR = String.raw`(?:(\d{4})\s?(?:m\.|metų)\s)?`;
const NAMED_DATE = new RegExp(`(?<![\\p{L}\\d])${YEAR}(${MONTHS.join("|")})\\s${DAY}`, "giu");

/** "gruodžio 24–26 d." */
const DAYS = new RegExp(
  `(?<![\\p{L}\\d])(?:nuo\\s)?(${MONTHS.join("|")})\\s(\\d{1,2})\\s?(?:[–-]|d\\. iki|iki)\\s?(\\d{1,2})(?:\\s?d\\.|\\sdienos)`,
  "giu",
);
function daysSaid(...parts: string[]): string {
  const [whole = "", month = "", first, last] = parts;
  const from = ordinal(Number(first), "feminine", "genitive");
  const to = ordinal(Number(last), "feminine", "genitive");
  return `nuo ${month} ${from} iki ${to}${sentenceEnd(whole, afterOf(parts))}`;
}

/** "lapkričio mėn.", but "lapkričio mėn. 24 d." */
const MONTH_SHORT = new RegExp(`(?<=(?:${MONTHS.join("|")})\\s)mėn\\.(\\s?(?=\\d))?`, "giu");
const monthsSaid = (text: string): string =>
  text.replace(MONTH_SHORT, (...parts) => {
    if (parts[1] !== undefined) return "";
    const isGenitive = /(?:^|\s)(?:nuo|iki|po|be|dėl)\s\S+\s$/iu.test(beforeOf(parts));
    const isOwned = /^\s(?:pabaig|pradži|vidur|pirm|antr|paskutin)/iu.test(afterOf(parts));
    return (
      formOf(NOUNS.month[0], isGenitive || isOwned ? "genitive" : "accusative") +
      sentenceEnd(".", afterOf(parts))
    );
  });

const namedDates = (text: string): string =>
  text.replace(DAYS, daysSaid).replace(NAMED_DATE, (...parts) => {
    const [, year, month, day] = parts as [string, string | undefined, string, string];
    const isCapital = /^\p{Lu}/u.test(String(parts[0]));
    const said = date(
      {
        day: Number(day),
        month: MONTHS.indexOf(month.toLowerCase()) + 1,
        year: year === undefined ? null : Number(year),
      },
      beforeOf(parts),
    );
    const end = sentenceEnd(String(parts[0]), afterOf(parts));
    return (isCapital ? said.charAt(0).toUpperCase() + said.slice(1) : said) + end;
  });

const YEAR_CASES: Readonly<Record<string, Case>> = {
  metais: "instrumental",
  metų: "genitive",
  metams: "dative",
  metus: "accusative",
  metuose: "locative",
};
/** "2026 m." and "2026 metais". */
const years = (text: string): string =>
  text
    .replace(
      /(?<![\d,.])(\d{1,2})\s?m\.(?=\s\p{Ll})/gu,
      (_, count) => `${cardinal(Number(count), { gender: "collective", case: "genitive" })} metų`,
    )
    .replace(/(?<!\d)([12]\d{3})\s?[–-]\s?([12]\d{3})\s?m\./gu, (...parts) => {
      const [from, to] = [parts[1], parts[2]].map((year) =>
        ordinal(Number(year), "plural", "genitive"),
      );
      return `nuo ${from} iki ${to} metų${sentenceEnd(".", afterOf(parts))}`;
    })
    .replace(
      /(?<!\d)([12]\d{3})\s?m\./gu,
      (...parts) =>
        `${ordinal(Number(parts[1]), "plural", "genitive")} metų${sentenceEnd(".", afterOf(parts))}`,
    )
    .replace(
      /(?<!\d)([12]\d{3})\s(met(?:ais|ų|ams|us|uose))(?!\p{L})/gu,
      (_, year, word: string) =>
        `${ordinal(Number(year), "plural", YEAR_CASES[word] ?? "genitive")} ${word}`,
    );

const SUFFIXES: readonly (readonly [RegExp, readonly [OrdinalKind, Case]])[] = [
  [/^(as|is)$/, ["masculine", "nominative"]],
  [/^o$/, ["masculine", "genitive"]],
  [/^am$/, ["masculine", "dative"]],
  [/^i?ą$/, ["feminine", "accusative"]],
  [/^i?a$/, ["feminine", "nominative"]],
  [/^i?os$/, ["feminine", "genitive"]],
  [/^ame$/, ["masculine", "locative"]],
  [/^oje$/, ["feminine", "locative"]],
  [/^i?asis$/, ["definite", "nominative"]],
  [/^i?ojo$/, ["definite", "genitive"]],
  [/^i?ąjį$/, ["definite", "accusative"]],
  [/^i?ajame$/, ["definite", "locative"]],
  [/^i?oji$/, ["definite feminine", "nominative"]],
  [/^i?osios$/, ["definite feminine", "genitive"]],
  [/^i?ąją$/, ["definite feminine", "accusative"]],
  [/^i?ojoje$/, ["definite feminine", "locative"]],
];
const ROMAN = listOf("I II III IV V VI VII VIII IX X");
/** "5-as", "3-ą", "2-ame aukšte", "II aukšte". */
const ordinals = (text: string): string =>
  text
    .replace(
      /(?<=(?:^|\s)(?:nuo|iki|po)\s)(\d{1,2})\svalandos(?!\p{L})/giu,
      (_, hour) => `${ordinal(Number(hour), "feminine", "genitive")} valandos`,
    )
    .replace(
      /(?<![\p{L}\d])(\d{1,4})-(as|is|o|am|ią|ia|ios|ą|a|os|ame|oje|i?(?:asis|ojo|ąjį|ajame|oji|osios|ąją|ojoje))(?!\p{L})/gu,
      (whole, value, suffix) => {
        const found = firstFitting(SUFFIXES, suffix);
        return found === null ? whole : ordinal(Number(value), found[0], found[1]);
      },
    )
    .replace(
      /(?<![\p{L}\d])(I{1,3}|IV|VI{0,3}|IX|X)(?=\saukšt(as|e)(?!\p{L}))/gu,
      (_, value: string, ending) =>
        ordinal(ROMAN.indexOf(value) + 1, "masculine", ending === "e" ? "locative" : "nominative"),
    )
    .replace(
      /(?<![\p{L}\d])(\d{1,3})\s((?:aukšt|kabinet|peron)(?:as|o|ui|ą|e)|(?:kambar|puslap)(?:[yi]s|io|iui|į|yje))(?!\p{L})/gu,
      (...parts) => {
        const [whole = "", value, noun = ""] = parts as string[];
        const wanted = firstFitting(PLACE_CASES, noun) ?? "nominative";
        // "turime vieną kambarį", but "į pirmą kambarį"
        const mayCount = wanted === "accusative" && countOf(Number(value)) === "one";
        if (mayCount && lastWordOf(beforeOf(parts)) !== "į") return whole;
        return `${ordinal(Number(value), "masculine", wanted)} ${noun}`;
      },
    );
const PLACE_CASES: readonly (readonly [RegExp, Case])[] = [
  [/o$/, "genitive"],
  [/ui$/, "dative"],
  [/[ąį]$/, "accusative"],
  [/e$/, "locative"],
];

/** "daktaras Petraitis", "pas daktarę Jonaitienę": the name's ending gives gender and case. */
const TITLES: Readonly<Record<string, readonly [masculine: string, feminine: string]>> = {
  dr: ["daktar as o ui ą u", "daktar ė ės ei ę e"],
  gyd: ["gydytoj as o ui ą u", "gydytoj a os ai ą a"],
};
const NAME_ENDINGS: readonly (readonly [RegExp, readonly [isFeminine: 0 | 1, ending: number]])[] = [
  [/(as|is|ys)$/, [0, 1]],
  [/(aus|o)$/, [0, 2]],
  [/us$/, [0, 1]],
  [/ui$/, [0, 3]],
  [/[ąįų]$/, [0, 4]],
  [/u$/, [0, 5]],
  [/(ė|a)$/, [1, 1]],
  [/(ės|os)$/, [1, 2]],
  [/(ei|ai)$/, [1, 3]],
  [/ę$/, [1, 4]],
  [/e$/, [1, 5]],
];
function titled(_: string, written = "", name = ""): string {
  const [isFeminine, ending] = firstFitting(NAME_ENDINGS, name) ?? [0, 1];
  const [stem = "", ...endings] = listOf(TITLES[written.toLowerCase()]?.[isFeminine] ?? "");
  return `${stem}${endings[ending - 1] ?? ""} ${name}`;
}

/** "lapkričio 24, 25 ir 26 d." */
const DAY_LIST = new RegExp(
  `(?<=((?:${MONTHS.join("|")})\\s))((?:\\d{1,2},\\s)*\\d{1,2}\\s(?:ir|arba)\\s\\d{1,2})\\s?d\\.`,
  "giu",
);
const dayLists = (text: string): string =>
  text.replace(DAY_LIST, (...parts) => {
    const [written = "", month = "", days = ""] = parts as string[];
    const wanted = dayCase(beforeOf(parts).slice(0, -month.length));
    const said = days.replace(/\d+/g, (day) => ordinal(Number(day), "feminine", wanted));
    return said + sentenceEnd(written, afterOf(parts));
  });

const WEEKDAYS: Readonly<Record<string, string>> = {
  i: "pirmadien",
  pr: "pirmadien",
  pirm: "pirmadien",
  pirmadienis: "pirmadien",
  ii: "antradien",
  an: "antradien",
  antr: "antradien",
  antradienis: "antradien",
  iii: "trečiadien",
  tr: "trečiadien",
  treč: "trečiadien",
  trečiadienis: "trečiadien",
  iv: "ketvirtadien",
  kt: "ketvirtadien",
  ketv: "ketvirtadien",
  ketvirtadienis: "ketvirtadien",
  v: "penktadien",
  pn: "penktadien",
  penkt: "penktadien",
  penktadienis: "penktadien",
  vi: "šeštadien",
  št: "šeštadien",
  šešt: "šeštadien",
  šeštadienis: "šeštadien",
  vii: "sekmadien",
  sk: "sekmadien",
  sekm: "sekmadien",
  sekmadienis: "sekmadien",
};
const WEEKDAY =
  "(VII|VI|IV|V|III|II|I|pr|pirm|an|antr|tr|treč|kt|ketv|pn|penkt|št|šešt|sk|sekm|(?:pirma|antra|trečia|ketvirta|penkta|šešta|sekma)dienis)(?:\\.(?!\\s*$|\\s+\\p{Lu}))?";

export const LITHUANIAN: SpokenLanguage = {
  digits: DIGITS,
  signs: {
    at: "eta",
    dot: "taškas",
    dash: "brūkšnys",
    underscore: "pabraukimas",
    slash: "pasvirasis",
    plus: "plius",
    minus: "minus",
    and: "ir",
  },
  per: { word: "per", case: "accusative" },
  decimalMark: ",",
  monthFirst: false,
  units: [
    ["€|EUR|Eur|eur\\.", "euro"],
    ["ct\\.?", "cent"],
    ["\\$|USD", "dollar"],
    ["£|GBP", "pound"],
    ["%|proc\\.", "percent"],
    ["sek\\.|s\\.", "second"],
    ["min\\.?", "minute"],
    ["val\\.?|h", "hour"],
    ["sav\\.", "week"],
    ["mėn\\.", "month"],
    ["d\\. ?d\\.", "workday"],
    ["d\\.", "day"],
    ["m\\.", "year"],
    ["km", "kilometre"],
    ["kg", "kilogram"],
    ["mg", "milligram"],
    ["ml", "millilitre"],
    ["cm", "centimetre"],
    ["mm", "millimetre"],
    ["g", "gram"],
    ["m²|m2|kv\\. ?m", "squareMetre"],
    ["m", "metre"],
    ["l", "litre"],
    ["vnt\\.", "piece"],
    ["°C?", "degree"],
  ],
  scales: [
    ["tūkst\\.", 1e3],
    ["mln\\.?", 1e6],
    ["mlrd\\.?", 1e9],
  ],
  hourMark: "val\\.?|valandą|h",
  timeWord: "",
  hoursBefore:
    /(dirba|darbo laik|atidar|priima|laukiame|veikia|penktadienio|\p{L}+dienį|šeštadien\p{L}+|sekmadien\p{L}+|kasdien)[^.!?]{0,24}$/iu,
  lasts: LASTS,
  hoursAfter: /^\s*(val|kasdien|darbo dienomis|šiokiadien)/i,
  rewrites: [
    [/(?<!\d)24\/7(?!\d)/g, "visą parą, septynias dienas per savaitę"],
    [
      new RegExp(`(?<![\\p{L}\\d])${WEEKDAY}\\s?[–—-]\\s?${WEEKDAY}(?![\\p{L}\\d])`, "giu"),
      (_, from = "", to = "") =>
        `nuo ${WEEKDAYS[from.toLowerCase()] ?? from}io iki ${WEEKDAYS[to.toLowerCase()] ?? to}io`,
    ],
    // "VI 9–14 val.", "VII nedirbame"
    [
      /(?<![\p{L}\d–-])(VII|VI|IV|V|I{1,3}|[Šš]t|[Ss]k|[Šš]ešt|[Ss]ekm)\.?(?=:?\s\d{1,2}(?:[.:]\d{2})?\s?[–-]\s?\d{1,2}(?:[.:]\d{2})?(?!\d|\s(?!val)\p{Ll})|\s(?:[–-]\s)?nedirb)/gu,
      (_, day = "") => `${WEEKDAYS[day.toLowerCase()] ?? day}į`,
    ],
    [/(?<!\p{L})Nr\.\s?(?=\d)/giu, "numeris "],
    [/(?<!\p{L})kab\.\s?(?=\d)/giu, "kabinetas "],
    [/(?<![\p{L}\d])#/gu, "groteles"],
    [/(?<=spaus\p{L}+\s(?:\S+\s(?:ar|arba)\s)?)\*/giu, "žvaigždutę"],
    [/(?<![\d/])1\/2(?![\d/])/g, "pusė"],
    [/(?:№|(?<!\w)#(?=\s?\d))\s?/g, "numeris "],
    [/(?<=skambin\p{L}{1,6}\s)tel\.(?=\s?[+\d(])/giu, "telefonu"],
    [/(?<!\p{L})(tel)\.(?=\s?[+\d(:])/giu, "telefonas"],
    [
      /(?<!\p{L})el\. ?p(?:\.|ašt(as|u|o)|št\.)/giu,
      (_, ending = "as") =>
        `elektroninis pašt${ending || "as"}`
          .replace("elektroninis paštu", "elektroniniu paštu")
          .replace("elektroninis pašto", "elektroninio pašto"),
    ],
    [/(?<=\d)\s?[×x]\s?(?=\d)/g, " kart "],
    [
      /(?<=(\d+))\sk\.(?=\s(?:per|į)\s)/gu,
      (_, count = "") =>
        ({ one: " kartą", few: " kartus", many: " kartų" })[countOf(Number(count))],
    ],
    [/(?<!\p{L})vid\.\s?(?=\d)/giu, "vidinis numeris "],
    [
      /(?<!\p{L})([Dd]r|[Gg]yd)\.\s((?:\p{Lu}(?:\.|\p{Ll}+)\s)?\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?)/gu,
      titled,
    ],
    [/(?<=\p{L}\s)pr\.(?=\s?\d|,|$|\s\p{L})/gu, "prospektas"],
    [/(?<=\p{L}\s)g\.(?=\s?\d|,|$|\s\p{L})/gu, "gatvė"],
    [/(?<=\p{L}\s)al\.(?=\s?\d|,)/gu, "alėja"],
    [/(?<!\p{L})pvz\./giu, "pavyzdžiui"],
    [/(?<!\p{L})t\. ?y\./giu, "tai yra"],
    [/(?<!\p{L})ir t\. ?t\./giu, "ir taip toliau"],
    [/(?<!\p{L})ir pan\./giu, "ir panašiai"],
    [/(?<!\p{L})žr\./giu, "žiūrėkite"],
    [/(?<!\p{L})AB(?=\s+["„“A-ZĄČĘĖĮŠŲŪŽ])/gu, "a bė"],
    [/(?<!\p{L})PIN(?!\p{L})/gu, "pin"],
  ],
  inflected: [monthsSaid, dayLists, namedDates, years, ordinals],
  date,
  clock,
  isDuration,
  hours,
  between: { words: ["tarp", "ir"], times: timesBetween },
  caseAfter,
  genderOf: (unit) => NOUNS[unit][2],
  number,
  noun,
  agreement,
  span,
};
