/** Who reads a mail: times and money as they are written in the reader's language and time zone. */
import { type MicroEur, microToEur } from "../../core/money.ts";
import { oneLine } from "../../core/one-line.ts";
import type { AgentLanguage } from "../agent/agent.ts";

export interface Reader {
  readonly locale: AgentLanguage;
  /** IANA. */
  readonly timeZone: string;
}

const REGIONS: Readonly<Record<AgentLanguage, string>> = {
  en: "en-GB",
  lt: "lt-LT",
  lv: "lv-LV",
  ru: "ru-RU",
};

/**
 * `24 November 2026 at 09:05 (Europe/Vilnius)`. In figures in Latvian, where the month's case depends on the
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

const QUOTES: Readonly<Record<AgentLanguage, readonly [string, string]>> = {
  en: ["", ""],
  lt: ["„", "“"],
  lv: ["„", "”"],
  ru: ["«", "»"],
};

const NAME_MAX = 120;

/**
 * What somebody calls themselves or a thing of theirs: a line of its own would read as ours. No mail program makes a link of it:
 * after the dots and colons of addresses (the wide ones, too: UTS 46 2.3) comes a space, `Booking. com`.
 */
export const nameInMail = (name: string): string =>
  oneLine(name, NAME_MAX).replace(/[.:。．｡](?=\S)/g, "$& ");

/**
 * The name of a company, in quotes. It is not declined: a noun before it ("įmonės", "компании") carries the
 * case. A name that has quotes already (UAB „Smaidas“) stays as it is written.
 */
export function companyName(given: string, locale: AgentLanguage): string {
  const name = nameInMail(given);
  const [open, close] = QUOTES[locale];
  return /["'„“”«»]/.test(name) ? name : `${open}${name}${close}`;
}
