/** A month's statement as CSV (core/csv.ts), line by line. Money is in EUR with six decimals. */
import { isoUtc } from "../../core/clock.ts";
import { csvRow as row } from "../../core/csv.ts";
import { type MicroEur, microToEur } from "../../core/money.ts";
import { everyRow, type StatementCall, type StatementLine, type Statements } from "./statement.ts";

/** A number, because spreadsheets take negative text for a formula. */
const eur = (amount: MicroEur): number => microToEur(amount);
const time = (atMs: number | null): string | null => (atMs === null ? null : isoUtc(atMs));

const LEDGER_HEADER = row([
  "transaction_id",
  "created_at",
  "kind",
  "key",
  "note",
  "account",
  "amount_eur",
]);

/** One row per entry. A transaction without entries gets one row without an account. */
export function ledgerRows(line: StatementLine): string[] {
  const { id, createdAt, kind, key, note, entries } = line;
  const start = [id, isoUtc(createdAt), kind, key, note];
  if (entries.length === 0) return [row([...start, null, 0])];
  return entries.map(({ account, amount }) => row([...start, account, eur(amount)]));
}

export const CALLS_HEADER = row([
  "call_uuid",
  "direction",
  "from_number",
  "to_number",
  "agent_id",
  "status",
  "ended_reason",
  "created_at",
  "answered_at",
  "ended_at",
  "billable_seconds",
  "included_seconds",
  "overage_seconds",
  "overage_eur_per_min",
  "cost_eur",
  "cost_of_goods_eur",
]);

export const callRow = (call: StatementCall): string =>
  row([
    call.callUuid,
    call.direction,
    call.fromNumber,
    call.toNumber,
    call.agentId,
    call.status,
    call.endedReason,
    time(call.createdAt),
    time(call.answeredAt),
    time(call.endedAt),
    call.billableSeconds,
    call.includedSeconds,
    call.overageSeconds,
    eur(call.overageRate),
    eur(call.cost),
    eur(call.costOfGoods),
  ]);

export type CsvRows = "ledger" | "calls";

/** The tenant's version, without the costs of goods. Throws as `Statements` does, before the first line. */
export async function statementCsv(
  statements: Statements,
  tenantId: number,
  month: string,
  rows: CsvRows,
): Promise<AsyncGenerator<string>> {
  await statements.summary(tenantId, month);
  return rows === "ledger"
    ? ledgerLines(everyRow((after) => statements.lines(tenantId, month, after)))
    : tenantCallLines(everyRow((after) => statements.calls(tenantId, month, after)));
}

export async function* ledgerLines(lines: AsyncIterable<StatementLine>): AsyncGenerator<string> {
  yield LEDGER_HEADER;
  for await (const line of lines) yield* ledgerRows(line);
}

export async function* callLines(calls: AsyncIterable<StatementCall>): AsyncGenerator<string> {
  yield CALLS_HEADER;
  for await (const call of calls) yield callRow(call);
}

/** Removes the last column, which only the operator sees. */
async function* tenantCallLines(calls: AsyncIterable<StatementCall>): AsyncGenerator<string> {
  for await (const line of callLines(calls)) yield line.slice(0, line.lastIndexOf(","));
}
