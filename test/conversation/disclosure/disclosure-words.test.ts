/** First messages that contain the disclosure. */
import { expect, test } from "bun:test";
import { DISCLOSURE } from "../../../src/conversation/conversation-settings.ts";
import {
  disclosedBy,
  disclosingStart,
} from "../../../src/conversation/disclosure/disclosure-words.ts";
import type { AgentLanguage } from "../../../src/features/agent/agent.ts";

type Case = readonly [AgentLanguage, string, ai: boolean, recorded: boolean];

const CASES: readonly Case[] = [
  ["en", DISCLOSURE.en, true, true],
  ["lt", DISCLOSURE.lt, true, true],
  ["lv", DISCLOSURE.lv, true, true],
  ["ru", DISCLOSURE.ru, true, true],

  ["en", "Hi, I'm Ann, the virtual assistant of Bright Smile. Calls are recorded.", true, true],
  ["en", "This is an automated system; this call may be recorded for quality.", true, true],
  ["en", "You are talking to a robot.", true, false],
  ["en", "We record all calls. How can I help?", false, true],
  ["en", "You are on a recorded line.", false, true],
  ["en", "I am not a robot. This call is not recorded.", false, false],
  ["en", "This call isn’t being recorded.", false, false],
  ["en", "Hello! How can I help you?", false, false],
  ["en", "This is the aid desk, do you call about your medical records?", false, false],

  ["lt", "Sveiki, čia skaitmeninis klinikos asistentas. Pokalbiai įrašomi.", true, true],
  ["lt", "Kalbate su dirbtiniu intelektu.", true, false],
  ["lt", "Čia robotas Ona, mūsų skambutis yra įrašomas.", true, true],
  ["lt", "Informuojame, kad įrašome visus pokalbius.", false, true],
  ["lt", "Pokalbis neįrašomas, aš ne robotas.", false, false],
  ["lt", "Laba diena! Kuo galiu padėti?", false, false],
  ["lt", "Sveiki, čia virtuali parduotuvė, ar įrašyti jus vizitui?", false, false],

  ["lv", "Labdien, jūs runājat ar mākslīgo intelektu. Zvani tiek ierakstīti.", true, true],
  ["lv", "Es esmu virtuālā palīdze Anna.", true, false],
  ["lv", "Mēs ierakstām sarunas.", false, true],
  ["lv", "Saruna netiek ierakstīta, es neesmu robots.", false, false],
  ["lv", "Labdien! Vai pierakstīt jūs uz sarunu?", false, false],

  ["ru", "Здравствуйте, я голосовой помощник клиники. Все разговоры записываются.", true, true],
  ["ru", "Вам звонит робот, ведётся запись.", true, true],
  ["ru", "Я искусственный интеллект.", true, false],
  ["ru", "Мы записываем звонки.", false, true],
  ["ru", "Разговор не записывается, я не робот.", false, false],
  ["ru", "Вы звоните записаться к врачу?", false, false],
  ["ru", "Здравствуйте! Чем могу помочь?", false, false],
];

test.each(CASES)("%s: %s", (language, text, ai, recorded) => {
  expect(disclosedBy(text, language)).toEqual({ ai, recorded });
});

test("disclosing sentences are separated from the rest", () => {
  const message = "Hello, I am an AI assistant. This call is recorded. How can I help?";
  expect(disclosingStart(message, DISCLOSURE.en, "en")).toEqual({
    start: "Hello, I am an AI assistant. This call is recorded.",
    remainder: "How can I help?",
  });
  expect(disclosingStart(message, "You are speaking with a robot.", "en")).toEqual({
    start: "Hello, I am an AI assistant.",
    remainder: "This call is recorded. How can I help?",
  });
});

test("half of a disclosure, or a similar text, does not count as disclosure", () => {
  expect(disclosingStart("Hello, this is a robot.", DISCLOSURE.en, "en")).toBeNull();
  expect(disclosingStart("Hello, this call is recorded.", DISCLOSURE.en, "en")).toBeNull();
  expect(
    disclosingStart("Hello, a robot. Recorded.", "This call costs one euro.", "en"),
  ).toBeNull();
});
