import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { packDictionary } from "../../../../scripts/stress-dictionary.ts";
import {
  letterCodes,
  unpackDictionary,
  writeWord,
} from "../../../../src/adapter/engine/embedded/speech/stress-dictionary.ts";

const DATA = "src/adapter/engine/embedded/data/russian.zst";
const PACKAGE = "node_modules/@echogarden/espeak-ng-emscripten";

const entryOf = (word: string, stress: number): Uint8Array => {
  const six = new Uint8Array(64);
  const letters = Uint8Array.from(letterCodes(word));
  const bytes = writeWord(letters, letters.length, six, 0);
  return Uint8Array.of(bytes + 3, 0xc0 | bytes, ...six.subarray(0, bytes), stress);
};

/** With all entries in its first chain, where hardly one of them belongs. */
function dictionaryOf(entries: readonly Uint8Array[]): Uint8Array {
  const rules = Buffer.from("rules");
  const chains = Buffer.concat([...entries, new Uint8Array(1024)]);
  const header = Uint32Array.of(1024, 8 + chains.length);
  return Uint8Array.from(Buffer.concat([Buffer.from(header.buffer), chains, rules]));
}

test("the dictionary that the program brings is the package's, byte for byte", () => {
  const [, start, end] =
    /ru_dict",start:(\d+),end:(\d+)/.exec(readFileSync(`${PACKAGE}/espeak-ng.js`, "utf8")) ?? [];
  const original = readFileSync(`${PACKAGE}/espeak-ng.data`).subarray(Number(start), Number(end));
  const [path, dictionary] = unpackDictionary(Bun.zstdDecompressSync(readFileSync(DATA)));
  expect(path).toBe("/usr/share/espeak-ng-data/ru_dict");
  expect(dictionary.length).toBeGreaterThan(8_000_000);
  expect(Buffer.compare(dictionary, original)).toBe(0);
});

test.each([
  ["none", []],
  [
    "words of other chains, and the same word twice",
    ["на", "ёж", "на"].map((it) => entryOf(it, 65)),
  ],
  ["a word that says how it sounds", [Uint8Array.of(5, 1, 97, 98, 0)]],
  ["one whose stress is no small number", [entryOf("дом", 0x80)]],
])("entries that do not fit the sorted list are kept at their places: %s", (_, entries) => {
  const dictionary = dictionaryOf(entries);
  expect(unpackDictionary(packDictionary("/ru", dictionary))).toEqual(["/ru", dictionary]);
});

test("pairs of letters take one letter's room, but only from left to right", () => {
  const six = new Uint8Array(4);
  const written = (word: string) => {
    const letters = Uint8Array.from(letterCodes(word));
    return [...six.subarray(0, writeWord(letters, letters.length, six, 0))];
  };
  // "ла" is the first pair, 35; "а" alone 1, "л" 12.
  expect(written("ла")).toEqual([35 << 2]);
  expect(written("ала")).toEqual([45 << 2, 1 << 4]);
  expect(written("")).toEqual([]);
});
