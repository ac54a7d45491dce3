/**
 * Statements and rows in Hrana 2's JSON. A row becomes an array of values directly. With the objects of
 * `@libsql/hrana-client`, a page of 25 rows costs more than the rest of its request.
 */

/** The part of a result that Drizzle's driver needs. */
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

/** A statement of a batch. Without a condition it always runs, whatever the others do. */
export interface Step {
  readonly query: Query;
  /** Condition: run only if the step with this index succeeded, or only if it did not. */
  readonly after?: { readonly step: number; readonly succeeded: boolean };
}

/** Null if its condition was not met. */
export type StepResult = Rows | Error | null;

/** The server's error for a statement or request. */
class HranaError extends Error {
  override readonly name = "HranaError";
  constructor(
    message: string,
    /** SQLite's name of a statement's error. */
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

const MESSAGE_CHARACTERS_MAX = 1_000;

export const errorOf = ({ message, code }: SentError) =>
  new HranaError(String(message).slice(0, MESSAGE_CHARACTERS_MAX), code ?? undefined);

/** Error for a reply that is broken or not from a libSQL server. */
export const noResult = (why: string) => new Error(`the answer is no result: ${why}`);

export const batchOf = (steps: readonly Step[]) => ({
  steps: steps.map(({ query, after }) => ({
    condition: after && conditionOf(after),
    stmt: { sql: query.sql, args: query.args.map(toCell), want_rows: true },
  })),
});

/** Results of `count` statements. Throws if the reply has another shape. */
export function resultsOf(batch: SentBatch | undefined, count: number): StepResult[] {
  if (!Array.isArray(batch?.step_results) || !Array.isArray(batch.step_errors))
    throw noResult("it has no lists of results and errors");
  const { step_results: results, step_errors: errors } = batch;
  if (results.length !== count)
    throw noResult(`${results.length} for ${count} statements that were asked for`);
  return results.map((result, at) => {
    const error = errors[at];
    if (error) return errorOf(error);
    return result && rowsOf(result);
  });
}

function conditionOf({ step, succeeded }: NonNullable<Step["after"]>) {
  const ok = { type: "ok", step };
  return succeeded ? ok : { type: "not", cond: ok };
}

function rowsOf({ cols, rows, affected_row_count }: SentResult): Rows {
  if (!Array.isArray(cols) || !Array.isArray(rows)) throw noResult("it has no rows");
  const columns = cols.map((column) => column?.name ?? "");
  return {
    columns,
    rows: rows.map((row) => {
      if (!Array.isArray(row) || row.length !== columns.length)
        throw noResult("a row has not its columns");
      return row.map(fromCell);
    }),
    rowsAffected: affected_row_count,
  };
}

/** A whole number is sent as an integer: in SQL, 7.0 / 2 differs from 7 / 2. */
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
  switch (cell?.type) {
    case "null":
      return null;
    case "integer":
      return exactNumber(typed("string", cell.value));
    case "float":
      return typed("number", cell.value);
    case "text":
      return typed("string", cell.value);
    case "blob":
      return Buffer.from(typed("string", cell.base64), "base64");
    default:
      throw noResult("a value is of no kind that there is");
  }
}

function typed<Value extends string | number>(kind: "string" | "number", value: Value): Value {
  if (typeof value !== kind) throw noResult(`a value is no ${kind}`);
  return value;
}

function exactNumber(digits: string): number {
  const value = digits === "" ? Number.NaN : Number(digits);
  if (Number.isNaN(value)) throw noResult("a value is no number");
  if (!Number.isSafeInteger(value)) throw new RangeError(`${digits} is too large for a number`);
  return value;
}
