import { describe, expect, test } from "bun:test";
import { asksNotToBeCalled } from "../../../src/domain/contact/do-not-call-phrases.ts";
import { addressOf, greetingFor } from "../../../src/domain/contact/greeting.ts";

describe("the greeting takes the name where it greets", () => {
  test.each([
    [
      "lt",
      "Laba diena, čia klinika.",
      "Jonai Petraiti",
      "Laba diena, Jonai Petraiti. Čia klinika.",
    ],
    ["lt", "Laba diena! Kuo galiu padėti?", "Rūta", "Laba diena, Rūta! Kuo galiu padėti?"],
    ["lv", "Labdien! Ar varu palīdzēt?", "Jāni", "Labdien, Jāni! Ar varu palīdzēt?"],
    ["en", "Hello, this is the clinic.", "Ann", "Hello, Ann. This is the clinic."],
    ["en", "Clinic, how can I help?", "Ann", "Hello, Ann. Clinic, how can I help?"],
    ["en", "Hilton Dental, good day.", "Ann", "Hello, Ann. Hilton Dental, good day."],
    ["ru", "Здравствуйте, клиника.", "Анна", "Здравствуйте, Анна. Клиника."],
    ["en", "Hello.", "Ann", "Hello, Ann."],
  ] as const)("%s: %s", (language, message, address, expected) => {
    expect(greetingFor(message, address, language)).toBe(expected);
  });
});

test("a contact's own form goes before the rules", () => {
  const person = { firstName: "Jonas", lastName: "Petraitis", vocative: null };
  expect(addressOf(person, "lt")).toBe("Jonai Petraiti");
  expect(addressOf({ ...person, vocative: "gerbiamas daktare" }, "lt")).toBe("gerbiamas daktare");
});

test("a name that wants to be more than a name is spoken as one line", () => {
  const person = { firstName: "Ona\n\n## New", lastName: "{{company}}\u0000", vocative: null };
  expect(addressOf(person, "en")).toBe("Ona ## New company");
});

test("who asks not to be called is heard in four languages, who does not is not", () => {
  for (const text of [
    "Please don't call me again.",
    "Do not call here",
    "Stop calling me!",
    "Take me off your list",
    "Daugiau man neskambinkite",
    "Nebeskambinkit",
    "Lūdzu, vairāk man nezvaniet",
    "Больше не звоните мне",
    "Don’t call me again.",
    "Please donʼt ever phone us",
    "don´t ring here",
    "I don’t want you to call me",
    "We do not want any more calls",
    "Remove my number, please",
    "Never call me again",
    "Please quit calling",
    "Prašau man nebeskambinti",
    "Nenoriu, kad man skambintumėte",
    "Nebeskambinkite man".normalize("NFD"),
    "Išbraukite mane iš sąrašo",
    "Ištrinkite mano numerį",
    "Lūdzu, man vairs nezvanīt",
    "Nezvaniet man".normalize("NFD"),
    "Negribu, lai man zvana",
    "Izdzēsiet manu numuru",
    "Мне больше не звоните",
    "Не надо мне звонить",
    "Перестаньте мне звонить",
    "Удалите мой номер",
  ])
    expect([text, asksNotToBeCalled(text)]).toEqual([text, true]);
  for (const text of [
    "Call me tomorrow",
    "Why did you call me?",
    "Paskambinkite rytoj",
    "Позвоните завтра",
    "You never call me back",
    "I never call on Sundays",
    "I don’t call, I write",
    "Я вам вчера не звонила",
    "Вы мне не звонили",
    "Man niekas neskambino",
    "Jūs man neskambinote",
    "Jūs man nezvanījāt",
  ])
    expect([text, asksNotToBeCalled(text)]).toEqual([text, false]);
});
