/** Addresses that robots.txt allows (RFC 9309). */
import { expect, test } from "bun:test";
import { readRobots } from "../../../src/features/knowledge/robots.ts";

const forAll = (...rules: string[]) => ["User-agent: *", ...rules].join("\n");

test.each([
  ["", "/a", true],
  ["<html>not found</html>", "/a", true],
  [forAll("Disallow:"), "/a", true],
  [forAll("Disallow: /"), "/a", false],
  [forAll("Disallow: /a"), "/ab?c", false],
  [forAll("Disallow: /a"), "/b/a", true],
  [forAll("Disallow: /a", "Allow: /a/b"), "/a/b/c", true],
  [forAll("Allow: /a/b", "Disallow: /a"), "/a/c", false],
  [forAll("Disallow: /a", "Allow: /a"), "/a", true],
  [forAll("disallow : /a # not this"), "/a", false],
  [forAll("Disallow: /*.pdf$"), "/x/price.pdf", false],
  [forAll("Disallow: /*.pdf$"), "/x/price.pdf?1", true],
  [forAll("Disallow: /a$"), "/a", false],
  [forAll("Disallow: /a$"), "/ab", true],
  [forAll("Disallow: /*?*sort="), "/list?a=1&sort=2", false],
  [forAll("Disallow: /*ab*ab$"), "/ab", true],
  ["User-agent: other\nDisallow: /", "/a", true],
  ["User-agent: other\nUser-agent: *\nDisallow: /", "/a", false],
  ["User-agent: *\nDisallow: /\nUser-agent: LineVoice\nDisallow: /b", "/a", true],
  ["User-agent: *\nAllow: /\nUser-agent: linevoice\nDisallow: /b", "/b", false],
  ["Disallow: /", "/a", true],
  ["\r\nUser-agent: *\r\nDisallow: /a\r\n", "/a", false],
])("%j: %s is allowed: %p", (text, path, allowed) => {
  expect(readRobots(text).allows(path)).toBe(allowed);
});

test("sitemaps may be listed anywhere", () => {
  const text = "Sitemap: https://a.example/1.xml\nUser-agent: *\nDisallow: /\nsitemap:/2.xml";
  expect(readRobots(text).sitemaps).toEqual(["https://a.example/1.xml", "/2.xml"]);
});

test("groups of other programs cost nothing, however many names and rules they have", () => {
  const names = Array.from({ length: 12_000 }, (_, n) => `User-agent: a${n}`);
  const rules = Array.from({ length: 20_000 }, () => "Disallow: /");
  const text = [...names, "User-agent: *", ...rules].join("\n");
  expect(readRobots(text).allows("/a")).toBe(false);
});

test("at most a thousand rules count", () => {
  const rules = (count: number) =>
    readRobots(forAll(...Array(count).fill("Disallow: /x"), "Disallow: /a")).allows("/a");
  expect([rules(998), rules(999), rules(1_000)]).toEqual([false, false, true]);
});

test("at most twenty thousand lines and a hundred sitemaps count", () => {
  const isRead = (lines: number) =>
    !readRobots(`User-agent: *\n${"a\n".repeat(lines)}Disallow: /a`).allows("/a");
  expect([isRead(19_998), isRead(19_999)]).toEqual([true, false]);
  expect(readRobots("Sitemap: /1.xml\n".repeat(101)).sitemaps).toHaveLength(100);
});
