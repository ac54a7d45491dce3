/**
 * Replaces personal data of one call by placeholders: names, numbers, dates, street addresses and e-mail
 * addresses, written or spoken, in English, Lithuanian, Latvian and Russian. The same text gets the same
 * placeholder everywhere.
 *
 * The rules find most of it, but never all, so a person must check the result.
 */

import { wordsOf } from "../../conversation/words.ts";
import type { JsonValue } from "../../core/json.ts";

interface Turn {
  readonly speaker: string;
  readonly text: string;
}

const NAMES = ["Alex", "Robin", "Kim", "Sam", "Toni", "Chris", "Jo", "Nico"];
/** Shorter numbers are prices, years and times. */
const FIGURES_MIN = 4;
const FIGURES = /\+?\d(?:[\s().-]?\d)+/g;
const WORD = /\p{L}[\p{L}'’-]*/gu;
const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** The digits from 0 in each language, with other forms after a slash; then words for larger numbers. */
const SPOKEN = [
  [
    "zero/oh one two three four five six seven eight nine",
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand double triple",
  ],
  [
    "nulis/nulį vienas/vieną du/dvi trys/tris keturi/keturis penki/penkis šeši/šešis septyni/septynis aštuoni/aštuonis devyni/devynis",
    "dešimt vienuolika dvylika trylika keturiolika penkiolika šešiolika septyniolika aštuoniolika devyniolika dvidešimt trisdešimt keturiasdešimt penkiasdešimt šešiasdešimt septyniasdešimt aštuoniasdešimt devyniasdešimt šimtas tūkstantis",
  ],
  [
    "nulle viens/viena divi/divas trīs četri/četras pieci/piecas seši/sešas septiņi/septiņas astoņi/astoņas deviņi/deviņas",
    "desmit vienpadsmit divpadsmit trīspadsmit četrpadsmit piecpadsmit sešpadsmit septiņpadsmit astoņpadsmit deviņpadsmit divdesmit trīsdesmit četrdesmit piecdesmit sešdesmit septiņdesmit astoņdesmit deviņdesmit simts tūkstotis",
  ],
  [
    "ноль/нуль один/одна два/две три четыре пять шесть семь восемь девять",
    "десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто сто двести триста тысяча",
  ],
].map(([digits = "", larger = ""]) => {
  const forms = digits.split(" ").map((each) => each.split("/"));
  return {
    digits: forms.map(([first = ""]) => first),
    forms,
    all: words(`${forms.flat().join(" ")} ${larger}`),
  };
});
const NUMBER_WORDS = `(?:${SPOKEN.flatMap(({ all }) => [...all])
  .sort((a, b) => b.length - a.length)
  .join("|")})`;
const SPOKEN_NUMBER = new RegExp(
  `(?<!\\p{L})${NUMBER_WORDS}(?:[\\s,-]+${NUMBER_WORDS}){${FIGURES_MIN - 1},}(?!\\p{L})`,
  "giu",
);

/** Stems of the month names in written dates. */
const MONTHS =
  "january|february|march|april|may|june|july|august|september|october|november|december" +
  "|sausi|vasari|kov|baland|geguž|birželi|liep|rugpjū|rugsėj|spali|lapkri|gruod" +
  "|janvār|februār|mart|aprīl|maij|jūnij|jūlij|august|septembr|oktobr|novembr|decembr" +
  "|январ|феврал|март|апрел|ма[йея]|июн|июл|август|сентябр|октябр|ноябр|декабр";
const MONTH = `(?:${MONTHS})\\p{L}{0,4}`;
const DAY = String.raw`\d{1,2}(?:st|nd|rd|th|-\p{L}{1,3}|\.)?`;
const YEAR = String.raw`(?:,?\s+(?:of\s+)?\d{4}(?:\.|\s*(?:m\.|metų|gada|года?|г\.))?)?`;
const DATES = new RegExp(
  [
    String.raw`\d{4}[-./]\d{1,2}[-./]\d{1,2}(?![\d.-]*\d)`,
    String.raw`\d{1,2}[./]\d{1,2}[./]\d{4}(?!\d)`,
    String.raw`(?:\d{4}\s*(?:m\.|metų|\.\s*gada)\s*)${MONTH}\s+${DAY}(?:\s*d\.?)?`,
    String.raw`${DAY}\s+(?:of\s+)?${MONTH}${YEAR}`,
    String.raw`(?<!\p{L})${MONTH}\s+(?:the\s+)?${DAY}(?!\d)(?:\s*d\.)?${YEAR}`,
  ]
    .map((form) => `(?<![\\d+])${form}`)
    .join("|"),
  "giu",
);

const EMAIL = /[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g;
const DOT = "(?:dot|point|taškas|punkts|точка)";
const PART = String.raw`[\p{L}\d_]+`;
/** A spoken e-mail address: at most three words before the "at" sign, as in a name. */
const SPOKEN_EMAIL = new RegExp(
  String.raw`(?<!\p{L})(?:${PART}\s+(?:(?:${DOT}|dash|underscore)\s+)?){0,2}${PART}\s+(?:at|eta|et|ēt|собака)\s+${PART}(?:\s+${DOT}\s+${PART}){1,3}`,
  "giu",
);

const STREET_WORD =
  "street|st|road|rd|avenue|ave|lane|drive|square|gatvė|gatvėje|gatvės|g\\.|prospektas|prospekte|alėja|iela|ielā|ielas|prospekts|bulvāris";
const HOUSE = String.raw`\d{1,4}\s?\p{L}?(?:-\d{1,4})?(?!\p{L}|\d)`;
const PROPER = String.raw`\p{Lu}[\p{L}'’.-]*`;
const ADDRESSES = new RegExp(
  [
    String.raw`${HOUSE}\s+(?:${PROPER}\s+){1,3}(?:street|st|road|rd|avenue|ave|lane|drive|square)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:${PROPER}\s+){1,3}(?:${STREET_WORD})(?:\s*${HOUSE})?(?!\p{L})`,
    String.raw`(?<!\p{L})(?:улиц\p{L}|ул\.|проспект\p{L}?|пр\.)\s+${PROPER}(?:\s+${PROPER})?(?:,?\s*(?:дом\s*)?${HOUSE})?`,
  ].join("|"),
  "gu",
);

const INTRODUCES =
  /(?:my (?:full )?name(?: is|'s)|this is|i am|i'm|name:|mano vardas(?: yra)?|mano pavardė(?: yra)?|aš esu|vardu|pavardė|mani sauc|mans vārds ir|mans uzvārds ir|es esmu|uzvārds|меня зовут|моя фамилия|моё имя|это говорит|фамилия)\s+((?:\p{L}[\p{L}'’-]*[ ]?){1,3})/giu;
const ASKS_NAME =
  /\b(?:name|surname)\b|vard[aąuo]|pavard|kuo jūs vardu|vārd[suāu]|kā jūs sauc|(?:^|\P{L})(?:имя|фамили|зовут)/iu;
const NAME_KEY = /name|surname|customer|patient|client|vard|pavard|vārd|uzvārd|имя|фамили/i;
/** Capitalised words other than names: they begin sentences or follow an introduction. */
const NO_NAMES = words(
  "a an and at calling can could for from good have hello here hi i i'm in is it looking mr mrs ms my name no not" +
    " of ok okay on please sir so sorry sure thank thanks that the there this to want was we well what when who why would yes yeah you your monday tuesday wednesday thursday friday saturday sunday" +
    " ačiū ar aš dabar gerai ir jūs kada kaip kas kur labas laba diena labą dieną mano ne noriu norėčiau ponas ponia prašau skambinu taip tai yra jo" +
    " es esmu gribu jā jūs kad kāds kas kungs kur kundze labdien labi mans ne nē paldies sveiki un vēlos vai vārds zvanu ir" +
    " алло да добрый день где здравствуйте и как когда меня мне мой моя можно не нет пожалуйста спасибо хочу это я хорошо",
);

export class Mask {
  readonly #standIns = new Map<string, string>();
  readonly #names = new Map<string, string>();

  /** `known`: names of the people in the call. Rules find the others in the turns and arguments. */
  constructor(
    known: readonly string[],
    turns: readonly Turn[] = [],
    values: readonly JsonValue[] = [],
  ) {
    for (const name of [...known, ...namesIn(turns), ...values.flatMap((value) => namedIn(value))])
      for (const word of wordsOf(name)) this.#name(word);
  }

  /** Masks a title, except dates: the day of the call identifies nobody. */
  title(text: string): string {
    return this.#nameless(text);
  }

  text(text: string): string {
    const plain = text
      .replace(EMAIL, "someone@example.com")
      .replace(SPOKEN_EMAIL, "someone at example dot com")
      .replace(ADDRESSES, (address) => this.#address(address))
      .replace(DATES, (date) => this.#date(date))
      .replace(SPOKEN_NUMBER, (spoken) => this.#spoken(spoken))
      .replace(FIGURES, (figures) => this.#figures(figures));
    return this.#nameless(plain);
  }

  value(value: JsonValue): JsonValue {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") return this.#number(value);
    if (Array.isArray(value)) return value.map((each) => this.value(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.value(each)]),
    );
  }

  #name(word: string): void {
    if (word.length < 2 || NO_NAMES.has(word) || this.#names.has(word) || /\d/.test(word)) return;
    this.#names.set(word, NAMES[this.#names.size % NAMES.length] ?? "Alex");
  }

  #nameless(text: string): string {
    return text.replace(WORD, (word) => this.#names.get(word.toLocaleLowerCase()) ?? word);
  }

  #nth(kind: string, text: string, make: (nth: number) => string): string {
    const key = `${kind} ${text.toLocaleLowerCase()}`;
    const known = this.#standIns.get(key);
    if (known !== undefined) return known;
    const standIn = make(this.#standIns.size + 1);
    this.#standIns.set(key, standIn);
    return standIn;
  }

  #address = (address: string) =>
    this.#nth("address", address, (nth) => `Example Street ${(nth % 99) + 1}`);

  #date = (date: string) =>
    this.#nth("date", date.replace(/[./]/g, "-"), (nth) => {
      const day = String((nth % 28) + 1).padStart(2, "0");
      return `2030-01-${day}`;
    });

  #number(value: number): number {
    const isLong = Number.isSafeInteger(value) && Math.abs(value) >= 100_000;
    return isLong ? Number(this.#standIn(String(Math.abs(value))).replace(/^0/, "1")) : value;
  }

  #figures(written: string): string {
    const digits = written.replace(/\D/g, "");
    if (digits.length < FIGURES_MIN || /^2030-01-\d\d$/.test(written)) return written;
    const standIn = this.#standIn(digits);
    return written.startsWith("+") ? `+${standIn}` : standIn;
  }

  /** Keeps language and number of words. The same digits in figures get the same placeholder. */
  #spoken(spoken: string): string {
    const said = spoken.toLocaleLowerCase().split(/[\s,-]+/);
    const language = SPOKEN.find(({ all }) => said.every((word) => all.has(word))) ?? SPOKEN[0];
    const { digits = [], forms = [] } = language ?? {};
    const read = said.map((word) =>
      Math.max(
        0,
        forms.findIndex((all) => all.includes(word)),
      ),
    );
    return [...this.#standIn(read.join(""))].map((digit) => digits[Number(digit)]).join(" ");
  }

  /** Keeps the length. The same digits get the same placeholder. */
  #standIn(digits: string): string {
    return this.#nth("digits", digits, (nth) =>
      Array.from({ length: digits.length }, (_, index) => (index + nth) % 10).join(""),
    );
  }
}

/** Finds names in introductions, in answers to a question for the name, and in two capitalised words in a row. */
function namesIn(turns: readonly Turn[]): string[] {
  const found: string[] = [];
  let asked = false;
  for (const { speaker, text } of turns) {
    for (const [, name = ""] of text.matchAll(INTRODUCES)) found.push(capitalisedFirst(name));
    if (speaker === "agent") {
      asked = ASKS_NAME.test(text);
      continue;
    }
    const said = text.match(WORD) ?? [];
    if (asked && said.length <= 4) found.push(...said);
    for (const [pair] of text.matchAll(/\p{Lu}\p{Ll}[\p{L}'’-]*(?:\s+\p{Lu}\p{Ll}[\p{L}'’-]*)+/gu))
      found.push(pair);
    asked = false;
  }
  return found;
}

/** Recognised speech may have no capitals. If it has, only capitalised words are names. */
function capitalisedFirst(name: string): string {
  const all = name.match(WORD) ?? [];
  const capitals = all.filter((word) => /^\p{Lu}/u.test(word));
  return (capitals.length > 0 ? capitals : all.slice(0, 2)).join(" ");
}

function namedIn(value: JsonValue, isNamed = false): string[] {
  if (typeof value === "string") return isNamed ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((each) => namedIn(each, isNamed));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => namedIn(each, NAME_KEY.test(key)));
}
