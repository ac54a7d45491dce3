/** A person who wants to leave a message is not a machine; a machine that asks for one is. */
import { expect, test } from "bun:test";
import { greetingKindOf } from "../../../src/conversation/answering-machine-detection/greeting-words.ts";

test.each([
  "Hello? I want to leave a message for the doctor.",
  "Hi, can I leave a message?",
  "I'd like to leave my number.",
  "Could I please leave a message for Anna?",
  "Laba diena, norėčiau palikti žinutę.",
  "Ar galiu jums palikti pranešimą?",
  "Здравствуйте, я хочу оставить сообщение.",
  "Можно оставить сообщение для врача?",
])("a person says: %s", (words) => {
  expect(greetingKindOf(words)).toBeNull();
});

test.each([
  ["They record a short message.", "machine"],
  ["They record a very short message.", null],
] as const)("at most two words may separate those of a pattern: %s is %p", (words, kind) => {
  expect(greetingKindOf(words)).toBe(kind);
});

test.each([
  "I'm not here. Please leave a message.",
  "I would like you to leave a message after the tone.",
  "You can leave a message.",
  "I can't come to the phone. If you want to leave a message, speak after the beep.",
  "Prašome palikti žinutę po signalo.",
  "Galite palikti žinutę.",
  "Вы можете оставить сообщение.",
  "Оставьте сообщение после сигнала.",
])("a machine says: %s", (words) => {
  expect(greetingKindOf(words)).toBe("machine");
});
