/** The documents match the program. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { operationPage } from "../scripts/metrics-table.ts";
import { webhookPage } from "../scripts/webhook-table.ts";
import { ENDED_REASONS } from "../src/core/ended-reason.ts";
import { knownKeys } from "../src/ops/config/known-keys.ts";
import { statementsOf } from "./support/source/specification.ts";

const DOCS = join(import.meta.dir, "../docs");
const pages = readdirSync(DOCS).filter((name) => name.endsWith(".md"));
const textOf = (name: string) => readFileSync(join(DOCS, name), "utf8");

test("every end reason of a call has its line in troubleshooting", () => {
  const text = textOf("troubleshooting.md");
  for (const reason of ENDED_REASONS) expect(text).toContain(`\`${reason}\``);
});

test("links between pages have a target, and every page is in the index", () => {
  for (const page of pages)
    for (const [, target = ""] of textOf(page).matchAll(/\]\((?!https?:)([\w./-]+\.md)\)/g))
      expect([page, target, existsSync(join(DOCS, target))]).toEqual([page, target, true]);
  for (const page of pages.filter((name) => name !== "README.md"))
    expect(textOf("README.md")).toContain(`(${page})`);
});

test("the events of webhooks.md equal the catalogue: npm run docs", async () => {
  const { is, wanted } = await webhookPage();
  expect(is).toBe(wanted);
});

test("the figures of operation.md equal the exported ones (npm run docs), and no page names another", async () => {
  const { is, wanted } = await operationPage();
  expect(is).toBe(wanted);
  for (const page of pages)
    for (const [figure] of textOf(page).matchAll(/\blinevoice_[a-z_]+/g))
      expect([page, figure, is.includes(`| \`${figure.replace(/_bucket$/, "")}\` |`)]).toEqual([
        ...[page, figure],
        true,
      ]);
});

/** Names of other programs, and fields inside answers. */
const NOT_EVENTS = new Set([
  ...["charge.dispute", "model.messages", "model.tools", "customer.number", "caller.level"],
  "sip.srtp",
  ...["usage.discarded", "cost_of_goods.discarded_eur"],
]);
const FILE_NAME = /\.(?:conf|md|pub|toml|txt|ya?ml|json|xml|pack|wav|key|db|journal|service|sh)$/;

test("log and webhook events in the documents exist", async () => {
  const root = join(import.meta.dir, "..");
  const sources = await Array.fromAsync(new Bun.Glob("src/**/*.{ts,tsx}").scan(root));
  const text = sources.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
  const written = new Set(Array.from(text.matchAll(/"([a-z_]+\.[a-z_]+)"/g), ([, name]) => name));
  const unknown = pages.flatMap((page) =>
    Array.from(textOf(page).matchAll(/`([a-z][a-z_]+\.[a-z_]+)`/g), ([, name = ""]) => name)
      .filter((name) => !written.has(name) && !NOT_EVENTS.has(name) && !FILE_NAME.test(name))
      .map((name) => `${page}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test("configuration keys in the documents exist", () => {
  const names = new Set(knownKeys.map(({ name }) => name));
  for (const page of pages)
    for (const [, section, key] of textOf(page).matchAll(/`\[([\w.]+)\] ([a-z_0-9]+)/g))
      expect([page, `${section}.${key}`, names.has(`${section}.${key}`)]).toEqual([
        page,
        `${section}.${key}`,
        true,
      ]);
});

/** Of cells such as "`test/a.test.ts`: title<br>`test/b.test.ts`: title", those whose test is not there. */
function missingTests(cells: readonly string[]): string[] {
  const root = join(import.meta.dir, "..");
  return cells
    .flatMap((cell) => cell.split("<br>"))
    .filter((held) => {
      const [, file = "", title = ""] = /^`(test\/[\w./-]+\.test\.ts)`: (.+)$/.exec(held) ?? [];
      const path = join(root, file);
      return file === "" || !existsSync(path) || !readFileSync(path, "utf8").includes(title);
    });
}

describe("the specification", () => {
  const NOTHING_TO_TEST = /^Nothing to test: \w.+\.$/;
  /** Sentence → what holds it. The same sentence may stand in two sections. */
  const rows = [...textOf("specification.md").matchAll(/^\| (.+) \| (.+) \|$/gm)]
    .map(([, sentence = "", heldBy = ""]) => ({
      sentence: sentence.replaceAll("\\|", "|"),
      heldBy,
    }))
    .filter(({ sentence }) => sentence !== "sentence");

  test("has a row for each sentence, in order, and no other row", () => {
    const text = readFileSync(join(DOCS, "specification/api-v1.md"), "utf8");
    expect(rows.map(({ sentence }) => sentence)).toEqual(
      statementsOf(text).map(({ text }) => text),
    );
  });

  test("has a test for each sentence, or the reason why there is nothing to test", () => {
    const untested = rows.filter(({ heldBy }) => !NOTHING_TO_TEST.test(heldBy));
    expect(missingTests(untested.map(({ heldBy }) => heldBy))).toEqual([]);
  });
});

test("each promise of the threat model names a test that exists", () => {
  const promises = [
    ...textOf("security/threat-model.md").matchAll(/^\| .+ \| .+ \| (`test.+) \|$/gm),
  ];
  expect(promises.length).toBeGreaterThan(45);
  expect(missingTests(promises.map(([, heldBy = ""]) => heldBy))).toEqual([]);
});

test("cited decisions, sections of the specification and of the appliance's page exist", async () => {
  const root = join(import.meta.dir, "..");
  const decisions = readdirSync(join(DOCS, "decisions"));
  const headingsOf = (page: string) =>
    [...readFileSync(join(DOCS, page), "utf8").matchAll(/^## (\d+)\. /gm)].map(([, n]) =>
      Number(n),
    );
  const cited = {
    decisions: decisions.map((name) => Number.parseInt(name, 10)),
    specification: headingsOf("specification/api-v1.md"),
    appliance: headingsOf("specification/appliance.md"),
  };
  const CITATION = /\b(decisions|specification|appliance)(?:\.md)?,?(?: section)? (\d+)\b(?! %)/g;
  const wrong: string[] = [];
  let found = 0;
  for await (const file of new Bun.Glob("{src,test,bench,scripts,config}/**/*.{ts,tsx,toml}").scan(
    root,
  ))
    for (const [text, page, number] of readFileSync(join(root, file), "utf8").matchAll(CITATION)) {
      found++;
      if (!cited[page as keyof typeof cited].includes(Number(number)))
        wrong.push(`${file}: ${text}`);
    }
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThan(70);
});
