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

/** The region that the browser names for the language, for example British dates instead of American ones. */
const regionOf = (language: Language): string =>
  navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;

/** `1:05`; hours where there are some. */
function clockOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const rest = String(whole % MINUTE_SECONDS).padStart(2, "0");
  const minutes = Math.floor(whole / MINUTE_SECONDS);
  if (minutes < MINUTE_SECONDS) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

function textsOf(language: Language, catalogue: Catalogue) {
  const all: Readonly<Record<string, string | undefined>> = catalogue;
  const region = regionOf(language);
  const plurals = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(region, { maximumFractionDigits: 2 });
  const dateTimes = new Intl.DateTimeFormat(region, { dateStyle: "medium", timeStyle: "short" });
  const dates = new Intl.DateTimeFormat(region, { dateStyle: "medium" });
  const times = new Intl.DateTimeFormat(region, { timeStyle: "medium" });
  const months = new Intl.DateTimeFormat(region, {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  const relatives = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const eur = (value: number, digits = 2) =>
    new Intl.NumberFormat(region, {
      style: "currency",
      currency: "EUR",
      minimumFractionDigits: 2,
      maximumFractionDigits: digits,
    }).format(value);

  return {
    language,
    t: (key: MessageKey, parameters: Parameters = {}) => fill(catalogue[key], parameters),
    knows: (key: string): key is MessageKey => Object.hasOwn(catalogue, key),
    /** The text for one of the server's codes; null: this language has none. */
    findText(key: string, parameters: Parameters = {}): string | null {
      const text = Object.hasOwn(all, key) ? all[key] : undefined;
      return text === undefined ? null : fill(text, parameters);
    },
    /** A counted text. */
    count: (key: MessageKey, value: number) =>
      pluralForm(catalogue[key], plurals.select(value)).replace("#", numbers.format(value)),
    number: numbers.format,
    percent: (share: number) =>
      new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(share),
    eur,
    dateTime: (iso: string) => dateTimes.format(new Date(iso)),
    date: (iso: string) => dates.format(new Date(iso)),
    time: (iso: string) => times.format(new Date(iso)),
    month: (year: number, month: number) => months.format(new Date(Date.UTC(year, month - 1, 1))),
    clock: clockOf,
    ms: (value: number | null) =>
      value === null ? "–" : `${numbers.format(Math.round(value))} ms`,
    seconds: (ms: number) => `${numbers.format(Math.round(ms / 100) / 10)} s`,
    bytes(value: number) {
      if (value < 1024) return `${value} B`;
      if (value < 1024 * 1024) return `${numbers.format(Math.round(value / 102.4) / 10)} KB`;
      return `${numbers.format(Math.round(value / 104_857.6) / 10)} MB`;
    },
    /** `5 minutes ago`, as seen at `now` (ms). */
    ago(iso: string, now: number) {
      const seconds = Math.round((new Date(iso).getTime() - now) / 1000);
      const step =
        RELATIVE_STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? RELATIVE_STEPS[3];
      return relatives.format(Math.round(seconds / step[1]), step[0]);
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
  children: ReactNode;
}) {
  const [current, setCurrent] = useState(props.initial);
  const choose = useCallback(async (language: Language) => {
    const catalogue = await loadCatalogue(language);
    document.documentElement.lang = language;
    setCurrent({ language, catalogue });
  }, []);
  const texts = useMemo(() => textsOf(current.language, current.catalogue), [current]);
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
