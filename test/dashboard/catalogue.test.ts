/** The texts of the dashboard, and the two functions that fill them in. */
import { expect, test } from "bun:test";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import { disclosedBy } from "../../src/conversation/disclosure/disclosure-words.ts";
import { fill, pluralForm } from "../../src/dashboard/web/i18n/catalogue.ts";
import { AGENT_LANGUAGES } from "../../src/features/agent/agent.ts";

const { en, lt, lv, ru } = await messageCatalogues();
const TRANSLATIONS = { lt, lv, ru };
/** Names of things and of units: the same everywhere. */
const NAMES = /^(p90 \{p90\}|CSV|SIP|URL|s|PIN|CRM|ID|E\.164)$/;

test("no text is English by accident", () => {
  for (const [language, catalogue] of Object.entries(TRANSLATIONS)) {
    const english = Object.entries(catalogue).filter(
      ([key, text]) => text === en[key as keyof typeof en] && !NAMES.test(text),
    );
    expect({ language, english }).toEqual({ language, english: [] });
  }
});

test("a language is written in its own letters", () => {
  const cyrillic = /\p{Script=Cyrillic}/u;
  const foreign = (catalogue: object, wrong: (text: string) => boolean) =>
    Object.entries(catalogue).filter(([, text]) => wrong(text));
  expect(foreign(ru, (text) => !cyrillic.test(text) && !NAMES.test(text))).toEqual([]);
  for (const catalogue of [en, lt, lv])
    expect(foreign(catalogue, (text) => cyrillic.test(text) && text !== "Русский")).toEqual([]);
  expect(foreign(lt, (text) => /[āēīļņģķ]/i.test(text))).toEqual([]);
  expect(foreign(lv, (text) => /[ąęėįųẽ]/i.test(text))).toEqual([]);
});

test("texts have no blanks around them, nor two in a row", () => {
  for (const catalogue of [en, lt, lv, ru])
    expect(Object.entries(catalogue).filter(([, text]) => /^\s|\s$| {2}/.test(text))).toEqual([]);
});

test("a sentence ends as it does in English", () => {
  const isShortened = (key: string) => /^call\.(lane|unit)\./.test(key);
  const mark = (text: string) => /[.?:…]$/.exec(text)?.[0] ?? "";
  for (const [language, catalogue] of Object.entries(TRANSLATIONS)) {
    const otherwise = Object.entries(catalogue)
      .filter(([key, text]) => !isShortened(key) && mark(text) !== mark(en[key as keyof typeof en]))
      .map(([key, text]) => `${key}: ${text}`);
    expect({ language, otherwise }).toEqual({ language, otherwise: [] });
  }
});

test("values are filled in where they belong, and an unknown blank stays to be seen", () => {
  expect(fill("{a} of {b}", { a: 1, b: "two" })).toBe("1 of two");
  expect(fill("{a} of {c}", { a: 1 })).toBe("1 of {c}");
});

test("a number gets the form of its language", () => {
  const of = (language: string, text: string, value: number) =>
    pluralForm(text, new Intl.PluralRules(language).select(value));
  const calls = "one=skambutis;few=skambučiai;many=skambučio;other=skambučių";
  expect([1, 3, 10, 21, 1.5].map((value) => of("lt", calls, value))).toEqual([
    ...["skambutis", "skambučiai", "skambučių", "skambutis", "skambučio"],
  ]);
  expect(of("lv", "zero=zvanu;one=zvans;other=zvani", 21)).toBe("zvans");
  expect(of("ru", "one=звонок;few=звонка;many=звонков;other=звонка", 12)).toBe("звонков");
});

test("a template's agent says that it is an AI and that the call is recorded, and owns up to it when asked", () => {
  for (const language of AGENT_LANGUAGES) {
    const texts = Object.entries({ en, ...TRANSLATIONS }[language]);
    const ending = (end: string) =>
      texts.filter(([key]) => /^template\..*\./.test(key) && key.endsWith(end));
    expect(ending(".first_message")).toHaveLength(5);
    for (const [key, text] of ending(".first_message"))
      expect({ key, ...disclosedBy(text, language) }).toEqual({ key, ai: true, recorded: true });
    for (const [key, text] of ending(".prompt"))
      expect({ key, ai: disclosedBy(text, language).ai }).toEqual({ key, ai: true });
  }
});
