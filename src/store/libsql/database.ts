/**
 * The database on a libSQL server that several nodes share: Hrana over WebSockets or HTTP, under the same
 * Drizzle and the same stores as the file.
 *
 * A transaction begins immediately (retried while another node writes), is all or nothing, and holds the
 * server's writer for a bounded time. The next transaction uses the same connection while the previous COMMIT
 * is pending. So a node requests the server's writer over one connection only: many waiting connections can
 * block sqld 0.24 forever.
 *
 * Every request has a timeout. A body that is too slow is aborted, and its late statements have no effect.
 * After a broken connection, work is retried for 1.5 s. A mark in the database shows whether a COMMIT without
 * a reply was executed.
 *
 * Backups and file integrity are the responsibility of the server's operator.
 */
import { type Client, createClient } from "@libsql/client/http";
import { openHttp, parseLibsqlUrl } from "@libsql/hrana-client";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { type Clock, sleep } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import type { Random } from "../../core/random.ts";
import type { Migration } from "../migration/migrate.ts";
import { migrations } from "../migration/migrations.ts";
import { revocationNotes } from "../migration/revocation-notes.ts";
import { watchChanges } from "./changes.ts";
import { keepWriters } from "./commit-marks.ts";
import { isResultLost, StoreUnreachable, unreachable } from "./errors.ts";
import { httpStreamsOf } from "./http.ts";
import { migrateRemote } from "./migrate.ts";
import { queriesOf } from "./queries.ts";
import { retryWithin } from "./retry.ts";
import { type StreamSource, socketsTo, takesSockets } from "./sockets.ts";
import { keepStreams, keepWriteLine, readInTurns } from "./streams.ts";
import { RemoteTransaction, type TransactionLimits } from "./transaction.ts";
import { type Turn, WriteTurns } from "./write-turns.ts";

export interface RemoteAddress {
  /** `libsql://`, `http://` or `https://`. */
  readonly url: string;
  readonly authToken: string | null;
}

interface RemoteLimits extends TransactionLimits {
  /** How long to retry after broken connections. */
  readonly retryMs: number;
  /** Timeout of one request to the server. */
  readonly requestMs: number;
  /** Timeout of the connectivity check. */
  readonly pingMs: number;
  /** How long to wait at the start for an unavailable server. */
  readonly openMs: number;
}

const LIMITS: RemoteLimits = {
  retryMs: 1_500,
  requestMs: 10_000,
  pingMs: 2_000,
  transactionMs: 4_000,
  busyMs: 10_000,
  openMs: 30_000,
};
const OPEN_PAUSE_MS = 500;
/** Maximum size of an unpacked HTTP reply. Otherwise an endless reply would fill the memory until its timeout. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

interface RemoteDependencies {
  readonly clock: Clock;
  readonly random: Random;
  /** Name of this node in the migration lock. */
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
  const { clock, random } = deps;
  const streams = keepStreams(await streamsOf(address, limits, clock), clock);
  const changes = watchChanges(hranaFor(address, limits.pingMs), clock);
  const probe = clientFor(address, limits.pingMs);
  const turns = new WriteTurns();
  const retry = retryWithin(limits.retryMs, clock);
  const writers = keepWriters(random);
  const line = keepWriteLine(streams, clock);
  const bodies = runBodies(
    (turn) => new RemoteTransaction({ streams, line, limits, clock, random, retry, writers, turn }),
  );

  return {
    read: queriesOf(readInTurns(streams, retry)),
    tx: (body, urgency) =>
      turns.run(
        (turn) => bodies.run(body, turn).finally(() => changes.note()),
        urgency === "urgent",
      ),
    finish: bodies.finish,
    settled: () => null,
    ...revocationNotes(),
    version: () => changes.version(),
    async ping() {
      try {
        await probe.execute("SELECT 1");
      } catch (error) {
        await probe.reconnect();
        throw unreachable(error);
      }
    },
    // The server's disk cannot be probed from here: its failures appear in each request.
    probeWrites: () => Promise.resolve(),
    async close() {
      await turns.idle();
      for (const each of [changes, line, streams]) each.close();
      probe.close();
      client.close();
    },
  };
}

/**
 * Runs the bodies of transactions. The `Queries` of a body are used again for later bodies, because prepared
 * statements belong to them (prepared.ts).
 */
function runBodies(begin: (turn: Turn) => RemoteTransaction) {
  interface Place {
    transaction: RemoteTransaction | null;
    readonly queries: Queries;
  }
  const free: Place[] = [];
  const taken = new Map<Queries, RemoteTransaction>();

  function open(): Place {
    const place: Place = {
      transaction: null,
      queries: queriesOf(
        (query) => place.transaction?.execute(query) ?? Promise.reject(new StoreUnreachable()),
      ),
    };
    return place;
  }

  async function run<Result>(
    body: (queries: Queries) => Promise<Result>,
    turn: Turn,
  ): Promise<Result> {
    const place = free.pop() ?? open();
    const transaction = begin(turn);
    place.transaction = transaction;
    taken.set(place.queries, transaction);
    try {
      const result = await body(place.queries);
      await transaction.commit();
      free.push(place);
      return result;
    } catch (error) {
      // An aborted body may still be running, so its place is not reused.
      await transaction.rollback();
      throw error instanceof DrizzleQueryError ? (error.cause ?? error) : error;
    } finally {
      taken.delete(place.queries);
    }
  }

  async function finish<Result>(
    queries: Queries,
    work: () => Promise<Result>,
    again?: () => Promise<Result>,
  ): Promise<Result> {
    taken.get(queries)?.finish();
    try {
      return await work();
    } catch (error) {
      if (again && isResultLost(error)) return await again();
      throw error;
    }
  }

  return { run, finish };
}

/** Uses WebSockets if the server accepts them, otherwise HTTP. */
async function streamsOf(
  address: RemoteAddress,
  { requestMs, pingMs }: RemoteLimits,
  clock: Clock,
): Promise<StreamSource> {
  const canTake = await takesSockets(socketsTo({ ...address, clock, requestMs: pingMs }));
  return canTake
    ? socketsTo({ ...address, clock, requestMs })
    : httpStreamsOf(hranaFor(address, requestMs));
}

function hranaFor({ url, authToken }: RemoteAddress, requestMs: number) {
  const parsed = parseLibsqlUrl(url);
  const client = openHttp(
    parsed.hranaHttpUrl ?? url,
    authToken ?? parsed.authToken,
    fetchWithin(requestMs),
  );
  client.intMode = "number";
  return client;
}

const fetchWithin = (requestMs: number) => async (request: Request) => {
  const response = await fetch(request, { signal: AbortSignal.timeout(requestMs) });
  return new Response(response.body?.pipeThrough(bounded(ANSWER_BYTES_MAX)), response);
};

function bounded(bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.byteLength;
      if (bytes <= bytesMax) controller.enqueue(piece);
      else controller.error(new Error(`an answer of more than ${bytesMax} bytes`));
    },
  });
}

function clientFor({ url, authToken }: RemoteAddress, requestMs: number): Client {
  return createClient({
    url,
    authToken: authToken ?? undefined,
    intMode: "number",
    fetch: fetchWithin(requestMs),
  });
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
