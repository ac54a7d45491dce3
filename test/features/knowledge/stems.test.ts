/** Stemming in the four languages, to the letter. */
import { expect, test } from "bun:test";
import {
  contentStems,
  stem,
  stemsHeld,
  stemsOfText,
  stemsOfWord,
} from "../../../src/features/knowledge/stems.ts";

test.each([
  ["cat", "cat"],
  ["cats", "cat"],
  ["bus", "bus"],
  ["toy", "toy"],
  ["toys", "toy"],
  ["dentist's", "dentist"],
  ["clinics", "clinic"],
  ["parties", "part"],
  ["boxes", "box"],
  ["glasses", "glass"],
  ["class", "class"],
  ["virus", "virus"],
  ["price", "pric"],
  ["prices", "pric"],
  ["open", "open"],
  ["opening", "open"],
  ["opened", "open"],
  ["being", "being"],
  ["paying", "pay"],
  ["planned", "plan"],
  ["treatment", "treat"],
  ["kindly", "kind"],
])("%s is %s in English", (word, expected) => {
  expect(stem(word, "en")).toBe(expected);
});

test.each([
  ["kava", "kava"],
  ["kavos", "kavo"],
  ["kainas", "kain"],
  ["kainoje", "kaino"],
  ["dantukas", "dantuk"],
  ["dantukais", "dantuka"],
  ["gydytojams", "gydytoj"],
  ["žvakėmis", "zvakem"],
])("%s is %s if its ending shows the language", (word, expected) => {
  expect(stem(word, "lt")).toBe(expected);
});

test("a text is stemmed in the language that its letters show; figures and codes stay", () => {
  expect(stemsOfText("Opening hours A1b2")).toEqual(["open", "hour", "a1b2"]);
  expect(stemsOfText("Kainą pasakykite")).toEqual(["kain", "pasakyk"]);
  expect(stemsOfText("a".repeat(41))).toEqual(["a".repeat(40)]);
  expect(stemsOfWord("opening")).toEqual(["open", "openi"]);
  expect(stemsOfWord("4172")).toEqual(["4172"]);
});

test.each([
  ["Plomba kainuoja nuo 60 iki 110 EUR.", "plom"],
  ["Plombe kalpo un ir izturiga", "plom"],
  ["A plomba costs money, ar tai ir", "plom"],
  ["A plomba of the plomba is in it", "plomba"],
  ["plomba", "plomba"],
])("if no letter shows the language of %p, its small words do: %s", (text, expected) => {
  expect(stemsOfText(text)).toContain(expected);
});

test("content stems leave out common words, unless nothing else is left", () => {
  expect(contentStems("What does parking cost?")).toEqual(["park", "cost"]);
  expect(contentStems("What is it?")).toEqual(["what", "is", "it"]);
  expect(contentStems("information")).toEqual(["infor"]);
});

const SENTENCES = [
  "Teeth whitening costs 90 EUR, parties and flies; planned treatments are open. Code A1b2.",
  "Žvakėmis ir gydytojams kainuoja; šeštadieniais nedirbame, dantukais rūpinasi gydytoja.",
  "Zobu balināšana maksā deviņdesmit eiro, ķirurgs pieņem trešdienās.",
  "Две стоянки находятся за домом, йогурт и ёлка; приём врача по четвергам.",
  `A word of forty-one letters: ${"ab".repeat(20)}c, twice ${"ab".repeat(20)}d. x y`,
];

test("a text contains exactly the stems in its index", () => {
  const asked = SENTENCES.flatMap((text) => stemsOfText(text));
  const cut = asked.flatMap((known) => [known.slice(0, -1), `${known}s`, known.slice(1)]);
  for (const text of SENTENCES) {
    const indexed = new Set(stemsOfText(text));
    const candidates = [...asked, ...cut].filter((candidate) => candidate !== "");
    const held = candidates.filter((candidate) => indexed.has(candidate));
    expect([...stemsHeld(text, candidates)].sort()).toEqual([...new Set(held)].sort());
  }
});
