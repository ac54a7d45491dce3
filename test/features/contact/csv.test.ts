import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ONE_LINE } from "../../../src/core/one-line.ts";
import type { ContactFields } from "../../../src/features/contact/contact-schema.ts";
import {
  contactCsvLine,
  contactsCsvHeader,
  readContactsCsv,
} from "../../../src/features/contact/csv.ts";
import { readCsvFile } from "../../../src/features/contact/csv-file.ts";

const NOW = Date.UTC(2026, 10, 28, 12);
const read = (csv: string) => readContactsCsv(csv, "LT", NOW);

describe("valid files", () => {
  test("a comma file with all columns", async () => {
    const { contacts, problems } = await read(
      'number,first_name,last_name,vocative,birthday,language,notes,consent,do_not_call\n+37061234567,Jonas,Petraitis,Jonai,1980-02-29,lt,"Likes, commas",yes,no\n',
    );
    expect(problems).toEqual([]);
    expect(contacts).toEqual([
      {
        line: 2,
        numberE164: "+37061234567",
        firstName: "Jonas",
        lastName: "Petraitis",
        vocative: "Jonai",
        birthday: "1980-02-29",
        language: "lt",
        notes: "Likes, commas",
        consent: true,
        doNotCall: false,
      },
    ]);
  });

  test("a spreadsheet's file: semicolons, byte order mark, CRLF, Lithuanian headings, national numbers", async () => {
    const { contacts } = await read(
      "\uFEFFTelefonas;Vardas;Pavardė;Sutikimas\r\n8 612 34567;Rūta;Kazlauskienė;taip\r\n",
    );
    expect(contacts[0]).toMatchObject({
      numberE164: "+37061234567",
      firstName: "Rūta",
      lastName: "Kazlauskienė",
      consent: true,
    });
  });

  test("a line with fewer or more cells than the header", async () => {
    const { contacts, problems } = await read(
      "number,first_name,notes\n+37061234567\n+37061234568,Ona,Likes tea,more\n",
    );
    expect(problems).toEqual([]);
    expect(contacts).toMatchObject([
      { numberE164: "+37061234567", firstName: "", notes: "" },
      { numberE164: "+37061234568", firstName: "Ona", notes: "Likes tea" },
    ]);
  });

  test("a birthday without a year; unknown columns are ignored", async () => {
    const { contacts } = await read("number,shoe size,birthday\n+37061234567,44,--02-29\n");
    expect(contacts[0]).toMatchObject({ birthday: "--02-29", firstName: "" });
  });
});

test("byte order marks, quotes, blanks around cells and empty lines are removed", async () => {
  const csv = '\uFEFF"number" , "first_name"\r\n\r\n +37061234567 ,  Ona \r\n\r\n';
  expect(await readCsvFile(csv)).toEqual({
    header: ["number", "first_name"],
    lines: [{ cells: ["+37061234567", "Ona"], line: 3 }],
  });
});

describe("invalid files", () => {
  test.each([
    ["12", "number"],
    ["1001", "number"],
    ["", "number"],
  ])("the number %p, with its line", async (number, column) => {
    const { contacts, problems } = await read(
      `first_name,number\nJonas,+37061234567\nOna,${number}\n`,
    );
    expect(contacts).toHaveLength(1);
    expect(problems).toMatchObject([{ line: 3, column }]);
  });

  test.each([
    "1980-13-01",
    "1981-02-29",
    "1980-02-30",
    "1980-04-31",
    "1899-01-01",
    "29.02.1980",
    "1980-2-9",
  ])("the birthday %s", async (day) => {
    const { problems } = await read(`number,birthday\n+37061234567,${day}\n`);
    expect(problems).toMatchObject([{ column: "birthday" }]);
  });

  test("a duplicate person, reported with the first line", async () => {
    const { contacts, problems } = await read(
      "number,first_name\n+37061234567,Ona\n+37061234567,ona\n+37061234567,Petras\n",
    );
    expect(contacts).toHaveLength(2);
    expect(problems[0]).toMatchObject({ line: 3 });
    expect(problems[0]?.problem).toContain("line 2");
  });

  test.each([
    ["", "empty"],
    ["first_name\nJonas\n", "number"],
    ['"number\n+37061234567\n', "cannot be read"],
  ])("the file %p", async (csv, says) => {
    await expect(read(csv)).rejects.toMatchObject({
      publicMessage: expect.stringContaining(says),
    });
  });

  test("lines at and above 20,000", async () => {
    const lines = (count: number) =>
      `number\n${Array.from({ length: count }, (_, index) => `+3706${String(index).padStart(7, "0")}`).join("\n")}\n`;
    expect((await read(lines(20_000))).contacts).toHaveLength(20_000);
    await expect(read(lines(20_001))).rejects.toThrow("20000 lines");
  });
});

test("a future birthday is refused; today's, in any time zone, is accepted", async () => {
  const problems = async (day: string) =>
    (await read(`number,birthday\n+37061234567,${day}\n`)).problems.map(({ problem }) => problem);
  for (const day of ["2026-11-29", "1900-01-01", "--12-31"])
    expect(await problems(day)).toEqual([]);
  expect(await problems("2026-11-30")).toEqual([
    '"2026-11-30" is in the future. Write the day of birth.',
  ]);
  expect(await problems("0001-01-01")).toHaveLength(1);
});

const field = fc
  .string({ maxLength: 40, unit: "grapheme" })
  .map((text) => text.replace(/[\r\0]/g, "").trim());
const name = field.filter((text) => ONE_LINE.test(text) && !text.includes("\ufffd"));
const anyContact: fc.Arbitrary<ContactFields> = fc.record({
  numberE164: fc.integer({ min: 60_000_000, max: 69_999_999 }).map((n) => `+370${n}`),
  firstName: name,
  lastName: name,
  vocative: fc.constantFrom(null, "Jonai"),
  birthday: fc.constantFrom(null, "1980-02-29", "--12-31"),
  language: fc.constantFrom(null, "lt" as const, "ru" as const),
  notes: field,
  consent: fc.boolean(),
  doNotCall: fc.boolean(),
});

test("written contacts read back unchanged, and no cell is a formula", async () => {
  await fc.assert(
    fc.asyncProperty(anyContact, async (contact) => {
      const csv = contactsCsvHeader() + contactCsvLine(contact);
      const { contacts, problems } = await read(csv);
      expect(problems).toEqual([]);
      expect(contacts[0]).toEqual({ ...contact, line: contacts[0]?.line ?? 0 });
      for (const cell of csv.split("\r\n")[1]?.split(",") ?? []) expect(cell).not.toMatch(/^[=@]/);
    }),
    { numRuns: 500 },
  );
});
