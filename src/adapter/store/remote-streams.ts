/**
 * Connections of a libSQL server ("streams" of Hrana), kept open and used again: opening one costs
 * the server more than a query. A stream has one user at a time.
 *
 * Reads that are asked for in the same turn of the event loop travel in one request. A read whose
 * stream has broken is repeated once, at once.
 */
import type { ResultSet } from "@libsql/client/http";
import { BatchCond, type BatchStep, type RowsResult, Stmt } from "@libsql/hrana-client";
import { type Clock, yieldToEventLoop } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { HranaStream, StreamSource } from "./remote-sockets.ts";

/** The server does not answer, or not in time. `cause` has the details. */
export class StoreUnreachable extends Error {
  override readonly name = "StoreUnreachable";
  readonly code = "STORE_UNREACHABLE";
}

/** Drizzle's driver needs no more of a result. */
export type Rows = Pick<ResultSet, "columns" | "columnTypes" | "rows" | "rowsAffected">;

export const NO_ROWS: Rows = { columns: [], columnTypes: [], rows: [], rowsAffected: 0 };

export interface Query {
  readonly sql: string;
  readonly args: readonly unknown[];
}

/** The server drops a stream over HTTP that was silent for 10 s. */
const KEPT_MS = 8_000;
const KEPT_MAX = 16;
/** Reads in one request: they run one after another on the server. */
const READS_MAX = 8;

export interface Streams {
  /** `isKept`: the server may have dropped it meanwhile. `fresh`: the kept ones cannot be trusted. */
  take(fresh: boolean): { readonly stream: HranaStream; readonly isKept: boolean };
  /** Keeps it for the next one, unless it was left in the middle of something. */
  release(stream: HranaStream, isClean: boolean): void;
  close(): void;
}

export function keepStreams(client: StreamSource, clock: Clock): Streams {
  const kept: { readonly stream: HranaStream; readonly untilMs: number }[] = [];
  const close = () => {
    for (const { stream } of kept.splice(0)) stream.close();
  };
  return {
    take(fresh) {
      if (fresh) close();
      for (let last = kept.pop(); last; last = kept.pop()) {
        if (!last.stream.closed && last.untilMs > clock.monotonic())
          return { stream: last.stream, isKept: true };
        last.stream.close();
      }
      return { stream: client.openStream(), isKept: false };
    },
    release(stream, isClean) {
      if (!isClean || kept.length >= KEPT_MAX) stream.close();
      if (!stream.closed) kept.push({ stream, untilMs: clock.monotonic() + KEPT_MS });
    },
    close,
  };
}

/** An error of a statement, not of the connection. */
export const isSqlError = (error: unknown) => String(codeOf(error)).startsWith("SQL");
export const codeOf = (error: unknown) => (error as { code?: unknown }).code;

const isTimeout = (error: unknown) => (error as { name?: unknown }).name === "TimeoutError";

export const unreachable = (cause: unknown) =>
  cause instanceof StoreUnreachable
    ? cause
    : new StoreUnreachable(`the database server is out of reach: ${describeError(cause)}`, {
        cause,
      });

/**
 * Hrana sends JavaScript numbers as floats, and 7.0 / 2 is not 7 / 2: whole numbers are sent as
 * integers.
 */
function hranaStatement({ sql, args }: Query): Stmt {
  const exact = args.map((value) =>
    typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value,
  );
  return new Stmt(sql).bindIndexes(exact as Parameters<Stmt["bindIndexes"]>[0]);
}

const rowsOf = (result: RowsResult): Rows => ({
  columns: result.columnNames.map((name) => name ?? ""),
  columnTypes: result.columnDecltypes.map((type) => type ?? ""),
  rows: result.rows as unknown as ResultSet["rows"],
  rowsAffected: result.affectedRowCount,
});

interface Outcome {
  /** Of the steps before the one that failed. */
  readonly rows: readonly Rows[];
  readonly error: unknown;
}

/**
 * Runs the steps in one request, each only if the one before it succeeded, and `otherwise` if one
 * failed. Rejects when the request fails: then it is unknown what was carried out.
 */
export async function runSteps(
  stream: HranaStream,
  steps: readonly Query[],
  otherwise: string | null = null,
): Promise<Outcome> {
  const batch = stream.batch(false);
  let before: BatchStep | null = null;
  const results = steps.map((query) => {
    const step = batch.step();
    if (before) step.condition(BatchCond.ok(before));
    before = step;
    return step.query(hranaStatement(query));
  });
  if (before && otherwise !== null)
    results.push(
      batch
        .step()
        .condition(BatchCond.not(BatchCond.ok(before)))
        .query(otherwise),
    );
  const settled = Promise.allSettled(results);
  await batch.execute();
  const rows: Rows[] = [];
  for (const result of (await settled).slice(0, steps.length)) {
    if (result.status === "rejected") return { rows, error: result.reason };
    if (result.value) rows.push(rowsOf(result.value));
  }
  return { rows, error: null };
}

interface Reading {
  readonly query: Query;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads outside of transactions. Rejects with the statement's error, or with StoreUnreachable. */
export function readInTurns(streams: Streams): (query: Query) => Promise<Rows> {
  let waiting: Reading[] = [];

  async function send(readings: readonly Reading[], isRepeated: boolean): Promise<void> {
    const { stream } = streams.take(isRepeated);
    const broken: Reading[] = [];
    await Promise.all(
      readings.map(async (reading) => {
        try {
          reading.resolve(rowsOf(await stream.query(hranaStatement(reading.query))));
        } catch (error) {
          if (isSqlError(error)) reading.reject(error);
          else if (isRepeated || isTimeout(error)) reading.reject(unreachable(error));
          else broken.push(reading);
        }
      }),
    );
    streams.release(stream, true);
    if (broken.length > 0) await send(broken, true);
  }

  async function sendWaiting(): Promise<void> {
    await yieldToEventLoop();
    const readings = waiting;
    waiting = [];
    for (let at = 0; at < readings.length; at += READS_MAX)
      void send(readings.slice(at, at + READS_MAX), false);
  }

  return (query) =>
    new Promise((resolve, reject) => {
      waiting.push({ query, resolve, reject });
      if (waiting.length === 1) void sendWaiting();
    });
}
