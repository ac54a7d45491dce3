/**
 * The texts of the app. English defines the set of keys; the other languages must have exactly the
 * same ones, which the compiler checks. A language is loaded when it is needed.
 *
 * `{name}` is filled in. A counted text lists its plural forms: `one=# call;other=# calls`, by the
 * categories of Intl.PluralRules; `#` is the number.
 */
import type { en } from "./messages/en/index.ts";

export type MessageKey = keyof typeof en;
export type Catalogue = Readonly<Record<MessageKey, string>>;

export const LANGUAGES = ["en", "lt", "lv", "ru"] as const;
export type Language = (typeof LANGUAGES)[number];

/** How each language calls itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: "English",
  lt: "Lietuvių",
  lv: "Latviešu",
  ru: "Русский",
};

/** With the server's sentences (answers.ts), which English readers get from the server itself. */
const loaders: Readonly<Record<Language, () => Promise<Catalogue>>> = {
  en: async () => (await import("./messages/en/index.ts")).en,
  lt: async () => {
    const { lt, answers } = await import("./messages/lt/index.ts");
    return { ...lt, ...answers };
  },
  lv: async () => {
    const { lv, answers } = await import("./messages/lv/index.ts");
    return { ...lv, ...answers };
  },
  ru: async () => {
    const { ru, answers } = await import("./messages/ru/index.ts");
    return { ...ru, ...answers };
  },
};

export const loadCatalogue = (language: Language): Promise<Catalogue> => loaders[language]();

export const isLanguage = (text: unknown): text is Language =>
  LANGUAGES.some((language) => language === text);

/** The first language of the browser that we speak. */
export function browserLanguage(): Language {
  for (const tag of navigator.languages) {
    const language = tag.slice(0, 2).toLowerCase();
    if (isLanguage(language)) return language;
  }
  return "en";
}

export type Parameters = Readonly<Record<string, string | number>>;

/** `{name}` replaced by what it stands for. */
export const fill = (text: string, parameters: Parameters): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(parameters[name] ?? whole));

/** The form of a counted text for this number. */
export function pluralForm(text: string, category: string): string {
  const forms = new Map(
    text.split(";").map((form) => {
      const at = form.indexOf("=");
      return [form.slice(0, at), form.slice(at + 1)] as const;
    }),
  );
  return forms.get(category) ?? forms.get("other") ?? text;
}
