/** `linevoice contact list|import|export`: a tenant's book of people. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ContactExportPiece, ContactImportReport } from "../interface/contracts/contacts.ts";
import { configFor, operate } from "./operator.ts";
import { type Command, idFrom, parse, type Terminal, table, WrongUsage } from "./usage.ts";

const OPTIONS = {
  tenant: { type: "string" },
  search: { type: "string" },
  country: { type: "string" },
  "dry-run": { type: "boolean", default: false },
  "skip-bad": { type: "boolean", default: false },
} as const;

type Values = ReturnType<typeof parse<typeof OPTIONS>>["values"];

const PAGE = 200;
/** What one request to the server takes. */
const REQUEST_BYTES_MAX = 1_000_000;

export const contactCommand: Command = {
  usage: [
    "contact list --tenant ID [--search TEXT] [--json]",
    "contact import FILE --tenant ID [--country LT] [--dry-run] [--skip-bad] [--json]",
    "contact export --tenant ID",
  ],
  notes: [
    "FILE is CSV with a header row: number, and first_name, last_name, vocative, birthday, language,",
    "notes, consent, do_not_call where known. Nothing is taken while a line is bad, unless --skip-bad.",
    "export writes the same CSV to standard output.",
  ],
  async run(args, terminal) {
    const { values, words } = parse(args, OPTIONS, 2);
    const [action, file] = words;
    if (action === "import") return await importFile(values, file, terminal);
    if (file !== undefined) throw new WrongUsage(`"${file}" is one word too many.`);
    if (action === "list") return await list(values, terminal);
    if (action === "export") return await exportAll(values, terminal);
    throw new WrongUsage("Say what to do: list, import or export.");
  },
};

async function list(values: Values, terminal: Terminal): Promise<number> {
  const tenant = idFrom(values.tenant, "--tenant");
  const loaded = configFor(values.config, terminal);
  const search = values.search ?? null;
  const all = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await operate(loaded, "contact.list", { tenant, search, limit: PAGE, offset });
    all.push(...page.contacts);
    if (page.contacts.length < PAGE) break;
  }
  if (values.json) {
    terminal.out(JSON.stringify(all));
    return 0;
  }
  const rows = all.map((contact) => [
    String(contact.id),
    contact.number,
    `${contact.first_name} ${contact.last_name}`.trim(),
    contact.birthday ?? "",
    contact.do_not_call ? "do not call" : contact.consent ? "agreed" : "",
    contact.has_pin ? "PIN" : "",
  ]);
  for (const line of table([["ID", "NUMBER", "NAME", "BIRTHDAY", "", ""], ...rows]))
    terminal.out(line);
  return 0;
}

async function importFile(
  values: Values,
  file: string | undefined,
  terminal: Terminal,
): Promise<number> {
  if (file === undefined) throw new WrongUsage("Name the CSV file.");
  const tenant = idFrom(values.tenant, "--tenant");
  const csv = readFileSync(resolve(terminal.cwd, file), "utf8");
  if (Buffer.byteLength(JSON.stringify(csv)) > REQUEST_BYTES_MAX)
    throw new WrongUsage(`${file} is larger than about a megabyte; split it.`);
  const report = await operate(configFor(values.config, terminal), "contact.import", {
    ...{ tenant, csv, country: values.country ?? null },
    ...{ dry_run: values["dry-run"], skip_bad: values["skip-bad"] },
  });
  if (values.json) terminal.out(JSON.stringify(report));
  else say(report, terminal);
  return report.problem_count > 0 && !values["skip-bad"] ? 1 : 0;
}

function say(report: ContactImportReport, terminal: Terminal): void {
  for (const { line, problem } of report.problems) terminal.err(`line ${line}: ${problem}`);
  const { created, updated, unchanged, problem_count: bad, dry_run: isDry } = report;
  const counts = `${created} new, ${updated} changed, ${unchanged} as known, ${bad} bad lines`;
  terminal.out(isDry ? `Nothing was taken. It would be: ${counts}.` : `Taken: ${counts}.`);
}

async function exportAll(values: Values, terminal: Terminal): Promise<number> {
  const tenant = idFrom(values.tenant, "--tenant");
  const loaded = configFor(values.config, terminal);
  for (let after: number | null = 0; after !== null; ) {
    const piece: ContactExportPiece = await operate(loaded, "contact.export", { tenant, after });
    if (piece.csv !== "") terminal.out(piece.csv.replace(/\r\n$/, ""));
    after = piece.next;
  }
  return 0;
}
