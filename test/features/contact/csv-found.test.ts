/** Real contact files of spreadsheets and messengers, and the import of an export. */
import { expect, test } from "bun:test";
import { readTargetsCsv } from "../../../src/features/campaign/targets-csv.ts";
import type { ContactFields } from "../../../src/features/contact/contact-schema.ts";
import {
  contactCsvLine,
  contactsCsvHeader,
  readContactsCsv,
} from "../../../src/features/contact/csv.ts";

const read = (csv: string) => readContactsCsv(csv, "LT", 0);

test.each([
  ["sep=;\r\nnumber;first_name\r\n+37060000001;Ona\r\n"],
  ['"sep=;"\nnumber;first_name\n+37060000001;Ona\n'],
  ["number\tfirst_name\n+37060000001\tOna\n"],
  ["\ufeffnumber;first_name\n\u202a+370 600\u201100\u2010001\u202c;\u200eOna\u200f\n;;;;\n;\n"],
  ["number,first_name\n'+370 600 00 001,Ona\n , \n"],
  ["number,first_name\n+370−600–00001,Ona\n"],
  ['"number","first_name"\n"+37060000001","Ona"\n'],
])("%j is one contact", async (csv) => {
  const { contacts, problems } = await read(csv);
  expect(problems).toEqual([]);
  expect(contacts).toMatchObject([{ numberE164: "+37060000001", firstName: "Ona" }]);
});

test.each([
  ['+37060000001,Jonas "Jon" P', 2],
  ['+37060000001,"Jonas', 2],
  ['+37060000001,"Jonas"x', 2],
])("a stray quotation mark refuses only its row: %s", async (row, line) => {
  const good = '+37060000002,"Ona, the\nsecond"';
  const { contacts, problems } = await read(`number,notes\n${row}\n${good}\n+37060000003,Petras\n`);
  expect(contacts.map(({ notes }) => notes)).toEqual(["Ona, the\nsecond", "Petras"]);
  expect(problems).toMatchObject([{ line, column: null }]);
  expect(problems[0]?.problem).toContain("quotation mark");
  const { targets, problems: bad } = await readTargetsCsv(`number\n${row}\n+37060000003\n`, null);
  expect([targets.length, bad.length]).toEqual([1, 1]);
});

test("the error names the column with lost letters and the line of the file", async () => {
  const { contacts, problems } = await read("sep=,\nnumber,first_name\n+37060000001,\ufffdarka\n");
  expect(contacts).toEqual([]);
  expect(problems).toMatchObject([{ line: 3, column: "first_name" }]);
  expect(problems[0]?.problem).toContain("UTF-8");
});

test("an export is read back unchanged, apostrophes and formulas included", async () => {
  const texts = [
    "=1+1",
    "'=1+1",
    "''=1",
    "-5 kg",
    "@home",
    "a;=b",
    "a;'=b",
    "x\n+call me",
    "x\r\n'-y",
    "it's",
    "' =",
    "  both ends  ",
    'say "no"',
    "tab\tin",
  ];
  const contacts = texts.map(
    (notes, at): ContactFields => ({
      numberE164: `+3706000${String(at).padStart(4, "0")}` as ContactFields["numberE164"],
      firstName: at === 0 ? "-Ona" : "'Ona",
      lastName: "O'Neil",
      vocative: null,
      birthday: "--02-29",
      language: "lt",
      notes,
      consent: true,
      doNotCall: false,
    }),
  );
  const { contacts: back, problems } = await read(
    contactsCsvHeader() + contacts.map(contactCsvLine).join(""),
  );
  expect(problems).toEqual([]);
  expect(back.map(({ line: _, ...contact }) => contact)).toEqual(contacts);
});
