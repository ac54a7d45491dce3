/**
 * Connections of a libSQL server ("streams" of Hrana), kept open for reuse: opening one costs the server more
 * than a query. A stream has one user at a time.
 *
 * Reads requested in the same turn of the event loop share one request. Reads on a broken connection are
 * retried.
 */
import { type Clock, yieldToEventLoop } from "../../core/clock.ts";
import { isSqlError, isTimeout, StoreUnreachable, unreachable } from "./errors.ts";
import { noResult, type Query, type Rows, type Step } from "./hrana-json.ts";
import type { Retry } from "./retry.ts";
import type { HranaStream, StreamSource } from "./sockets.ts";

/** The server drops an HTTP stream after 10 s of silence. */
const KEPT_MS = 8_000;
const KEPT_MAX = 16;
/** Maximum reads per request: the server runs them one after another. */
const READS_MAX = 8;

export interface Streams {
  /** Takes a stream. A kept one may have been dropped by the server; a fresh one was not. */
  take(fresh: boolean): HranaStream;
  /** Keeps the stream for reuse, unless its work is incomplete. */
  release(stream: HranaStream, isClean: boolean): void;
  /** Closes the unused ones. */
  drop(): void;
  /** Closes permanently: no stream is opened or kept after it. */
  close(): void;
}

export function keepStreams(client: StreamSource, clock: Clock): Streams {
  const kept: { readonly stream: HranaStream; readonly untilMs: number }[] = [];
  let isClosed = false;
  const drop = () => {
    for (const { stream } of kept.splice(0)) stream.close();
  };
  return {
    take(fresh) {
      if (isClosed) throw new StoreUnreachable("the store is closed");
      for (let last = fresh ? undefined : kept.pop(); last; last = kept.pop()) {
        if (!last.stream.closed && last.untilMs > clock.monotonic()) return last.stream;
        last.stream.close();
      }
      return client.openStream();
    },
    release(stream, isClean) {
      if (!isClean || isClosed || kept.length >= KEPT_MAX) stream.close();
      if (!stream.closed) kept.push({ stream, untilMs: clock.monotonic() + KEPT_MS });
    },
    drop,
    close() {
      isClosed = true;
      drop();
    },
  };
}

/**
 * The only stream for this node's writes. Several transactions may use it: all except the last only wait for
 * the reply to their COMMIT. The server processes them one after another.
 *
 * With separate streams, all would wait for the server's writer. In sqld 0.24, a connection that gave up
 * waiting can still get the writer later, and then keeps it forever.
 */
export interface WriteLine {
  /** Each `take` needs one `release`. */
  take(): HranaStream;
  /** If `isClean` is false, it is closed for all its users. */
  release(stream: HranaStream, isClean: boolean): void;
  close(): void;
}

export function keepWriteLine(source: Pick<Streams, "take">, clock: Clock): WriteLine {
  let current: HranaStream | null = null;
  let users = 0;
  let usedAt = Number.NEGATIVE_INFINITY;

  function close(): void {
    current?.close();
    current = null;
    users = 0;
  }

  return {
    take() {
      const isOld = users === 0 && clock.monotonic() - usedAt > KEPT_MS;
      if (isOld || current?.closed) close();
      current ??= source.take(true);
      users++;
      return current;
    },
    release(stream, isClean) {
      if (stream !== current) return stream.close();
      users--;
      usedAt = clock.monotonic();
      if (!isClean) close();
    },
    close,
  };
}

export interface Outcome {
  /** Results of the steps before the failed one. */
  readonly rows: readonly Rows[];
  readonly error: unknown;
}

/**
 * Runs the steps in one request, each only if the previous one succeeded, and `otherwise` if one failed. If
 * the request rejects, it is unknown which steps ran.
 */
export async function runSteps(
  stream: HranaStream,
  steps: readonly Query[],
  otherwise: string | null = null,
): Promise<Outcome> {
  const chain = steps.map((query, at): Step => {
    return at === 0 ? { query } : { query, after: { step: at - 1, succeeded: true } };
  });
  if (otherwise !== null && steps.length > 0)
    chain.push({
      query: { sql: otherwise, args: [] },
      after: { step: steps.length - 1, succeeded: false },
    });
  const rows: Rows[] = [];
  for (const result of (await stream.batch(chain)).slice(0, steps.length)) {
    if (result instanceof Error) return { rows, error: result };
    rows.push(carriedOut(result));
  }
  return { rows, error: null };
}

/** Result of a step whose condition was met. */
function carriedOut<Result extends Rows | Error>(result: Result | null | undefined): Result {
  if (result) return result;
  throw noResult("a statement was not carried out");
}

interface Reading {
  readonly query: Query;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
  isOver: boolean;
}

/** Reads outside of transactions. Rejects with the statement's error, or with StoreUnreachable. */
export function readInTurns(streams: Streams, retry: Retry): (query: Query) => Promise<Rows> {
  let waiting: Reading[] = [];

  /** Rejects if the connection breaks; some reads may have been answered by then. */
  async function ask(readings: readonly Reading[], isFresh: boolean): Promise<void> {
    const stream = streams.take(isFresh);
    let broken: unknown = null;
    try {
      const results = await stream.batch(readings.map(({ query }) => ({ query })));
      for (const [at, reading] of readings.entries()) {
        const result = carriedOut(results[at]);
        if (!(result instanceof Error)) reading.resolve(result);
        else if (isSqlError(result)) reading.reject(result);
        else throw result;
        reading.isOver = true;
      }
    } catch (error) {
      broken = error;
    }
    if (broken !== null && isTimeout(broken)) streams.drop();
    streams.release(stream, broken === null);
    if (broken !== null) throw broken;
  }

  async function send(readings: readonly Reading[]): Promise<void> {
    const open = () => readings.filter(({ isOver }) => !isOver);
    try {
      await retry((isRepeated) => ask(open(), isRepeated));
    } catch (error) {
      for (const { reject } of open()) reject(unreachable(error));
    }
  }

  async function sendWaiting(): Promise<void> {
    await yieldToEventLoop();
    const readings = waiting;
    waiting = [];
    for (let at = 0; at < readings.length; at += READS_MAX)
      void send(readings.slice(at, at + READS_MAX));
  }

  return (query) =>
    new Promise((resolve, reject) => {
      waiting.push({ query, resolve, reject, isOver: false });
      if (waiting.length === 1) void sendWaiting();
    });
}
