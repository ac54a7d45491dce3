/**
 * Makes written text speakable where espeak-ng would read marks instead of meaning: money, clock
 * times and spans of them, e-mail and web addresses, telephone numbers digit by digit, dates.
 */
import { DIGIT_WORDS } from "../scripted/lexicon.ts";

interface Words {
  readonly euros: string;
  readonly cents: string;
  readonly dollars: string;
  readonly pounds: string;
  readonly to: string;
  readonly at: string;
  readonly dot: string;
  readonly plus: string;
  readonly and: string;
}

const WORDS: Readonly<Record<string, Words>> = {
  en: {
    euros: "euros",
    cents: "cents",
    dollars: "dollars",
    pounds: "pounds",
    to: "to",
    at: "at",
    dot: "dot",
    plus: "plus",
    and: "and",
  },
  lt: {
    euros: "eurų",
    cents: "centų",
    dollars: "dolerių",
    pounds: "svarų",
    to: "iki",
    at: "eta",
    dot: "taškas",
    plus: "plius",
    and: "ir",
  },
  lv: {
    euros: "eiro",
    cents: "centi",
    dollars: "dolāri",
    pounds: "mārciņas",
    to: "līdz",
    at: "et",
    dot: "punkts",
    plus: "plus",
    and: "un",
  },
  ru: {
    euros: "евро",
    cents: "центов",
    dollars: "долларов",
    pounds: "фунтов",
    to: "до",
    at: "собака",
    dot: "точка",
    plus: "плюс",
    and: "и",
  },
};

const ENGLISH_DIGITS = "zero one two three four five six seven eight nine".split(" ");

export function spokenText(text: string, language: string): string {
  const key = language.slice(0, 2);
  const words = WORDS[key] ?? WORDS.en;
  if (words === undefined) return text;
  const digits = digitWords(key);
  let spoken = text.replace(/[“”„«»]/g, '"');
  spoken = spokenAddresses(spoken, words);
  spoken = spokenMoney(spoken, words);
  spoken = spoken.replace(/\b(\d{4})-(\d{2})-(\d{2})\b/g, (_, year, month, day) =>
    spokenDate(Number(year), Number(month), Number(day), key),
  );
  spoken = spoken.replace(
    /\b(\d{1,2}(?::\d{2})?)\s*[–—-]\s*(\d{1,2}(?::\d{2})?)(?=\s*(h\b|$|[^\d\w-]))/g,
    `$1 ${words.to} $2`,
  );
  spoken = spoken.replace(/\b(\d{1,2}):00\b/g, "$1").replace(/\b(\d{1,2}):(\d{2})\b/g, "$1 $2");
  return spoken.replace(/\+?\d(?:[\s()/-]?\d){6,}/g, (number) =>
    spokenNumber(number, words, digits),
  );
}

function digitWords(language: string): readonly string[] {
  if (language === "lt" || language === "lv" || language === "ru") return DIGIT_WORDS[language];
  return ENGLISH_DIGITS;
}

function spokenAddresses(text: string, words: Words): string {
  return text
    .replace(/\bhttps?:\/\/(www\.)?/gi, "")
    .replace(/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, (address) =>
      address.replace("@", ` ${words.at} `).replaceAll(".", ` ${words.dot} `),
    )
    .replace(/\b[a-z][\w-]*\.(com|net|org|eu|lt|lv|ru|io|example)\b/gi, (host) =>
      host.replaceAll(".", ` ${words.dot} `),
    );
}

function spokenMoney(text: string, words: Words): string {
  const names: Readonly<Record<string, string>> = {
    "€": words.euros,
    EUR: words.euros,
    $: words.dollars,
    USD: words.dollars,
    "£": words.pounds,
    GBP: words.pounds,
  };
  const amount = String.raw`(\d{1,3}(?:[ ,.]\d{3})+|\d+)(?:[.,](\d{2}))?(?!\d)`;
  const sayAmount = (whole: string, cents: string | undefined, sign: string) => {
    const main = `${whole.replace(/[ ,.]/g, "")} ${names[sign] ?? sign}`;
    const rest = cents === undefined || cents === "00" ? "" : ` ${words.and} ${Number(cents)}`;
    return rest === "" ? main : `${main}${rest} ${words.cents}`;
  };
  return text
    .replace(new RegExp(`([€$£])\\s?${amount}`, "g"), (_, sign, whole, cents) =>
      sayAmount(whole, cents, sign),
    )
    .replace(new RegExp(`${amount}\\s?(€|EUR\\b|USD\\b|GBP\\b|£)`, "g"), (_, whole, cents, sign) =>
      sayAmount(whole, cents, sign),
    );
}

/** Long numbers digit by digit, a short pause after every third. */
function spokenNumber(number: string, words: Words, names: readonly string[]): string {
  const digits = number.replace(/\D/g, "");
  const groups = digits.match(/\d{1,3}/g) ?? [];
  const said = groups.map((group) => [...group].map((digit) => names[Number(digit)]).join(" "));
  return `${number.startsWith("+") ? `${words.plus} ` : ""}${said.join(", ")}`;
}

function spokenDate(year: number, month: number, day: number, language: string): string {
  const locale = language === "en" ? "en-GB" : language;
  const format: Intl.DateTimeFormatOptions = { day: "numeric", month: "long", timeZone: "UTC" };
  return new Intl.DateTimeFormat(locale, format).format(new Date(Date.UTC(year, month - 1, day)));
}
