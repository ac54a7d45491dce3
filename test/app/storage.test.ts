/**
 * A data directory's node id: created once, completely, and created again if a disk has damaged it. Real files.
 */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeIdOf } from "../../src/app/storage.ts";
import { systemRandom as random } from "../../src/core/random.ts";
import { tempDir } from "../support/temp-dir.ts";

const MADE = /^[0-9a-f]{16}$/;

test("it is created once, readable by its owner only", () => {
  const directory = tempDir();
  const made = nodeIdOf(directory, random);
  expect(made).toMatch(MADE);
  expect(nodeIdOf(directory, random)).toBe(made);
  expect(readdirSync(directory)).toEqual(["node-id"]);
  expect(statSync(join(directory, "node-id")).mode & 0o777).toBe(0o600);
});

test.each([
  ["empty", ""],
  ["NULs of a lost disk", "\0".repeat(17)],
  ["cut off", "2add28ba7863d6"],
  ["too long", "2add28ba7863d61e2add28ba7863d61e\n"],
])("%s is replaced", (_, text) => {
  const directory = tempDir();
  const file = join(directory, "node-id");
  writeFileSync(file, text);
  const made = nodeIdOf(directory, random);
  expect(made).toMatch(MADE);
  expect(readFileSync(file, "utf8")).toBe(`${made}\n`);
  expect(nodeIdOf(directory, random)).toBe(made);
});
