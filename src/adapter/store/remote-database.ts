/**
 * The database on a libSQL server that several nodes share: Hrana over HTTP (`@libsql/client/http`)
 * under the same Drizzle and the same stores as the file.
 *
 * A transaction begins immediately (retried while another node writes), is all or nothing, and
 * holds the server's writer for a bounded time. Every request has a timeout. A body that is too
 * slow is cut off, and its late statements have no effect. If the response to a COMMIT is lost, its
 * outcome is unknown: what must happen once is guarded in the database itself.
 *
 * Backups and file integrity are the responsibility of the server's operator.
 */
import { type Client, createClient, type InStatement, type ResultSet } from "@libsql/client/http";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { drizzle } from "drizzle-orm/libsql/http";
import { type Clock, sleep } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import { type Random, randomInt } from "../../core/random.ts";
import type { Migration } from "./migrate.ts";
import { migrations } from "./migrations.gen.ts";
import { migrateRemote } from "./remote-migrate.ts";
import { revocationNotes } from "./revocation-notes.ts";
import * as schema from "./schema/index.ts";

export interface RemoteAddress {
  /** `libsql://`, `http://` or `https://`. */
  readonly url: string;
  readonly authToken: string | null;
}

interface RemoteLimits {
  /** Timeout of one request to the server. */
  readonly requestMs: number;
  /** Timeout of the connectivity check. */
  readonly pingMs: number;
  /** From BEGIN to COMMIT. */
  readonly transactionMs: number;
  /** How long to retry while other nodes write. */
  readonly busyMs: number;
  /** How long to wait at the start for a server that is not available yet. */
  readonly openMs: number;
}

const LIMITS: RemoteLimits = {
  requestMs: 10_000,
  pingMs: 2_000,
  transactionMs: 10_000,
  busyMs: 10_000,
  openMs: 30_000,
};
const BUSY_PAUSE_MS_MAX = 50;
const OPEN_PAUSE_MS = 500;
const READ_TRIES = 2;

/** The server does not answer, or not in time. `cause` has the details. */
export class StoreUnreachable extends Error {
  override readonly name = "StoreUnreachable";
  readonly code = "STORE_UNREACHABLE";
}

interface RemoteDependencies {
  readonly clock: Clock;
  readonly random: Random;
  /** The name of this node in the lock for migrations. */
  readonly owner: string;
  readonly limits?: Partial<RemoteLimits>;
  readonly migrations?: readonly Migration[];
}

/** Connects, and migrates once among all nodes. Throws StoreUnreachable, MigrationRejected. */
export async function openRemoteDatabase(
  address: RemoteAddress,
  deps: RemoteDependencies,
): Promise<Database> {
  const limits = { ...LIMITS, ...deps.limits };
  const connect = () => clientFor(address, limits.requestMs);
  const client = await awaitConnectivity(connect, address, limits, deps.clock);
  try {
    await requireForeignKeys(client, address);
    await migrateRemote(client, deps.migrations ?? migrations, deps);
  } catch (error) {
    client.close();
    throw error;
  }
  const probe = clientFor(address, limits.pingMs);
  const inTurn = takeTurns();
  const facade = {
    execute: (statement: InStatement) => reading(() => client.execute(exact(statement))),
    transaction: () => begin(client, limits, deps),
  };
  const database = drizzle(facade as unknown as Client, { schema });

  return {
    read: database as unknown as Queries,
    tx: (body) =>
      inTurn.run(() =>
        database
          .transaction((queries) => body(queries as unknown as Queries))
          .catch((error) => {
            throw error instanceof DrizzleQueryError ? (error.cause ?? error) : error;
          }),
      ),
    ...revocationNotes(),
    version: () => null,
    async ping() {
      try {
        await probe.execute("SELECT 1");
      } catch (error) {
        await probe.reconnect();
        throw unreachable(error);
      }
    },
    // The server's disk is the server's: its failures come with each request.
    probeWrites: () => Promise.resolve(),
    async close() {
      await inTurn.idle();
      probe.close();
      client.close();
    },
  };
}

function clientFor({ url, authToken }: RemoteAddress, requestMs: number): Client {
  const timed = (request: Request) => fetch(request, { signal: AbortSignal.timeout(requestMs) });
  return createClient({ url, authToken: authToken ?? undefined, intMode: "number", fetch: timed });
}

/** Waits for a server that is starting; fails at once if it rejects our token. */
async function awaitConnectivity(
  connect: () => Client,
  { url }: RemoteAddress,
  limits: RemoteLimits,
  clock: Clock,
): Promise<Client> {
  const until = clock.monotonic() + limits.openMs;
  for (;;) {
    const client = connect();
    try {
      await client.execute("SELECT 1");
      return client;
    } catch (error) {
      client.close();
      const refused = /\b40[13]\b/.test(describeError(error));
      if (refused || clock.monotonic() >= until)
        throw new StoreUnreachable(
          refused
            ? `The libSQL server ${url} refuses [storage] auth_token.`
            : `The libSQL server ${url} does not answer (${describeError(error)}). Check [storage] database and the server.`,
          { cause: error },
        );
      await sleep(clock, OPEN_PAUSE_MS);
    }
  }
}

async function requireForeignKeys(client: Client, { url }: RemoteAddress): Promise<void> {
  const { rows } = await client.execute("PRAGMA foreign_keys");
  if (Number(rows[0]?.[0]) !== 1)
    throw new StoreUnreachable(
      `The libSQL server ${url} does not enforce foreign keys. Use one built with SQLITE_DEFAULT_FOREIGN_KEYS=1, as libSQL's own builds are.`,
    );
}

const NO_ROWS: Pick<ResultSet, "columns" | "columnTypes" | "rows" | "rowsAffected"> = {
  columns: [],
  columnTypes: [],
  rows: [],
  rowsAffected: 0,
};

/**
 * Hrana sends JavaScript numbers as floats, and 7.0 / 2 is not 7 / 2: whole numbers are sent as
 * integers.
 */
function exact(statement: InStatement): InStatement {
  if (typeof statement === "string" || !Array.isArray(statement.args)) return statement;
  const args = statement.args.map((value) =>
    typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value,
  );
  return { ...statement, args };
}

/** The server decides how pages are overwritten. */
const isServerManaged = (statement: InStatement) =>
  typeof statement !== "string" && /^PRAGMA secure_delete/i.test(statement.sql);

/** Reads have no side effects: if a response is lost, the read is repeated once. */
async function reading<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (isSqlite(error)) throw error;
      if (attempt === READ_TRIES) throw unreachable(error);
    }
  }
}

/** An error of the statement, not of the connection. */
const isSqlite = (error: unknown) => String(codeOf(error)).startsWith("SQL");
const codeOf = (error: unknown) => (error as { code?: unknown }).code;

const unreachable = (cause: unknown) =>
  new StoreUnreachable(`the database server is out of reach: ${describeError(cause)}`, { cause });

/** Retries while another node writes, for at most `busyMs`; then rejects with SQLITE_BUSY. */
async function begin(
  client: Client,
  limits: RemoteLimits,
  { clock, random }: Pick<RemoteDependencies, "clock" | "random">,
) {
  const until = clock.monotonic() + limits.busyMs;
  for (;;) {
    try {
      const transaction = await client.transaction("write");
      await transaction.execute("SELECT 1"); // sends BEGIN IMMEDIATE
      return bounded(transaction, limits.transactionMs, clock);
    } catch (error) {
      if (codeOf(error) !== "SQLITE_BUSY") throw isSqlite(error) ? error : unreachable(error);
      if (clock.monotonic() >= until) throw error;
      await sleep(clock, 1 + randomInt(random, BUSY_PAUSE_MS_MAX));
    }
  }
}

type RemoteTransaction = Awaited<ReturnType<Client["transaction"]>>;

/** Closed when its time is over: the server rolls back and rejects later statements. */
function bounded(transaction: RemoteTransaction, limitMs: number, clock: Clock) {
  let expired = false;
  const timer = clock.after(limitMs, () => {
    expired = true;
    transaction.close();
  });

  async function attempt<Result>(step: () => Promise<Result>): Promise<Result> {
    try {
      return await step();
    } catch (error) {
      if (expired)
        throw new StoreUnreachable(`the transaction took longer than ${limitMs} ms`, {
          cause: error,
        });
      throw isSqlite(error) ? error : unreachable(error);
    }
  }

  return {
    execute: (statement: InStatement) =>
      isServerManaged(statement)
        ? Promise.resolve(NO_ROWS)
        : attempt(() => transaction.execute(exact(statement))),
    async commit() {
      timer.cancel();
      await attempt(() => transaction.commit());
    },
    /** The error that broke the transaction is the one to report. */
    async rollback() {
      timer.cancel();
      await transaction.rollback().catch(() => transaction.close());
    },
  };
}

/** Runs tasks one after another, in order; a failure does not block the next. */
function takeTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run<Result>(task: () => Promise<Result>): Promise<Result> {
      const turn = last.then(task, task);
      last = turn.catch(() => undefined);
      return turn;
    },
    idle: () => last,
  };
}
