/** Reads and writes contacts as CSV (csv-file.ts). Every problem contains its line. */

import { csvRow } from "../../core/csv.ts";
import { invalidField } from "../../core/errors.ts";
import { createYielder } from "../../core/event-loop.ts";
import { ONE_LINE } from "../../core/one-line.ts";
import { AGENT_LANGUAGES, type AgentLanguage } from "../agent/agent.ts";
import { type Country, numberIn } from "../number/national-form.ts";
import { isYetToCome, parseBirthday } from "./birthday.ts";
import { type ContactFields, NAME_MAX } from "./contact-schema.ts";
import { CSV_LINES_MAX, readCsvFile, visibleText } from "./csv-file.ts";

const NOTES_MAX = 2000;
const PROBLEMS_MAX = 200;
const LANGUAGES: readonly string[] = AGENT_LANGUAGES;

/** Accepted column headings, in lower case. */
const HEADINGS = {
  number: ["number", "phone", "phone number", "number_e164", "tel", "telefonas", "numeris"],
  first_name: ["first name", "first_name", "firstname", "vardas", "given name"],
  last_name: ["last name", "last_name", "lastname", "surname", "pavardė", "family name"],
  vocative: ["vocative", "address as", "kreipinys"],
  birthday: ["birthday", "birth date", "date of birth", "gimimo data"],
  language: ["language", "lang", "kalba"],
  notes: ["notes", "note", "pastabos"],
  consent: ["consent", "sutikimas"],
  do_not_call: ["do not call", "do_not_call", "dnc", "neskambinti"],
} as const;
type Column = keyof typeof HEADINGS;

export interface LineProblem {
  /** Line of the file; the header is 1. */
  readonly line: number;
  readonly column: Column | null;
  readonly problem: string;
}

export interface ReadContact extends ContactFields {
  readonly line: number;
}

interface ReadContacts {
  readonly contacts: readonly ReadContact[];
  /** The first 200 problems. */
  readonly problems: readonly LineProblem[];
  readonly problemCount: number;
}

/** Yields to the event loop. `country`: country of national numbers, e.g. "LT". Throws valid_csv_required. */
export async function readContactsCsv(
  csv: string,
  country: Country | null,
  nowMs: number,
): Promise<ReadContacts> {
  const { header, lines } = await readCsvFile(csv);
  if (header.length === 0) throw invalidField("csv", "`csv` is empty. It needs a header row.");
  if (lines.length > CSV_LINES_MAX)
    throw invalidField("csv", `\`csv\` can have at most ${CSV_LINES_MAX} lines. Split the file.`);
  const columns = columnsOf(header);
  const problems: LineProblem[] = [];
  const contacts: ReadContact[] = [];
  const seen = new Map<string, number>();
  let problemCount = 0;
  const turn = createYielder();

  for (const { cells, line, problem: unreadable } of lines) {
    await turn();
    const problemsBefore = problemCount;
    const complain = (column: Column | null, problem: string) => {
      problemCount++;
      if (problems.length < PROBLEMS_MAX) problems.push({ line, column, problem });
    };
    if (unreadable !== undefined) {
      complain(null, unreadable);
      continue;
    }
    const contact = contactFrom(cells, columns, country, complain);
    if (contact.birthday !== null && isYetToCome(contact.birthday, nowMs))
      complain("birthday", `"${contact.birthday}" is in the future. Write the day of birth.`);
    if (problemCount > problemsBefore) continue;
    const name = `${contact.firstName} ${contact.lastName}`.trim();
    const key = `${contact.numberE164} ${name}`.toLowerCase();
    const first = seen.get(key);
    if (first !== undefined) {
      complain("number", `The same person is also in line ${first}.`);
      continue;
    }
    seen.set(key, line);
    contacts.push({ ...contact, line });
  }
  return { contacts, problems, problemCount };
}

function columnsOf(header: readonly string[]): ReadonlyMap<Column, number> {
  const columns = new Map<Column, number>();
  for (const [index, heading] of header.entries()) {
    const name = heading.trim().toLowerCase();
    for (const [column, headings] of Object.entries(HEADINGS) as [Column, readonly string[]][])
      if (headings.includes(name) && !columns.has(column)) columns.set(column, index);
  }
  if (!columns.has("number"))
    throw invalidField(
      "csv",
      `\`csv\` needs a column "number". Its header contains: ${header.join(", ").slice(0, 200)}.`,
    );
  return columns;
}

function contactFrom(
  cells: readonly string[],
  columns: ReadonlyMap<Column, number>,
  country: Country | null,
  complain: (column: Column | null, problem: string) => void,
): ContactFields {
  const cell = (column: Column) => {
    const written = cells[columns.get(column) ?? -1] ?? "";
    return column === "notes" ? written : visibleText(written);
  };
  const text = (column: Column, charactersMax: number) => {
    const value = cell(column);
    if (value.length > charactersMax) complain(column, `Longer than ${charactersMax} characters.`);
    return value;
  };
  const name = (column: Column) => {
    const value = text(column, NAME_MAX).replace(/\t+/g, " ");
    if (value.includes("\ufffd")) complain(column, LOST_LETTERS);
    if (!ONE_LINE.test(value))
      complain(column, "Write it on one line, without control or invisible characters.");
    return value;
  };
  const written = cell("number");
  const numberE164 = numberIn(written, country) ?? "";
  if (numberE164 === "")
    complain("number", `"${written}" is not a telephone number. Write it like +37060000001.`);
  const birthday = cell("birthday") === "" ? null : cell("birthday");
  if (birthday !== null && parseBirthday(birthday) === null)
    complain("birthday", `"${birthday}" is not a day. Write it like 1980-02-29, or --02-29.`);
  const language = cell("language").toLowerCase();
  if (language !== "" && !LANGUAGES.includes(language))
    complain("language", `"${language}" is not one of ${LANGUAGES.join(", ")}.`);
  return {
    numberE164,
    firstName: name("first_name"),
    lastName: name("last_name"),
    vocative: name("vocative") || null,
    birthday,
    language: LANGUAGES.includes(language) ? (language as AgentLanguage) : null,
    notes: text("notes", NOTES_MAX),
    consent: yesOrNo(cell("consent"), () => complain("consent", YES_OR_NO)),
    doNotCall: yesOrNo(cell("do_not_call"), () => complain("do_not_call", YES_OR_NO)),
  };
}

const LOST_LETTERS = "Some letters are lost (\ufffd). Save the file again as CSV in UTF-8.";
const YES_OR_NO = "Write yes or no.";
const YES = new Set(["yes", "true", "1", "y", "taip", "jā", "да"]);
const NO = new Set(["", "no", "false", "0", "n", "ne", "nē", "нет"]);

function yesOrNo(text: string, complain: () => void): boolean {
  const word = text.toLowerCase();
  if (!YES.has(word) && !NO.has(word)) complain();
  return YES.has(word);
}

const COLUMNS: readonly Column[] = [
  "number",
  "first_name",
  "last_name",
  "vocative",
  "birthday",
  "language",
  "notes",
  "consent",
  "do_not_call",
];

/** `readContactsCsv` can read this format. */
export function contactsCsvHeader(): string {
  return `${COLUMNS.join(",")}\r\n`;
}

export function contactCsvLine(contact: ContactFields): string {
  const values: Readonly<Record<Column, string>> = {
    number: contact.numberE164,
    first_name: contact.firstName,
    last_name: contact.lastName,
    vocative: contact.vocative ?? "",
    birthday: contact.birthday ?? "",
    language: contact.language ?? "",
    notes: contact.notes,
    consent: contact.consent ? "yes" : "no",
    do_not_call: contact.doNotCall ? "yes" : "no",
  };
  return `${csvRow(COLUMNS.map((column) => values[column]))}\r\n`;
}
