/**
 * One transaction on a libSQL server, in as few round trips as its body allows. What nobody waits
 * for travels with what comes next: BEGIN with the first query, a change without RETURNING with the
 * query after it or with COMMIT, queries that are asked for together in one request. So a body that
 * reads once and then writes costs two round trips, and one that only writes costs one.
 *
 * After a failure nothing more is carried out, and nothing is committed.
 */
import { HttpServerError } from "@libsql/hrana-client";
import { type Clock, sleep, type Timer, yieldToEventLoop } from "../../core/clock.ts";
import { type Random, randomInt } from "../../core/random.ts";
import type { HranaStream } from "./remote-sockets.ts";
import {
  codeOf,
  isSqlError,
  NO_ROWS,
  type Query,
  type Rows,
  runSteps,
  StoreUnreachable,
  type Streams,
  unreachable,
} from "./remote-streams.ts";

export interface TransactionLimits {
  /** From BEGIN to COMMIT. */
  readonly transactionMs: number;
  /** How long to retry while other nodes write. */
  readonly busyMs: number;
}

interface TransactionDependencies {
  readonly streams: Streams;
  readonly limits: TransactionLimits;
  readonly clock: Clock;
  readonly random: Random;
  /** Called as soon as the next transaction may begin: it will see all that this one did. */
  readonly onSent: () => void;
}

interface Step {
  readonly query: Query;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

const BUSY_PAUSE_MS_MAX = 50;
/** Changes that wait for company. */
const WAITING_MAX = 128;
const BEGIN: Query = { sql: "BEGIN IMMEDIATE", args: [] };

const isRead = ({ sql }: Query) => /^\s*select\b/i.test(sql);
/** A change that returns nothing: nobody needs to wait for it. */
const isSilent = ({ sql }: Query) =>
  /^\s*(insert|update|delete)\b/i.test(sql) && !/\breturning\b/i.test(sql);

/** The server says that it does not know the stream any more: nothing was carried out. */
const isUnknownStream = (error: unknown) =>
  codeOf(error) === "STREAM_EXPIRED" || (error instanceof HttpServerError && error.status === 400);

export class RemoteTransaction {
  #stream: HranaStream | null = null;
  #waiting: Step[] = [];
  /** Ends when everything that was sent has been answered. */
  #sending: Promise<void> = Promise.resolve();
  #isScheduled = false;
  /** COMMIT follows what is sent next. */
  #isFinishing = false;
  #isBegun = false;
  #isOver = false;
  #hasChanged = false;
  #failure: unknown = null;
  #timer: Timer | null = null;

  constructor(private readonly deps: TransactionDependencies) {}

  execute(query: Query): Promise<Rows> {
    if (this.#isOver || this.#failure !== null)
      return Promise.reject(this.#failure ?? new StoreUnreachable("the transaction is over"));
    this.#timer ??= this.#limit();
    this.#hasChanged ||= !isRead(query);
    if (isSilent(query) && this.#waiting.length < WAITING_MAX) {
      this.#waiting.push({ query, resolve: () => undefined, reject: () => undefined });
      return Promise.resolve(NO_ROWS);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ query, resolve, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      this.#sending = this.#sending.then(() => this.#sendTogether());
    });
  }

  /** What is asked for next is the last: it travels with COMMIT. */
  finish(): void {
    this.#isFinishing = true;
  }

  /** Resolves when the outcome is durable. */
  async commit(): Promise<void> {
    await this.#sending;
    if (this.#failure !== null) throw this.#failure;
    if (this.#isOver) return;
    if (!this.#isBegun && this.#waiting.length === 0) return this.#end(true);
    const committed = this.#send("COMMIT");
    // What was only read does not depend on how the transaction ends.
    if (this.#isBegun && !this.#hasChanged) return;
    await committed;
    if (this.#failure !== null) throw this.#failure;
  }

  /** Never rejects: the error that broke the transaction is the one to report. */
  async rollback(): Promise<void> {
    await this.#sending;
    this.#waiting = [];
    if (this.#isBegun && !this.#isOver) await this.#send("ROLLBACK");
    this.#end(false);
  }

  async #sendTogether(): Promise<void> {
    await yieldToEventLoop();
    this.#isScheduled = false;
    await this.#send(this.#isFinishing ? "COMMIT" : null);
  }

  /** Never rejects: steps are told, and `#failure` is remembered. */
  async #send(last: "COMMIT" | "ROLLBACK" | null): Promise<void> {
    const steps = this.#waiting;
    this.#waiting = [];
    const queries = steps.map(({ query }) => query);
    if (last !== null) queries.push({ sql: last, args: [] });
    let answered: readonly Rows[] = [];
    try {
      if (this.#isOver) throw this.#failure;
      const { rows, error } = await (this.#isBegun
        ? this.#goOn(queries, last === "COMMIT")
        : this.#begin(queries, last === "COMMIT"));
      answered = rows;
      if (error !== null) throw error;
      if (last !== null) this.#end(true);
    } catch (error) {
      this.#failure ??= isSqlError(error) ? error : unreachable(error);
      if (last !== null || !isSqlError(error)) this.#end(false);
    }
    for (const [at, { resolve, reject }] of steps.entries()) {
      const rows = answered[at];
      if (rows) resolve(rows);
      else reject(this.#failure);
    }
  }

  async #goOn(queries: readonly Query[], isLast: boolean) {
    const outcome = this.#run(queries, isLast);
    if (isLast) this.deps.onSent();
    return await outcome;
  }

  #run(queries: readonly Query[], isLast: boolean) {
    if (!this.#stream) throw new StoreUnreachable("the transaction has no connection");
    return runSteps(this.#stream, queries, isLast ? "ROLLBACK" : null);
  }

  /** Repeated while others write, and once at once when the connection broke before a COMMIT. */
  async #begin(queries: readonly Query[], isLast: boolean) {
    const { streams, limits, clock, random } = this.deps;
    const until = clock.monotonic() + limits.busyMs;
    this.#timer?.cancel();
    for (let hasBroken = false; ; ) {
      const { stream, isKept } = streams.take(hasBroken);
      this.#stream = stream;
      try {
        const { rows, error } = await this.#run([BEGIN, ...queries], isLast);
        if (rows.length > 0) {
          this.#isBegun = !isLast;
          if (!isLast) this.#timer = this.#limit();
          return { rows: rows.slice(1), error };
        }
        this.#stream = null;
        streams.release(stream, true);
        if (codeOf(error) !== "SQLITE_BUSY" || clock.monotonic() >= until) throw error;
        await sleep(clock, 1 + randomInt(random, BUSY_PAUSE_MS_MAX));
      } catch (error) {
        if (isSqlError(error)) throw error;
        this.#stream = null;
        streams.release(stream, false);
        const isHarmless = !isLast || (isKept && isUnknownStream(error));
        if (hasBroken || !isHarmless) throw error;
        hasBroken = true;
      }
    }
  }

  #limit(): Timer {
    const { clock, limits } = this.deps;
    return clock.after(limits.transactionMs, () => {
      this.#failure ??= new StoreUnreachable(
        `the transaction took longer than ${limits.transactionMs} ms`,
      );
      this.#end(false);
    });
  }

  #end(isClean: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.cancel();
    if (this.#stream) this.deps.streams.release(this.#stream, isClean);
  }
}
