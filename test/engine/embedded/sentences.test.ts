/** Text for speech is split between sentences, not within a date or a time. */
import { expect, test } from "bun:test";
import { splitSentences } from "../../../src/engine/embedded/speech/sentences.ts";

test.each([
  ["Vizitas lapkričio 24 d. 10 val. Iki pasimatymo.", 2],
  ["Nāciet 24. novembrī plkst. 10. Lūdzu, paņemiet pasi.", 2],
  ["Skambinkite tel. 8 600 12345. Dirbame nuo 9 val. iki 17 val.", 2],
  ["Стоит 5 руб. 20 коп. Спасибо за звонок.", 2],
  ["We open at nine a.m. Please come in time. See you then.", 2],
  ["Your number is 5. 3 people are before you.", 2],
])("%s: %d sentences", (text, count) => {
  expect(splitSentences(text)).toHaveLength(count);
});

test.each([
  ["400 characters stay one piece", `${"ačiū ".repeat(79)}labai`, 1],
  ["401 characters are cut at a space", `${"ačiū ".repeat(79)}labai.`, 2],
  ["a long list is cut at a comma", "trys obuoliai, ".repeat(60), 3],
  ["a word of 900 letters is cut anywhere", "a".repeat(900), 3],
])("%s", (_, text, count) => {
  const pieces = splitSentences(text);
  expect(pieces).toHaveLength(count);
  for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(400);
  expect(pieces.join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
});
