/** Texts for people, in four languages: loaded from a JSON file with `{ "key": { en, lt, lv, ru } }`. */

type Language = "en" | "lt" | "lv" | "ru";

/** One text; a list has one text per paragraph or choice. */
type Translations = Readonly<Record<Language, string | readonly string[]>>;

/** The texts of one language, under the keys of the file. Keys may be grouped. */
export type TextsOf<File> = {
  readonly [Key in keyof File]: File[Key] extends Translations
    ? File[Key]["en"]
    : TextsOf<File[Key]>;
};

export const textsOf = <File extends object>(
  file: File,
): Readonly<Record<Language, TextsOf<File>>> => ({
  en: inLanguage(file, "en") as TextsOf<File>,
  lt: inLanguage(file, "lt") as TextsOf<File>,
  lv: inLanguage(file, "lv") as TextsOf<File>,
  ru: inLanguage(file, "ru") as TextsOf<File>,
});

const inLanguage = (group: object, language: Language): object =>
  Object.fromEntries(
    Object.entries(group).map(([key, value]) => [
      key,
      language in value ? value[language] : inLanguage(value, language),
    ]),
  );

/** Replaces each `{name}` by its value, once: a value with braces stays as it is. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
