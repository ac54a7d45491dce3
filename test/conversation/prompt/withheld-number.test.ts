/** An agent that uses the number of a caller who withholds it. */
import { expect, test } from "bun:test";
import { openingOf } from "../../../src/conversation/disclosure/disclosure.ts";
import { buildSystemPrompt, variablesOf } from "../../../src/conversation/prompt/prompt.ts";
import { callConfig, SETTINGS } from "../../support/media/scripted-call.ts";

const NOW = Date.UTC(2026, 10, 21, 22, 30);

test.each([
  ["en", "You call from {{caller_number}}.", "You call from a hidden number."],
  ["en", "You call from the number {{caller_number}}.", "You call from the hidden number."],
  ["en", "Your number is {{caller_number}}, right?", "Your number is hidden, right?"],
  ["en", "{{caller_number}} is on the line.", "A hidden number is on the line."],
  ["lt", "Skambinate iš {{caller_number}}.", "Skambinate iš paslėpto numerio."],
  ["lt", "Skambinate iš numerio {{caller_number}}.", "Skambinate iš paslėpto numerio."],
  ["lt", "Perskambinsime numeriu {{caller_number}}.", "Perskambinsime paslėptu numeriu."],
  ["lt", "Matau numerį {{ caller_number }}.", "Matau paslėptą numerį."],
  ["lt", "Jūsų numeris: {{from_number}}.", "Jūsų numeris: paslėptas."],
  ["lt", "Jūsų numeris yra {{from_number}}.", "Jūsų numeris yra paslėptas."],
  ["lt", "Skambina {{caller_number}}.", "Skambina paslėptas numeris."],
  ["lv", "Jūs zvanāt no {{caller_number}}.", "Jūs zvanāt no slēpta numura."],
  ["lv", "Jūs zvanāt no numura {{caller_number}}.", "Jūs zvanāt no slēpta numura."],
  ["lv", "Atzvanīsim uz {{caller_number}}.", "Atzvanīsim uz slēptu numuru."],
  ["lv", "Atzvanīsim uz numuru {{caller_number}}.", "Atzvanīsim uz slēptu numuru."],
  ["lv", "Zvana {{caller_number}}.", "Zvana slēpts numurs."],
  ["lv", "Jūsu numurs ir {{caller_number}}.", "Jūsu numurs ir slēpts."],
  ["ru", "Вы звоните с {{caller_number}}.", "Вы звоните со скрытого номера."],
  ["ru", "Вы звоните с номера {{caller_number}}.", "Вы звоните со скрытого номера."],
  ["ru", "Перезвоним по номеру {{caller_number}}.", "Перезвоним по скрытому номеру."],
  ["ru", "Перезвоним на {{caller_number}}.", "Перезвоним на скрытый номер."],
  ["ru", "Ваш номер — {{caller_number}}.", "Ваш номер — скрытый."],
  ["ru", "Звонит {{caller_number}}.", "Звонит скрытый номер."],
] as const)("%s: %s", (language, written, said) => {
  const config = {
    ...callConfig({ firstMessage: written, prompt: written, language }),
    fromNumber: "",
  };
  const variables = variablesOf(config, NOW);
  expect(openingOf(config, SETTINGS, variables).greeting.text).toBe(said);
  expect(buildSystemPrompt(config, variables)).toContain(said);
});

test("a known number is used unchanged", () => {
  const config = callConfig({ firstMessage: "You call from {{caller_number}}." });
  const { greeting } = openingOf(config, SETTINGS, variablesOf(config, NOW));
  expect(greeting.text).toBe("You call from +37060000001.");
});
