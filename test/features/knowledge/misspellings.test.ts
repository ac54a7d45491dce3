/** Possible corrections of a misspelled word. */
import { expect, test } from "bun:test";
import { stemsMeant } from "../../../src/features/knowledge/misspellings.ts";
import { stemsOfWord } from "../../../src/features/knowledge/stems.ts";

const isMeant = (typed: string, word: string) =>
  stemsOfWord(word).some((stem) => stemsMeant(typed).has(stem));

test.each([
  ["swapped", "huors", "hours", true],
  ["swapped in a short word", "pian", "pain", true],
  ["swapped in a shorter one", "mna", "man", false],
  ["wrong", "whitezing", "whitening", true],
  ["wrong at the beginning", "mhitening", "whitening", true],
  ["wrong in a short word", "hurt", "hurl", false],
  ["missing", "impants", "implants", true],
  ["too many", "immplants", "implants", true],
  ["two wrong", "whetezing", "whitening", false],
  ["missing in a stem that is cut", "regstracijos", "registracija", true],
  ["too many in a stem that is cut", "regisstracijos", "registracija", true],
  ["wrong beside a mark", "bųlinimas", "balinimas", true],
  ["swapped in Cyrillic", "пломыб", "пломбы", true],
  ["wrong in Cyrillic", "отбексивание", "отбеливание", false],
  ["missing in Cyrillic", "отбливание", "отбеливание", true],
])("a letter %s: %s may be %s: %p", (_, typed, word, expected) => {
  expect(isMeant(typed, word)).toBe(expected);
});
