/** The reader of a mail: formats times and money for the reader's language and time zone. */
import { type MicroEur, microToEur } from "../../core/money.ts";
import { oneLine } from "../../core/one-line.ts";
import { fill, textsOf } from "../../core/texts.ts";
import type { AgentLanguage } from "../agent/agent.ts";
import readerTexts from "./reader-texts.json" with { type: "json" };

export interface Reader {
  readonly locale: AgentLanguage;
  /** IANA name. */
  readonly timeZone: string;
}

const REGIONS: Readonly<Record<AgentLanguage, string>> = {
  en: "en-GB",
  lt: "lt-LT",
  lv: "lv-LV",
  ru: "ru-RU",
};

/**
 * `24 November 2026 at 09:05 (Europe/Vilnius)`. Numeric in Latvian, where the month's case depends on the
 * sentence.
 */
export function timeFor({ locale, timeZone }: Reader, atMs: number): string {
  const date = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
  const time = { hour: "2-digit", minute: "2-digit" } as const;
  const format = new Intl.DateTimeFormat(REGIONS[locale], {
    timeZone,
    ...(locale === "lv" ? { ...date, ...time } : { dateStyle: "long", timeStyle: "short" }),
  });
  return `${format.format(atMs)} (${timeZone})`;
}

export const moneyFor = ({ locale }: Pick<Reader, "locale">, amount: MicroEur): string =>
  new Intl.NumberFormat(REGIONS[locale], { style: "currency", currency: "EUR" }).format(
    microToEur(amount),
  );

const TEXTS = textsOf(readerTexts);

const NAME_MAX = 120;

/**
 * Makes a name safe for our mails. It becomes one line, because a separate line could look like our text.
 * A space after each dot and colon (also the wide ones, UTS 46 2.3) prevents links in mail programs:
 * `Booking. com`.
 */
export const nameInMail = (name: string): string =>
  oneLine(name, NAME_MAX).replace(/[.:。．｡](?=\S)/g, "$& ");

/**
 * The name of a company, in quotes. It is not declined: the noun before it ("įmonės", "компании") has the
 * case. A name with quotes (UAB „Smaidas“) stays unchanged.
 */
export function companyName(given: string, locale: AgentLanguage): string {
  const name = nameInMail(given);
  return /["'„“”«»]/.test(name) ? name : fill(TEXTS[locale].quoted, { name });
}
