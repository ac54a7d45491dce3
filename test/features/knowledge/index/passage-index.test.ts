/** Search results of a tenant's index. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { PassageIndex } from "../../../../src/features/knowledge/index/passage-index.ts";
import type { IndexedFile } from "../../../../src/features/knowledge/knowledge-index.ts";
import { tempDir } from "../../../support/temp-dir.ts";

const directory = tempDir();
const open: PassageIndex[] = [];
afterAll(() => {
  for (const index of open) index.close();
});

const now = async () => {};
const fileOf = (id: number, version = 1): IndexedFile => ({
  id,
  version,
  filename: `file-${id}.md`,
  format: "md",
});

async function indexOf(contents: readonly string[], name: string = crypto.randomUUID()) {
  const index = new PassageIndex(join(directory, `${name}.sqlite`));
  open.push(index);
  for (const [at, content] of contents.entries()) await index.add(fileOf(at + 1), content, now);
  return index;
}

const CLINIC = `# Whitening
Teeth whitening costs 90 EUR and takes two visits.
# Parking
Two places are behind the house.
# Darbo laikas
Klinika dirba nuo devintos iki penktos, šeštadieniais nedirbame.
# Cenas
Zobu balināšana maksā deviņdesmit eiro.
# Парковка
Две стоянки находятся за домом.`;

test.each([
  ["How much is a whitening?", "Whitening"],
  ["where can I park the car, is there a parking", "Parking"],
  ["Ar dirbate šeštadienį?", "Darbo laikas"],
  ["Cik maksā zobu balināšanu?", "Cenas"],
  ["Где стоянка?", "Парковка"],
  ["teeth whitning price", "Whitening"],
  ["whietning", "Whitening"],
  ["wihtening", "Whitening"],
  ["pakring", "Parking"],
  ["klinkia", "Darbo laikas"],
  ["šeštdaienį", "Darbo laikas"],
  ["maskā", "Cenas"],
  ["стояка", "Парковка"],
  ["столнка", "Парковка"],
])("%s is answered by %s", async (question, heading) => {
  const index = await indexOf([CLINIC]);
  expect(index.search([1], question)[0]?.heading).toBe(heading);
});

test("words that occur in no passage find nothing", async () => {
  const index = await indexOf([CLINIC]);
  expect(index.search([1], "xylophone")).toEqual([]);
  expect(index.search([1], "")).toEqual([]);
  expect(index.search([1], '") OR "a* NEAR(')).toEqual([]);
});

test("three unknown words of a question are treated as typos: at the limit, below and above", async () => {
  const index = await indexOf([CLINIC]);
  const asked = (unknown: number) =>
    index.search(
      [1],
      `${"xylophone zyzzyva vuvuzela ".split(" ").slice(0, unknown).join(" ")} huose`,
    );
  expect([0, 1, 2, 3].map((unknown) => asked(unknown)[0]?.heading ?? null)).toEqual([
    ...["Parking", "Parking", "Parking", null],
  ]);
});

test("only files of the scope are found", async () => {
  const index = await indexOf(["# Secret\nThe vault code is blue.", "# Hours\nNine to five."]);
  expect(index.search([1, 2], "vault code").map(({ fileId }) => fileId)).toEqual([1]);
  expect(index.search([2], "vault code")).toEqual([]);
  expect(index.search([], "vault code")).toEqual([]);
});

test("a changed file is found with its new text, and its old text is gone", async () => {
  const index = await indexOf(["# Price\nA crown costs 400 EUR."]);
  expect(index.missing([fileOf(1), fileOf(2)])).toEqual([fileOf(2)]);
  expect(index.missing([fileOf(1, 2)])).toEqual([fileOf(1, 2)]);
  await index.add(fileOf(1, 2), "# Price\nA crown costs 500 EUR.", now);
  expect(index.search([1], "crown").map(({ text }) => text)).toEqual(["A crown costs 500 EUR."]);
  expect(index.search([1], "400")).toEqual([]);
});

test("a deleted file is no longer found", async () => {
  const index = await indexOf(["# A\nApples are red.", "# B\nPears are green."]);
  await index.keepOnly(new Set([2]), now);
  expect(index.search([1, 2], "apples")).toEqual([]);
  expect(index.search([1, 2], "pears").length).toBe(1);
});

test("an index outlives its process, and a damaged one is rebuilt", async () => {
  const first = await indexOf([CLINIC], "kept");
  first.close();
  const second = await indexOf([], "kept");
  expect(second.missing([fileOf(1)])).toEqual([]);
  second.close();
  await Bun.write(
    join(directory, "kept.sqlite"),
    "not a database at all, but long enough to be read as one",
  );
  const third = await indexOf([], "kept");
  expect(third.missing([fileOf(1)])).toEqual([fileOf(1)]);
});

test("the passage repeated by an answer is its source; small talk has none", async () => {
  const index = await indexOf([CLINIC]);
  const sources = (answer: string) => index.sourcesOf([1], answer).map(({ heading }) => heading);
  expect(sources("Whitening is 90 EUR, and it takes two visits.")).toEqual(["Whitening"]);
  expect(sources("Klinika dirba nuo devintos iki penktos.")).toEqual(["Darbo laikas"]);
  expect(sources("You are welcome. Is there anything else?")).toEqual([]);
  expect(sources("")).toEqual([]);
});

test("a word in every passage does not require ranking all of them", async () => {
  const sections = Array.from({ length: 8_000 }, (_, n) => `# Part ${n}\nAcme part number p${n}.`);
  const index = await indexOf([sections.join("\n")]);
  expect(index.search([1], "Acme p4711")[0]?.text).toBe("Acme part number p4711.");
  expect(index.search([1], "Acme").length).toBe(8);
});
