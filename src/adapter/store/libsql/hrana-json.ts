/**
 * Statements and rows as Hrana 2 writes them in JSON. A row becomes an array of its values at once: as
 * the objects that `@libsql/hrana-client` makes, a page of 25 rows costs more than the rest of its request.
 */

/** Drizzle's driver needs no more of a result. */
export interface Rows {
  readonly columns: readonly string[];
  /** The values of each row, in the order of `columns`. */
  readonly rows: readonly (readonly unknown[])[];
  readonly rowsAffected: number;
}

export const NO_ROWS: Rows = { columns: [], rows: [], rowsAffected: 0 };

export interface Query {
  readonly sql: string;
  readonly args: readonly unknown[];
}

/** One of several in a request. Without a condition it runs whatever becomes of the others. */
export interface Step {
  readonly query: Query;
  /** Runs only if that step, by its place, succeeded, or only if it did not. */
  readonly after?: { readonly step: number; readonly succeeded: boolean };
}

/** Null: its condition was not met. */
export type StepResult = Rows | Error | null;

/** What the server says of a statement or a request. */
class HranaError extends Error {
  override readonly name = "HranaError";
  constructor(
    message: string,
    /** As SQLite names it, for an error of a statement. */
    readonly code: string | undefined,
  ) {
    super(message);
  }
}

type Cell =
  | { readonly type: "null" }
  | { readonly type: "integer"; readonly value: string }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "blob"; readonly base64: string };

export interface SentError {
  readonly message: string;
  readonly code?: string | null;
}

export interface SentBatch {
  readonly step_results: readonly (SentResult | null)[];
  readonly step_errors: readonly (SentError | null)[];
}

interface SentResult {
  readonly cols: readonly { readonly name?: string | null }[];
  readonly rows: readonly (readonly Cell[])[];
  readonly affected_row_count: number;
}

export const errorOf = ({ message, code }: SentError) => new HranaError(message, code ?? undefined);

export const batchOf = (steps: readonly Step[]) => ({
  steps: steps.map(({ query, after }) => ({
    condition: after && conditionOf(after),
    stmt: { sql: query.sql, args: query.args.map(toCell), want_rows: true },
  })),
});

export const resultsOf = ({ step_results, step_errors }: SentBatch): StepResult[] =>
  step_results.map((result, at) => {
    const error = step_errors[at];
    if (error) return errorOf(error);
    return result && rowsOf(result);
  });

function conditionOf({ step, succeeded }: NonNullable<Step["after"]>) {
  const ok = { type: "ok", step };
  return succeeded ? ok : { type: "not", cond: ok };
}

function rowsOf({ cols, rows, affected_row_count }: SentResult): Rows {
  return {
    columns: cols.map(({ name }) => name ?? ""),
    rows: rows.map((row) => row.map(fromCell)),
    rowsAffected: affected_row_count,
  };
}

/** A whole number is sent as an integer: to SQL 7.0 / 2 is not 7 / 2. */
function toCell(value: unknown): Cell {
  if (value === null) return { type: "null" };
  if (typeof value === "string") return { type: "text", value };
  if (typeof value === "bigint" || Number.isSafeInteger(value))
    return { type: "integer", value: String(value) };
  if (typeof value === "number" && Number.isFinite(value)) return { type: "float", value };
  if (typeof value === "boolean") return { type: "integer", value: value ? "1" : "0" };
  if (value instanceof Uint8Array)
    return { type: "blob", base64: Buffer.from(value).toString("base64") };
  throw new TypeError(`the database has no ${typeof value} ${String(value)}`);
}

function fromCell(cell: Cell): unknown {
  switch (cell.type) {
    case "null":
      return null;
    case "integer":
      return exactNumber(cell.value);
    case "blob":
      return Buffer.from(cell.base64, "base64");
    default:
      return cell.value;
  }
}

function exactNumber(digits: string): number {
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${digits} is too large for a number`);
  return value;
}
