/** `linevoice contact list|import|export`: a tenant's contacts. */
import { decodeText } from "../core/text-encoding.ts";
import type { ContactExportPiece, ContactImportReport } from "../features/contact/contract.ts";
import { action, commandOf } from "./actions.ts";
import { fileArgument } from "./file-argument.ts";
import { configFor, operate } from "./operator.ts";
import { idFrom, type Terminal, table, WrongUsage } from "./usage.ts";

const PAGE = 200;
/** Maximum size of a request to the server. */
const REQUEST_BYTES_MAX = 1_000_000;

const list = action({
  usage: ["contact list --tenant ID [--search TEXT] [--json]"],
  options: { tenant: { type: "string" }, search: { type: "string" } },
  async run({ values, terminal }) {
    const tenant = idFrom(values.tenant, "--tenant");
    const loaded = configFor(values.config, terminal);
    const search = values.search ?? null;
    const all = [];
    for (let offset = 0; ; offset += PAGE) {
      const page = await operate(loaded, "contact.list", { tenant, search, limit: PAGE, offset });
      all.push(...page.contacts);
      if (page.contacts.length < PAGE) break;
    }
    const rows = all.map((contact) => [
      String(contact.id),
      contact.number,
      `${contact.first_name} ${contact.last_name}`.trim(),
      contact.birthday ?? "",
      contact.do_not_call ? "do not call" : contact.consent ? "agreed" : "",
      contact.has_pin ? "PIN" : "",
    ]);
    if (values.json) terminal.out(JSON.stringify(all));
    else
      for (const line of table([["ID", "NUMBER", "NAME", "BIRTHDAY", "", ""], ...rows]))
        terminal.out(line);
    return 0;
  },
});

const importFile = action({
  usage: ["contact import FILE --tenant ID [--country LT] [--dry-run] [--skip-bad] [--json]"],
  words: 1,
  options: {
    tenant: { type: "string" },
    country: { type: "string" },
    "dry-run": { type: "boolean" },
    "skip-bad": { type: "boolean" },
  },
  async run({ values, words: [file], terminal }) {
    if (file === undefined) throw new WrongUsage("Add the name of a CSV file.");
    const tenant = idFrom(values.tenant, "--tenant");
    const csv = decodeText(fileArgument(file, terminal));
    if (Buffer.byteLength(JSON.stringify(csv)) > REQUEST_BYTES_MAX)
      throw new WrongUsage(`${file} is larger than about one megabyte. Split it.`);
    const { country = null, "dry-run": dry_run = false, "skip-bad": skip_bad = false } = values;
    const input = { tenant, csv, country, dry_run, skip_bad };
    const report = await operate(configFor(values.config, terminal), "contact.import", input);
    if (values.json) terminal.out(JSON.stringify(report));
    else say(report, terminal);
    return report.problem_count > 0 && !skip_bad ? 1 : 0;
  },
});

const exportAll = action({
  usage: ["contact export --tenant ID"],
  options: { tenant: { type: "string" } },
  async run({ values, terminal }) {
    const tenant = idFrom(values.tenant, "--tenant");
    const loaded = configFor(values.config, terminal);
    for (let after: number | null = 0; after !== null; ) {
      const piece: ContactExportPiece = await operate(loaded, "contact.export", { tenant, after });
      if (piece.csv !== "") terminal.out(piece.csv.replace(/\r\n$/, ""));
      after = piece.next;
    }
    return 0;
  },
});

export const contactCommand = commandOf(
  "contact",
  { list, import: importFile, export: exportAll },
  [
    "FILE is CSV with a header row: number, and first_name, last_name, vocative, birthday, language,",
    "notes, consent, do_not_call if known. If any row is invalid, nothing is imported unless you add --skip-bad.",
    "export writes the same CSV to standard output.",
  ],
);

function say(report: ContactImportReport, terminal: Terminal): void {
  for (const { line, problem } of report.problems) terminal.err(`line ${line}: ${problem}`);
  const { created, updated, unchanged, problem_count: bad, dry_run: isDry } = report;
  const counts = `${created} new, ${updated} updated, ${unchanged} unchanged, ${bad} invalid rows`;
  terminal.out(
    isDry ? `Dry run, nothing imported. Would import: ${counts}.` : `Imported: ${counts}.`,
  );
}
