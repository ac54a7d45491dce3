/** A month's statement as one printable page: HTML without scripts or external parts. */
import { escapedHtml } from "../../core/html.ts";
import { type MicroEur, microToEur } from "../../core/money.ts";
import { type TextsOf, textsOf } from "../../core/texts.ts";
import type { StatementRow, StatementSummary } from "./statement.ts";
import statementTexts from "./statement-texts.json" with { type: "json" };

const STATEMENT_TEXTS = textsOf(statementTexts);

const eur = (amount: MicroEur) =>
  microToEur(amount)
    .toFixed(6)
    .replace(/0{0,4}$/, "");
const minutes = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

const rowHtml = (
  { date, kind, note, transactions, paid, wallet }: StatementRow,
  { calls }: TextsOf<typeof statementTexts>,
) => {
  const text = kind === "charge" ? `${calls} (${transactions})` : note;
  const cells = [paid, wallet].map((amount) => `<td>${amount === 0 ? "" : eur(amount)}</td>`);
  return `<tr><td>${date}</td><td>${escapedHtml(text)}</td>${cells.join("")}</tr>`;
};

/** `language` applies to the headings; stored notes keep their language. */
export function statementPage(
  summary: StatementSummary,
  rows: readonly StatementRow[],
  language: keyof typeof STATEMENT_TEXTS = "en",
): string {
  const texts = STATEMENT_TEXTS[language];
  const title = `${texts.title} ${summary.month}: ${summary.name}`;
  const facts: [string, string][] = [
    [texts.company, `${summary.name} (${summary.tenantId}), ${summary.email}`],
    [texts.month, `${summary.month}, ${summary.timeZone}`],
    [texts.before, `${eur(summary.openingBalance)} EUR`],
    [texts.after, `${eur(summary.closingBalance)} EUR`],
    [texts.calls, String(summary.calls)],
    [texts.time, minutes(summary.billableSeconds)],
    [texts.included, minutes(summary.includedSeconds)],
    [texts.overage, minutes(summary.overageSeconds)],
  ];
  const heads = [texts.day, texts.description, texts.paid, texts.wallet];
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapedHtml(title)}</title>
<style>@page{margin:2cm}body{font:14px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto}
dl{display:grid;grid-template-columns:12rem 1fr}dd{margin:0}table{width:100%;border-collapse:collapse}
th,td{text-align:left;border-bottom:1px solid #ccc;padding:.3rem}
td:nth-child(n+3),th:nth-child(n+3){text-align:right;font-variant-numeric:tabular-nums}</style>
</head>
<body>
<h1>${escapedHtml(title)}</h1>
<dl>
${facts.map(([name, value]) => `<dt>${escapedHtml(name)}</dt><dd>${escapedHtml(value)}</dd>`).join("\n")}
</dl>
<table>
<thead><tr>${heads.map((head) => `<th>${head}</th>`).join("")}</tr></thead>
<tbody>
${rows.map((row) => rowHtml(row, texts)).join("\n")}
</tbody>
</table>
</body>
</html>
`;
}
