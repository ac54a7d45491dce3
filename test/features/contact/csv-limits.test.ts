/** Length limits of names, notes, lines and files of contacts, and the number of reported problems. */
import { expect, test } from "bun:test";
import { readContactsCsv } from "../../../src/features/contact/csv.ts";
import { readCsvFile } from "../../../src/features/contact/csv-file.ts";

const problemsOf = async (header: string, row: string) =>
  (await readContactsCsv(`number,${header}\n+37060000001,${row}\n`, null, 0)).problems.map(
    ({ column }) => column,
  );

test.each([
  ["first name", "first_name", 120],
  ["last name", "last_name", 120],
  ["vocative", "vocative", 120],
  ["notes", "notes", 2_000],
] as const)("%s: %s has at most %d characters", async (header, column, most) => {
  expect(await problemsOf(header, "x".repeat(most))).toEqual([]);
  expect(await problemsOf(header, "x".repeat(most + 1))).toEqual([column]);
});

test("200 problems are listed, all are counted", async () => {
  const { problems, problemCount } = await readContactsCsv(`number\n${"x\n".repeat(201)}`, null, 0);
  expect([problems.length, problemCount]).toEqual([200, 201]);
});

test("a file has at most 20,000 lines", async () => {
  const file = (lines: number) => `number\n${"x\n".repeat(lines)}`;
  expect((await readContactsCsv(file(20_000), null, 0)).problemCount).toBe(20_000);
  for (const lines of [20_001, 100_000])
    await expect(readContactsCsv(file(lines), null, 0)).rejects.toThrow("20000 lines");
  expect((await readCsvFile(file(20_009))).lines).toHaveLength(20_001);
});

test("a line has at most 16,384 characters", async () => {
  const file = (characters: number) => `number\n${"x".repeat(characters)}\n`;
  expect((await readCsvFile(file(16_000))).lines).toHaveLength(1);
  await expect(readCsvFile(file(16_500))).rejects.toThrow("is longer than");
  const quoted = `"${"x\n".repeat(8_300)}"\n`;
  await expect(readCsvFile(quoted)).rejects.toThrow("cannot be read");
  for (const unit of [",", " ", '"'])
    await expect(readCsvFile(`number\n${unit.repeat(17_000)}`)).rejects.toThrow("is longer than");
  for (const end of ["\n", "\r", "\r\n"])
    expect(
      (await readCsvFile(`number${end}${`x${",".repeat(9_000)}${end}`.repeat(9)}`)).lines,
    ).toHaveLength(9);
});

test("an error about a header without a number repeats 200 of its characters", async () => {
  const asked = readContactsCsv(`${"x".repeat(250)}\n`, null, 0);
  await expect(asked).rejects.toThrow(`Its header contains: ${"x".repeat(200)}.`);
});

test("a header without a separator, or with as many of both, is separated by commas", async () => {
  expect((await readCsvFile("a,b;c\n1,2;3\n")).header).toEqual(["a", "b;c"]);
  expect((await readCsvFile("a;b;c,d\n")).header).toEqual(["a", "b", "c,d"]);
});
