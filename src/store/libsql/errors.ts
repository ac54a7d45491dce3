/** Errors of a libSQL server or of the connection to it. */
import { describeError } from "../../core/errors.ts";

/** The server does not answer in time. `cause` has the details. */
export class StoreUnreachable extends Error {
  override readonly name = "StoreUnreachable";
  readonly code = "STORE_UNREACHABLE";
}

/** The transaction was committed, but the results of its last statements were lost with the connection. */
export class ResultLost extends StoreUnreachable {}

export const isResultLost = (error: unknown): boolean =>
  error instanceof ResultLost || (error instanceof Error && isResultLost(error.cause));

/** An error of a statement, not of the connection. */
export const isSqlError = (error: unknown) => String(codeOf(error)).startsWith("SQL");
export const codeOf = (error: unknown) => (error as { code?: unknown }).code;

export const isTimeout = (error: unknown) => (error as { name?: unknown }).name === "TimeoutError";

export const unreachable = (cause: unknown) =>
  cause instanceof StoreUnreachable
    ? cause
    : new StoreUnreachable(`the database server is out of reach: ${describeError(cause)}`, {
        cause,
      });
