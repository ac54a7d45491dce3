/** What the words of a caller who has not finished say about what follows. */
import { expect, test } from "bun:test";
import { isDictating } from "../../../src/domain/conversation/words.ts";

test.each([
  ["my number is eight six", "en", false],
  ["my number is eight six one", "en", true],
  ["call 861", "en", false],
  ["call 8612", "en", true],
  ["call 86 12", "en", true],
  ["call 861 now", "en", false],
  ["8612 please", "en", false],
  ["mano numeris aštuoni šeši", "lt", false],
  ["mano numeris aštuoni šeši vienas", "lt", true],
  ["", "en", false],
] as const)("%s (%s): still dictating: %p", (text, language, dictating) => {
  expect(isDictating(text, language)).toBe(dictating);
});
