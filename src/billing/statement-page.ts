/**
 * A month's statement as one printable page: HTML without script or outside parts. Charges of calls
 * are summed a day, everything else has a line of its own.
 */
import { type MicroEur, microToEur } from "../core/money.ts";
import { dayText, wallClock } from "../tenant/calendar.ts";
import type { StatementLine, StatementSummary } from "./statement.ts";

interface PageRow {
  readonly day: string;
  readonly what: string;
  /** Micro-euro that came in from outside. */
  paid: number;
  /** Micro-euro by which the wallet changed. */
  wallet: number;
  calls: number;
}

const eur = (amount: number) =>
  microToEur(amount as MicroEur)
    .toFixed(6)
    .replace(/0{0,4}$/, "");
const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const minutes = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

const sumOf = (line: StatementLine, account: string) =>
  line.entries.reduce((sum, entry) => sum + (entry.account === account ? entry.amount : 0), 0);

/** Gathers a month's lines, page by page, into rows: bounded by days and payments, not by calls. */
export class StatementRows {
  readonly #rows: PageRow[] = [];
  readonly #calls = new Map<string, PageRow>();

  constructor(private readonly timeZone: string) {}

  add(line: StatementLine): void {
    const day = dayText(wallClock(this.timeZone, line.createdAt));
    const row = line.kind === "charge" ? this.#callsOf(day) : this.#push(day, line.note);
    row.paid -= sumOf(line, "payments");
    row.wallet += sumOf(line, "wallet");
    row.calls++;
  }

  get all(): readonly PageRow[] {
    return [...this.#rows].sort((a, b) => a.day.localeCompare(b.day));
  }

  #push(day: string, what: string): PageRow {
    const row: PageRow = { day, what, paid: 0, wallet: 0, calls: 0 };
    this.#rows.push(row);
    return row;
  }

  #callsOf(day: string): PageRow {
    const known = this.#calls.get(day);
    if (known) return known;
    const row = this.#push(day, "Calls");
    this.#calls.set(day, row);
    return row;
  }
}

const rowHtml = ({ day, what, paid, wallet, calls }: PageRow) => {
  const text = what === "Calls" ? `Calls (${calls})` : what;
  const cells = [paid, wallet].map((amount) => `<td>${amount === 0 ? "" : eur(amount)}</td>`);
  return `<tr><td>${day}</td><td>${escaped(text)}</td>${cells.join("")}</tr>`;
};

export function statementPage(summary: StatementSummary, rows: StatementRows): string {
  const title = `Statement ${summary.month}: ${summary.name}`;
  const facts: [string, string][] = [
    ["Tenant", `${summary.name} (${summary.tenantId}), ${summary.email}`],
    ["Month", `${summary.month}, ${summary.timeZone}`],
    ["Balance before", `${eur(summary.openingBalance)} EUR`],
    ["Balance after", `${eur(summary.closingBalance)} EUR`],
    ["Calls begun", String(summary.calls)],
    ["Billable time", minutes(summary.billableSeconds)],
    ["From the plan", minutes(summary.includedSeconds)],
    ["Beyond the plan", minutes(summary.overageSeconds)],
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>@page{margin:2cm}body{font:14px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto}
dl{display:grid;grid-template-columns:12rem 1fr}dd{margin:0}table{width:100%;border-collapse:collapse}
th,td{text-align:left;border-bottom:1px solid #ccc;padding:.3rem}
td:nth-child(n+3),th:nth-child(n+3){text-align:right;font-variant-numeric:tabular-nums}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<dl>
${facts.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join("\n")}
</dl>
<table>
<thead><tr><th>Day</th><th>What</th><th>Paid in, EUR</th><th>Wallet, EUR</th></tr></thead>
<tbody>
${rows.all.map(rowHtml).join("\n")}
</tbody>
</table>
</body>
</html>
`;
}
