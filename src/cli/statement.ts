/** `linevoice statement`: a tenant's month as a printable page, or its ledger or calls as CSV. */
import {
  STATEMENT_PAGE_ROWS,
  type StatementCall,
  type StatementLine,
} from "../billing/statement.ts";
import { CALLS_HEADER, callRow, LEDGER_HEADER, ledgerRows } from "../billing/statement-csv.ts";
import { StatementRows, statementPage } from "../billing/statement-page.ts";
import type { LoadedConfig } from "../config/load.ts";
import { configFor, operate } from "./operator.ts";
import { type Command, idFrom, parse, required, WrongUsage } from "./usage.ts";

interface Wish {
  readonly tenant: number;
  readonly month: string;
}

/** Page by page, so that a month of any size passes through the control socket. */
async function* lines(loaded: LoadedConfig, wish: Wish): AsyncGenerator<StatementLine> {
  for (let after = 0; ; ) {
    const page = await operate(loaded, "statement.lines", { ...wish, after });
    yield* page;
    after = page.at(-1)?.id ?? after;
    if (page.length < STATEMENT_PAGE_ROWS) return;
  }
}

async function* calls(loaded: LoadedConfig, wish: Wish): AsyncGenerator<StatementCall> {
  for (let after = 0; ; ) {
    const page = await operate(loaded, "statement.calls", { ...wish, after });
    yield* page;
    after = page.at(-1)?.id ?? after;
    if (page.length < STATEMENT_PAGE_ROWS) return;
  }
}

async function printCsv(
  loaded: LoadedConfig,
  wish: Wish,
  what: "ledger" | "calls",
  out: (line: string) => void,
): Promise<void> {
  const print = (line: string) => out(`${line}\r`);
  if (what === "ledger") {
    print(LEDGER_HEADER);
    for await (const line of lines(loaded, wish)) for (const row of ledgerRows(line)) print(row);
    return;
  }
  print(CALLS_HEADER);
  for await (const call of calls(loaded, wish)) print(callRow(call));
}

export const statementCommand: Command = {
  summary: "print a tenant's month: a page, or the ledger or calls as CSV",
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
    const wish = { tenant: idFrom(values.tenant, "--tenant"), month };
    const { csv } = values;
    if (csv !== undefined && csv !== "ledger" && csv !== "calls")
      throw new WrongUsage("--csv is ledger or calls.");
    const loaded = configFor(values.config, terminal);
    const summary = await operate(loaded, "statement.summary", wish);
    if (csv !== undefined) await printCsv(loaded, wish, csv, terminal.out);
    else if (values.json) terminal.out(JSON.stringify(summary));
    else {
      const rows = new StatementRows(summary.timeZone);
      for await (const line of lines(loaded, wish)) rows.add(line);
      terminal.out(statementPage(summary, rows).trimEnd());
    }
    return 0;
  },
};
