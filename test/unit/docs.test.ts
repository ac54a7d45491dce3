/** The documents speak of what there is. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ENDED_REASONS } from "../../src/call/ended-reason.ts";
import { knownKeys } from "../../src/config/known-keys.ts";

const DOCS = join(import.meta.dir, "../../docs");
const pages = readdirSync(DOCS).filter((name) => name.endsWith(".md"));
const textOf = (name: string) => readFileSync(join(DOCS, name), "utf8");

test("every reason a call can end for has its line in troubleshooting", () => {
  const text = textOf("troubleshooting.md");
  for (const reason of ENDED_REASONS) expect(text).toContain(`\`${reason}\``);
});

test("links between pages lead somewhere, and every page is in the index", () => {
  for (const page of pages)
    for (const [, target] of textOf(page).matchAll(/\]\((?!https?:)([\w./-]+\.md)\)/g))
      expect([page, target, pages.includes(target ?? "")]).toEqual([page, target ?? "", true]);
  for (const page of pages.filter((name) => name !== "README.md"))
    expect(textOf("README.md")).toContain(`(${page})`);
});

test("configuration keys that are named exist", () => {
  const names = new Set(knownKeys.map(({ name }) => name));
  for (const page of pages)
    for (const [, section, key] of textOf(page).matchAll(/`\[([\w.]+)\] ([a-z_0-9]+)/g))
      expect([page, `${section}.${key}`, names.has(`${section}.${key}`)]).toEqual([
        page,
        `${section}.${key}`,
        true,
      ]);
});
