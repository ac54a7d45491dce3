import { expect, test } from "bun:test";
import { shuffled, unshuffled } from "../../../src/platform/memory/shuffle.ts";

test("bytes of the same position are grouped; a remainder stays at the end", () => {
  const numbers = Uint8Array.of(1, 2, 3, 4, 11, 12, 13, 14, 21, 22);
  expect([...shuffled(numbers, 4)]).toEqual([4, 1, 11, 2, 12, 3, 13, 4, 14, 21, 22]);
});

test("numbers come back as they were, whatever is left over", () => {
  for (let length = 0; length < 14; length++) {
    const numbers = Uint8Array.from({ length }, (_, index) => index * 37);
    expect(unshuffled(shuffled(numbers, 4))).toEqual(numbers);
    expect(unshuffled(shuffled(numbers, 6))).toEqual(numbers);
  }
});
