/** The journal of revocations, on real files: numbers, crashes, limits, and its owner. */
import { expect, test } from "bun:test";
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Revocation } from "../../../src/core/revocation.ts";
import {
  JOURNAL_NAME,
  type JournalPlace,
  openJournal,
} from "../../../src/ops/revocation/journal.ts";
import { tempDir } from "../../support/temp-dir.ts";

let made = 0;
const place = (dataDir: string, more: Partial<JournalPlace> = {}): JournalPlace => ({
  dataDir,
  appliance: "ours",
  newId: () => `journal-${++made}`,
  ...more,
});
const key = (hash: string): Revocation => ({ kind: "key", hash });
const refusal = (person: string, kept: boolean): Revocation => ({
  kind: "refusal",
  tenant: 1,
  person,
  kept,
});
const textOf = (dataDir: string) => readFileSync(join(dataDir, JOURNAL_NAME), "utf8");

test("numbering continues across openings, and only the owner may read the file", () => {
  const dataDir = tempDir();
  const first = openJournal(place(dataDir));
  expect([first.isNew, first.last(), first.append([key("a"), key("b")])]).toEqual([true, 0, 2]);
  first.close();
  const again = openJournal(place(dataDir));
  expect([again.isNew, again.id, again.last()]).toEqual([false, first.id, 2]);
  expect(again.append([key("c")])).toBe(3);
  expect(again.after(1).map(({ n }) => n)).toEqual([2, 3]);
  expect(again.after(3)).toEqual([]);
  again.close();
  expect(statSync(join(dataDir, JOURNAL_NAME)).mode & 0o777).toBe(0o600);
});

test("a line cut off by a crash is dropped, and later lines are complete", () => {
  const dataDir = tempDir();
  const journal = openJournal(place(dataDir));
  journal.append([key("a")]);
  journal.close();
  for (const torn of ['{"n":2,"kind":"ke', "\0\0\0\0"]) {
    appendFileSync(join(dataDir, JOURNAL_NAME), torn);
    const again = openJournal(place(dataDir));
    const n = again.last() + 1;
    expect(again.append([key(`after ${n}`)])).toBe(n);
    again.close();
    const lines = textOf(dataDir).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).n)).toEqual([
      undefined,
      ...Array.from({ length: n }, (_, index) => index + 1),
    ]);
  }
});

test("a file damaged in the middle stops the start with the remedy", () => {
  const dataDir = tempDir();
  openJournal(place(dataDir)).close();
  appendFileSync(join(dataDir, JOURNAL_NAME), 'not json\n{"n":2,"kind":"key","hash":"b"}\n');
  expect(() => openJournal(place(dataDir))).toThrow("is damaged");
});

test("of entries about the same subject the last counts; others are separate", () => {
  const journal = openJournal(place(tempDir()));
  journal.append([refusal("p", true), refusal("q", true), refusal("p", false)]);
  expect(journal.after(0)).toEqual([
    { n: 2, ...refusal("q", true) },
    { n: 3, ...refusal("p", false) },
  ]);
  journal.close();
});

test("it is limited: at the limit all is kept, above it the newest, and it says from which entry it is complete", () => {
  const dataDir = tempDir();
  const few = (count: number) => Array.from({ length: count }, (_, index) => key(`k${index}`));
  const at = openJournal(place(dataDir, { entriesMax: 10 }));
  at.append(few(10));
  at.close();
  const opened = openJournal(place(dataDir, { entriesMax: 10 }));
  expect([opened.wholeFrom, opened.after(0).length]).toEqual([1, 10]);
  // 19 in all: not compacted yet while it runs; the 20th is.
  opened.append(Array.from({ length: 9 }, (_, index) => key(`m${index}`)));
  expect([opened.wholeFrom, opened.after(0).length]).toEqual([1, 19]);
  opened.append([key("last")]);
  expect([opened.wholeFrom, opened.after(0).map(({ n }) => n)[0], opened.last()]).toEqual([
    11, 11, 20,
  ]);
  expect(opened.append([key("goes on")])).toBe(21);
  opened.close();
  const again = openJournal(place(dataDir, { entriesMax: 10 }));
  expect([again.last(), again.wholeFrom]).toEqual([21, 12]);
  again.close();
});

test("repeated entries drop nothing when it is compacted", () => {
  const dataDir = tempDir();
  const journal = openJournal(place(dataDir, { entriesMax: 3 }));
  for (let turn = 0; turn < 20; turn++) journal.append([refusal("p", turn % 2 === 0)]);
  expect([journal.wholeFrom, journal.last()]).toEqual([1, 20]);
  expect(textOf(dataDir).split("\n").length).toBeLessThan(10);
  journal.close();
});

test("another appliance's journal is moved aside, neither applied nor lost", () => {
  const dataDir = tempDir();
  const theirs = openJournal(place(dataDir, { appliance: "theirs" }));
  theirs.append([key("a")]);
  theirs.close();
  const ours = openJournal(place(dataDir));
  expect([ours.isNew, ours.last()]).toEqual([true, 0]);
  ours.close();
  const aside = readdirSync(dataDir).filter((name) => name.startsWith(`${JOURNAL_NAME}.`));
  expect(aside).toHaveLength(1);
  expect(readFileSync(join(dataDir, aside[0] ?? ""), "utf8")).toContain('"hash":"a"');
});

test("an empty file is not a journal", () => {
  const dataDir = tempDir();
  writeFileSync(join(dataDir, JOURNAL_NAME), "");
  const journal = openJournal(place(dataDir));
  expect(journal.isNew).toBe(true);
  journal.close();
});
