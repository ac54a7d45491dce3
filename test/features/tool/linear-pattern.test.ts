/** A pattern's size is known before it is compiled. */
import { expect, test } from "bun:test";
import { LinearPattern, PatternRefused } from "../../../src/features/tool/linear-pattern.ts";

const sizeMax = 1_000;

test.each([
  ["a character", "a{900}"],
  ["a group", "(?:ab){450}"],
  ["nested groups", "(?:(?:a{9}){10}){9}"],
  ["a class", "[a-z(){5}]{900}"],
  ["an escaped brace", "\\{9{300}"],
  ["a repeat of nothing", "(a{900}){0}"],
])("a pattern below the limit is compiled; its repeats are %s", (_, source) => {
  expect(new LinearPattern(source, "", sizeMax).source).toBe(source);
});

test.each([
  ["one after the other", "a{1000}".repeat(280)],
  ["nested", "((a{1000}){1000}){1000}"],
  ["open ended", "(?:a{500}){3,}"],
  ["in a choice", "a{600}|b{600}"],
  ["long as text", "a".repeat(4_001)],
])("a pattern above the limit is refused; its repeats are %s", (_, source) => {
  const before = process.threadCpuUsage();
  expect(() => new LinearPattern(source, "", sizeMax)).toThrow(PatternRefused);
  expect(process.threadCpuUsage(before).user).toBeLessThan(100_000);
});
