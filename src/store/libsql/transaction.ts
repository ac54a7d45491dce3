/**
 * One transaction on a libSQL server, in as few round trips as its body allows. Statements without a needed
 * result wait for the next request. BEGIN is sent with the first query, and a change without RETURNING with
 * the next query or with COMMIT. Queries requested together share one request. So a body that reads once and
 * then writes costs two round trips, and one that only writes costs one.
 *
 * If the connection breaks, the transaction continues over another one. It repeats its earlier statements
 * there, which must return the same results. If a COMMIT got no reply, its mark shows whether it was executed
 * (commit-marks.ts). After a failure nothing more is executed, and nothing is committed.
 */
import { isDeepStrictEqual } from "node:util";
import { type Clock, sleep, type Timer, yieldToEventLoop } from "../../core/clock.ts";
import { type Random, randomInt } from "../../core/random.ts";
import { lookUp, type Mark, type Writer, type Writers, write } from "./commit-marks.ts";
import {
  codeOf,
  isResultLost,
  isSqlError,
  isTimeout,
  ResultLost,
  StoreUnreachable,
  unreachable,
} from "./errors.ts";
import { NO_ROWS, type Query, type Rows } from "./hrana-json.ts";
import type { Retry } from "./retry.ts";
import type { HranaStream } from "./sockets.ts";
import { type Outcome, runSteps, type Streams, type WriteLine } from "./streams.ts";
import type { Turn } from "./write-turns.ts";

export interface TransactionLimits {
  /** Maximum time from BEGIN to COMMIT. */
  readonly transactionMs: number;
  /** How long to retry while other nodes write. */
  readonly busyMs: number;
}

interface TransactionDependencies {
  readonly streams: Streams;
  readonly line: WriteLine;
  readonly limits: TransactionLimits;
  readonly clock: Clock;
  readonly random: Random;
  readonly retry: Retry;
  readonly writers: Writers;
  /** Released as soon as COMMIT was sent. */
  readonly turn: Turn;
}

interface Step {
  readonly query: Query;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

const BUSY_PAUSE_MS_MAX = 50;
/** Maximum number of changes that wait for the next request. */
const WAITING_MAX = 128;
const BEGIN: Query = { sql: "BEGIN IMMEDIATE", args: [] };
const COMMIT: Query = { sql: "COMMIT", args: [] };
const ROLLBACK: Query = { sql: "ROLLBACK", args: [] };

const isRead = ({ sql }: Query) => /^\s*select\b/i.test(sql);
/** True for a change that returns nothing, so nobody needs to wait for it. */
const isSilent = ({ sql }: Query) =>
  /^\s*(insert|update|delete)\b/i.test(sql) && !/\breturning\b/i.test(sql);

export class RemoteTransaction {
  #stream: HranaStream | null = null;
  #waiting: Step[] = [];
  /** Resolves after the replies to everything sent. */
  #sending: Promise<void> = Promise.resolve();
  #isScheduled = false;
  /** True: send COMMIT together with the next request. */
  #isFinishing = false;
  #isBegun = false;
  #isOver = false;
  #hasChanged = false;
  #failure: unknown = null;
  #timer: Timer | null = null;
  #writer: Writer | null = null;
  /** Executed statements, to be repeated on another connection. */
  readonly #done: { readonly query: Query; readonly rows: Rows }[] = [];

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

  /** The next request is the last one, so COMMIT is sent with it. */
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
    // Pure reads do not depend on the transaction's outcome.
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

  /** Never rejects: the steps get their errors, and `#failure` stores the first one. */
  async #send(last: "COMMIT" | "ROLLBACK" | null): Promise<void> {
    const steps = this.#waiting;
    this.#waiting = [];
    const queries = steps.map(({ query }) => query);
    let answered: readonly Rows[] = [];
    let lost: unknown = null;
    try {
      if (this.#isOver) throw this.#failure;
      const { rows, error } = await this.#carryOut(queries, last);
      answered = rows;
      if (error !== null) throw error;
      if (last !== null) this.#end(true);
    } catch (error) {
      if (isResultLost(error)) {
        lost = error;
        this.#end(true);
      } else this.#failure ??= isSqlError(error) ? error : unreachable(error);
      // After a statement error before COMMIT, the caller sends ROLLBACK.
      if (last !== null || !isSqlError(error)) this.#end(isSqlError(error));
    }
    if (last !== null) this.deps.turn.release();
    for (const [at, { query, resolve, reject }] of steps.entries()) {
      const rows = answered[at];
      if (!rows) {
        reject(lost ?? this.#failure);
        continue;
      }
      this.#done.push({ query, rows });
      resolve(rows);
    }
  }

  /** Executes the queries, with retries. A ROLLBACK does not begin a new transaction. */
  #carryOut(queries: readonly Query[], last: "COMMIT" | "ROLLBACK" | null): Promise<Outcome> {
    if (last === "ROLLBACK") return this.#run([ROLLBACK], false);
    return this.deps.retry(async (isRepeated) => {
      const mark = last !== null && this.#hasChanged ? this.#nextMark() : null;
      const sent = [...queries, ...(mark ? [write(mark)] : []), ...(last !== null ? [COMMIT] : [])];
      try {
        return await (this.#isBegun
          ? this.#goOn(sent, last !== null)
          : this.#begin(sent, last !== null));
      } catch (error) {
        if (isSqlError(error) || this.#isOver) throw this.#failure ?? error;
        this.#loseStream(isTimeout(error));
        // A transaction without changes does not need its end.
        if (sent.length === 1 && last !== null) throw unreachable(error);
        if (isRepeated && isTimeout(error)) this.deps.turn.giveUpOthers();
        await this.deps.turn.again();
        const outcome = mark && (await this.#lookUp(mark, queries));
        if (outcome) return outcome;
        throw error;
      }
    });
  }

  async #goOn(queries: readonly Query[], isLast: boolean): Promise<Outcome> {
    // From here on the request's timeout applies. The transaction's limit would leave the outcome unknown.
    if (isLast) this.#timer?.cancel();
    const outcome = this.#run(queries, isLast);
    if (isLast) this.deps.turn.release();
    return await outcome;
  }

  async #run(queries: readonly Query[], isLast: boolean): Promise<Outcome> {
    if (!this.#stream) throw new StoreUnreachable("the transaction has no connection");
    return await runSteps(this.#stream, queries, isLast ? ROLLBACK.sql : null);
  }

  /** Begins, and repeats earlier statements if their connection broke. */
  async #begin(queries: readonly Query[], isLast: boolean): Promise<Outcome> {
    const before = this.#done;
    if (before.length === 0) return await this.#beginWith(queries, isLast);
    const done = before.map(({ query }) => query);
    const { rows, error } = await this.#beginWith(done, false);
    const isSame = before.every((step, at) => isDeepStrictEqual(rows[at], step.rows));
    if (error !== null || !isSame) {
      this.#failure ??= new StoreUnreachable("what the transaction had read has changed meanwhile");
      this.#end(false);
      throw this.#failure;
    }
    return await this.#goOn(queries, isLast);
  }

  /** Retries while other nodes write. */
  async #beginWith(queries: readonly Query[], isLast: boolean): Promise<Outcome> {
    const { line, limits, clock, random, turn } = this.deps;
    const until = clock.monotonic() + limits.busyMs;
    this.#timer?.cancel();
    for (;;) {
      this.#stream = line.take();
      const outcome = this.#run([BEGIN, ...queries], isLast);
      if (isLast) turn.release();
      const { rows, error } = await outcome;
      if (rows.length > 0) {
        this.#isBegun = !isLast;
        if (!isLast) this.#timer = this.#limit();
        return { rows: rows.slice(1), error };
      }
      line.release(this.#stream, true);
      this.#stream = null;
      if (codeOf(error) !== "SQLITE_BUSY" || clock.monotonic() >= until) throw error;
      await sleep(clock, 1 + randomInt(random, BUSY_PAUSE_MS_MAX));
      await turn.again();
    }
  }

  #loseStream(isSilent: boolean): void {
    this.#isBegun = false;
    if (this.#stream) this.deps.line.release(this.#stream, false);
    this.#stream = null;
    // The kept streams use the same broken path.
    if (isSilent) this.deps.streams.drop();
  }

  #nextMark(): Mark {
    this.#writer ??= this.deps.writers.take();
    return {
      writer: this.#writer.name,
      number: ++this.#writer.number,
      atMs: this.deps.clock.now(),
    };
  }

  /** Results of the last steps. Null if they were not executed and never will be. */
  async #lookUp(mark: Mark, queries: readonly Query[]): Promise<Outcome | null> {
    const { line, retry, turn } = this.deps;
    const seen = await retry(async () => {
      const stream = line.take();
      let isClean = false;
      try {
        const { rows, error } = await runSteps(stream, [
          ...lookUp(mark),
          ...queries.filter(isRead),
        ]);
        isClean = true;
        if (error !== null) throw error;
        return rows.slice(1);
      } finally {
        line.release(stream, isClean);
      }
    }).catch((error: unknown) => {
      turn.giveUpOthers();
      throw unreachable(error);
    });
    const [answer, ...reads] = seen;
    if (Number(answer?.rows[0]?.[0]) !== 1) return null;
    if (!queries.every((query) => isRead(query) || isSilent(query)))
      throw new ResultLost("the transaction is done, but what it returned is lost");
    return {
      rows: queries.map((query) => (isRead(query) ? reads.shift() : null) ?? NO_ROWS),
      error: null,
    };
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
    // After an unknown outcome, the writer's next mark could overtake its last one, so its name is not reused.
    if (this.#writer && isClean) this.deps.writers.release(this.#writer);
    if (this.#stream) this.deps.line.release(this.#stream, isClean);
    this.#stream = null;
  }
}
