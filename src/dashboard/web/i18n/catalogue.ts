/** The texts of one language: loaded on demand, with placeholders and plural forms. */
import type { MessageKey } from "../generated/message-keys.gen.ts";
import type { Language } from "./language.ts";

export type { MessageKey };
export type Catalogue = Readonly<Record<MessageKey, string>>;

const loaders: Readonly<Record<Language, () => Promise<{ readonly texts: Catalogue }>>> = {
  en: () => import("../generated/en.gen.ts"),
  lt: () => import("../generated/lt.gen.ts"),
  lv: () => import("../generated/lv.gen.ts"),
  ru: () => import("../generated/ru.gen.ts"),
};

export const loadCatalogue = async (language: Language): Promise<Catalogue> =>
  (await loaders[language]()).texts;

export type Parameters = Readonly<Record<string, string | number>>;

/** Replaces each `{name}` by its value. */
export const fill = (text: string, parameters: Parameters): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(parameters[name] ?? whole));

/** Selects the plural form of a counted text. */
export function pluralForm(text: string, category: string): string {
  const forms = new Map(
    text.split(";").map((form) => {
      const at = form.indexOf("=");
      return [form.slice(0, at), form.slice(at + 1)] as const;
    }),
  );
  return forms.get(category) ?? forms.get("other") ?? text;
}
