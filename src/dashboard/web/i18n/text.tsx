/** Texts, numbers, dates and durations in the reader's language: `const { t } = useText()`. */
import { createContext, type ReactNode, use, useCallback, useMemo, useState } from "react";
import {
  type Catalogue,
  fill,
  loadCatalogue,
  type MessageKey,
  type Parameters,
  pluralForm,
} from "./catalogue.ts";
import type { Language } from "./language.ts";

const MINUTE_SECONDS = 60;
const RELATIVE_STEPS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/**
 * The reader's region according to the browser, for example for British instead of American dates.
 */
const regionOf = (language: Language): string =>
  navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;

/** `1:05`, or with hours if the duration is long enough. */
function clockOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const rest = String(whole % MINUTE_SECONDS).padStart(2, "0");
  const minutes = Math.floor(whole / MINUTE_SECONDS);
  if (minutes < MINUTE_SECONDS) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/**
 * Creates a value on first use: a browser needs milliseconds to create each format, a phone longer.
 */
function lazily<Made>(make: () => Made): () => Made {
  let made: Made | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** `timeZone`: the company's; undefined if nobody is signed in, then the browser's. */
function formatsOf(language: Language, region: string, timeZone: string | undefined) {
  const dateFormat = (options: Intl.DateTimeFormatOptions) =>
    lazily(() => new Intl.DateTimeFormat(region, { timeZone, ...options }));
  const euros = (digits: number) =>
    lazily(
      () =>
        new Intl.NumberFormat(region, {
          style: "currency",
          currency: "EUR",
          minimumFractionDigits: 2,
          maximumFractionDigits: digits,
        }),
    );
  return {
    plurals: lazily(() => new Intl.PluralRules(language)),
    numbers: lazily(() => new Intl.NumberFormat(region, { maximumFractionDigits: 2 })),
    percents: lazily(
      () => new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }),
    ),
    relatives: lazily(() => new Intl.RelativeTimeFormat(language, { numeric: "auto" })),
    dateTimes: dateFormat({ dateStyle: "medium", timeStyle: "short" }),
    dates: dateFormat({ dateStyle: "medium" }),
    times: dateFormat({ timeStyle: "medium" }),
    wholeDays: dateFormat({ dateStyle: "medium", timeZone: "UTC" }),
    daysOfYear: dateFormat({ day: "numeric", month: "long", timeZone: "UTC" }),
    months: dateFormat({ month: "long", year: "numeric", timeZone: "UTC" }),
    wholeCents: euros(2),
    euros,
  };
}

function textsOf(language: Language, catalogue: Catalogue, timeZone: string | undefined) {
  const all: Readonly<Record<string, string | undefined>> = catalogue;
  const { plurals, numbers, percents, relatives, wholeCents, euros, ...days } = formatsOf(
    language,
    regionOf(language),
    timeZone,
  );
  const number = (value: number) => numbers().format(value);
  const unit = language === "ru" ? { ms: "мс", s: "с" } : { ms: "ms", s: "s" };

  return {
    language,
    /** Time zone in which the dashboard shows and reads times. */
    timeZone: timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    t: (key: MessageKey, parameters: Parameters = {}) => fill(catalogue[key], parameters),
    knows: (key: string): key is MessageKey => Object.hasOwn(catalogue, key),
    /** The text for one of the server's codes; null if this language has none. */
    findText(key: string, parameters: Parameters = {}): string | null {
      const text = Object.hasOwn(all, key) ? all[key] : undefined;
      return text === undefined ? null : fill(text, parameters);
    },
    /** A counted text. */
    count: (key: MessageKey, value: number) =>
      pluralForm(catalogue[key], plurals().select(value)).replace("#", number(value)),
    number,
    percent: (share: number) => percents().format(share),
    eur: (value: number, digits = 2) => (digits === 2 ? wholeCents : euros(digits))().format(value),
    dateTime: (iso: string) => days.dateTimes().format(new Date(iso)),
    /** Formats the date of an instant. */
    date: (iso: string) => days.dates().format(new Date(iso)),
    /** Formats a calendar day of the company: `2026-11-28`. */
    day: (iso: string) => days.wholeDays().format(new Date(iso)),
    /** Formats `1980-02-29`, or without a year `--02-29`. */
    birthday: (day: string) =>
      day.startsWith("--")
        ? days.daysOfYear().format(new Date(`2000${day.slice(1)}`))
        : days.wholeDays().format(new Date(day)),
    time: (iso: string) => days.times().format(new Date(iso)),
    month: (year: number, month: number) =>
      days.months().format(new Date(Date.UTC(year, month - 1, 1))),
    clock: clockOf,
    /** Call duration; a dash if null (nobody answered). */
    talkTime: (ms: number | null) => (ms === null ? "–" : clockOf(ms / 1000)),
    ms: (value: number | null) =>
      value === null ? "–" : `${number(Math.round(value))} ${unit.ms}`,
    seconds: (ms: number) => `${number(Math.round(ms / 100) / 10)} ${unit.s}`,
    bytes(value: number) {
      if (value < 1024) return `${value} B`;
      if (value < 1024 * 1024) return `${number(Math.round(value / 102.4) / 10)} KB`;
      return `${number(Math.round(value / 104_857.6) / 10)} MB`;
    },
    /** `5 minutes ago`, relative to `now` (ms). */
    ago(iso: string, now: number) {
      const seconds = Math.round((new Date(iso).getTime() - now) / 1000);
      const step =
        RELATIVE_STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? RELATIVE_STEPS[3];
      return relatives().format(Math.round(seconds / step[1]), step[0]);
    },
  };
}

export type Texts = ReturnType<typeof textsOf>;

interface LanguageChoice {
  readonly texts: Texts;
  readonly choose: (language: Language) => Promise<void>;
}

const LanguageContext = createContext<LanguageChoice | null>(null);

export function LanguageProvider(props: {
  initial: { language: Language; catalogue: Catalogue };
  /** The company's time zone; undefined if nobody is signed in. */
  timeZone: string | undefined;
  children: ReactNode;
}) {
  const [current, setCurrent] = useState(props.initial);
  const choose = useCallback(async (language: Language) => {
    const catalogue = await loadCatalogue(language);
    document.documentElement.lang = language;
    setCurrent({ language, catalogue });
  }, []);
  const { timeZone } = props;
  const texts = useMemo(
    () => textsOf(current.language, current.catalogue, timeZone),
    [current, timeZone],
  );
  const choice = useMemo(() => ({ texts, choose }), [texts, choose]);
  return <LanguageContext value={choice}>{props.children}</LanguageContext>;
}

function useLanguageContext(): LanguageChoice {
  const choice = use(LanguageContext);
  if (!choice) throw new Error("outside of LanguageProvider");
  return choice;
}

export const useText = (): Texts => useLanguageContext().texts;
export const useChooseLanguage = () => useLanguageContext().choose;
