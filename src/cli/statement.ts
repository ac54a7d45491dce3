/** `linevoice statement`: a tenant's month as a printable page, or its ledger or calls as CSV. */
import { everyRow } from "../features/billing/statement.ts";
import { type CsvRows, callLines, ledgerLines } from "../features/billing/statement-csv.ts";
import { statementPage } from "../features/billing/statement-page.ts";
import type { LoadedConfig } from "../ops/config/load.ts";
import { configFor, operate } from "./operator.ts";
import { type Command, idFrom, parse, required, WrongUsage } from "./usage.ts";

interface StatementInput {
  readonly tenant: number;
  readonly month: string;
}

/** Reads in pages, so that a month of any size passes through the control socket. */
function csvLines(
  loaded: LoadedConfig,
  input: StatementInput,
  what: CsvRows,
): AsyncGenerator<string> {
  return what === "ledger"
    ? ledgerLines(everyRow((after) => operate(loaded, "statement.lines", { ...input, after })))
    : callLines(everyRow((after) => operate(loaded, "statement.calls", { ...input, after })));
}

export const statementCommand: Command = {
  usage: ["statement --tenant ID --month 2026-11 [--csv ledger|calls] [--json]"],
  async run(args, terminal) {
    const options = {
      tenant: { type: "string" },
      month: { type: "string" },
      csv: { type: "string" },
    } as const;
    const { values } = parse(args, options, 0);
    const month = required(values.month, "--month");
    if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) throw new WrongUsage("--month is like 2026-11.");
    const input = { tenant: idFrom(values.tenant, "--tenant"), month };
    const { csv } = values;
    if (csv !== undefined && csv !== "ledger" && csv !== "calls")
      throw new WrongUsage("--csv must be ledger or calls.");
    const loaded = configFor(values.config, terminal);
    const summary = await operate(loaded, "statement.summary", input);
    if (csv !== undefined)
      for await (const line of csvLines(loaded, input, csv)) terminal.out(`${line}\r`);
    else if (values.json) terminal.out(JSON.stringify(summary));
    else {
      const rows = await operate(loaded, "statement.rows", input);
      terminal.out(statementPage(summary, rows).trimEnd());
    }
    return 0;
  },
};
