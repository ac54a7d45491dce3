/** The first words: the disclosure mentions artificial intelligence, and nobody is greeted twice. */
import { expect, test } from "bun:test";
import { DISCLOSURE } from "../../../src/conversation/conversation-settings.ts";
import { openingOf } from "../../../src/conversation/disclosure/disclosure.ts";
import { callConfig, SETTINGS } from "../../support/media/scripted-call.ts";

test.each([
  ["en", /artificial intelligence/],
  ["lt", /dirbtinio intelekto/],
  ["lv", /mākslīgā intelekta/],
  ["ru", /искусственным интеллектом/],
] as const)("%s: it mentions artificial intelligence and does not greet", (language, named) => {
  expect(DISCLOSURE[language]).toMatch(named);
  expect(DISCLOSURE[language]).not.toMatch(/^(hello|sveiki|laba|labdien|здравствуйте)/i);
});

const saidFirst = (
  disclosure: string,
  firstMessage: string,
  language: "en" | "lt" | "lv" | "ru",
) => {
  const config = { ...callConfig({ firstMessage, language }), disclosure };
  const { greeting } = openingOf(config, SETTINGS, {});
  return `${greeting.disclosure} ${greeting.text}`;
};

test.each([
  [
    "en",
    "Hello, you speak with an AI.",
    "Hello! How can I help?",
    "You speak with an AI. Hello! How can I help?",
  ],
  [
    "en",
    "Hello, you speak with an AI.",
    "How can I help?",
    "Hello, you speak with an AI. How can I help?",
  ],
  ["en", "You speak with an AI.", "Hello!", "You speak with an AI. Hello!"],
  [
    "lt",
    "Sveiki, kalbate su DI.",
    "Laba diena! Kuo galiu padėti?",
    "Kalbate su DI. Laba diena! Kuo galiu padėti?",
  ],
  [
    "lv",
    "Labdien! Runājat ar MI.",
    "Labdien! Kā varu palīdzēt?",
    "Runājat ar MI. Labdien! Kā varu palīdzēt?",
  ],
  [
    "ru",
    "Здравствуйте, с вами говорит ИИ.",
    "Здравствуйте! Чем могу помочь?",
    "С вами говорит ИИ. Здравствуйте! Чем могу помочь?",
  ],
] as const)("%s: “%s” before “%s”", (language, disclosure, firstMessage, said) => {
  expect(saidFirst(disclosure, firstMessage, language)).toBe(said);
});
