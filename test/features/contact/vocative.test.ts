/**
 * The vocative of names, compared with a manual list of at least 500 per language, including foreign ones.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { vocativeOf } from "../../../src/features/contact/vocative.ts";

const NAMES_MIN = 500;

const pairs = (language: string) =>
  readFileSync(join(import.meta.dir, "names", `${language}.txt`), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" ") as [string, string]);

describe.each([
  ["lt", "lithuanian"],
  ["lv", "latvian"],
] as const)("%s", (language, file) => {
  test("every listed name gets the listed vocative", () => {
    const names = pairs(file);
    expect(names.length).toBeGreaterThanOrEqual(NAMES_MIN);
    expect(new Set(names.map(([name]) => name)).size).toBe(names.length);
    for (const [name, vocative] of names)
      expect([name, vocativeOf(name, language)]).toEqual([name, vocative]);
  });

  test("capitals stay capitals", () => {
    for (const [name, vocative] of pairs(file))
      expect(vocativeOf(name.toUpperCase(), language)).toBe(vocative.toUpperCase());
  });
});

test("English and Russian use the name itself", () => {
  for (const language of ["en", "ru"] as const)
    for (const name of ["Jonas", "James", "Борис"]) expect(vocativeOf(name, language)).toBe(name);
});

test("letters of two code points equal composed ones", () => {
  expect(vocativeOf("Eglė".normalize("NFD"), "lt")).toBe("Egle");
});

test("a name too short for a rule stays unchanged", () => {
  expect(vocativeOf("As", "lt")).toBe("As");
  expect(vocativeOf("", "lv")).toBe("");
});
