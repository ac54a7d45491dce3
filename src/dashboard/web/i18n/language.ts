/**
 * The languages of the app, and the shape of its `messages.json` files: each text is given in every
 * language. The build collects these files and splits them by language
 * (scripts/dashboard-sources.ts).
 *
 * `{name}` is a placeholder. A counted text lists its plural forms: `one=# call;other=# calls`, by
 * the categories of Intl.PluralRules; `#` is the number.
 */
export const LANGUAGES = ["en", "lt", "lv", "ru"] as const;
export type Language = (typeof LANGUAGES)[number];

export type Messages = Readonly<Record<string, Readonly<Record<Language, string>>>>;
/** No English entry: English readers see the server's messages. */
export type ServerMessages = Readonly<
  Record<string, Readonly<Record<Exclude<Language, "en">, string>>>
>;

/** Each language's name in that language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: "English",
  lt: "Lietuvių",
  lv: "Latviešu",
  ru: "Русский",
};

export const isLanguage = (text: unknown): text is Language =>
  LANGUAGES.some((language) => language === text);

/** The first of the browser's languages that the app supports. */
export function browserLanguage(): Language {
  for (const tag of navigator.languages) {
    const language = tag.slice(0, 2).toLowerCase();
    if (isLanguage(language)) return language;
  }
  return "en";
}
