/** A map that keeps its newest entries. */
import { expect, test } from "bun:test";
import { BoundedMap } from "../../src/core/bounded-map.ts";

test("above the limit the oldest entry is removed; setting an entry again makes it the newest", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
