/**
 * Puts ended calls into the index of words, piece by piece: what waits in its queue, which also has all
 * calls of before the index. Every node of a store does it; a piece is indexed by one of them.
 */
import { searchIndexStore } from "../adapter/store/call/search-index.ts";
import { type Clock, sleep } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import type { Log } from "../core/log.ts";
import { WorkLoop } from "../core/work-loop.ts";

interface CallIndexing {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}

const EVERY_MS = 5_000;
/** Between pieces, so that calls and requests get the thread and the writer. */
const PAUSE_MS = 15;
/** Steps for each piece: each page is written again once for every level of the index. */
const MERGES_MAX = 8;

/** The owner must `stop` it. */
export function startCallIndexing({ database, clock, log }: CallIndexing): WorkLoop {
  const pause = () => sleep(clock, PAUSE_MS);
  const loop: WorkLoop = new WorkLoop({
    clock,
    log,
    failure: "calls.indexing_failed",
    everyMs: EVERY_MS,
    async round() {
      while (loop.isRunning && (await indexSomeCalls(database, clock.now(), pause))) await pause();
    },
  });
  loop.start();
  return loop;
}

/** Returns whether more may wait. */
export async function indexSomeCalls(
  database: Database,
  nowMs: number,
  pause: () => Promise<void>,
): Promise<boolean> {
  const read = searchIndexStore(database.read);
  const due = await read.due(nowMs);
  if (!due) return false;
  const { tenantId, queued } = due;
  const callIds = queued.map(({ callId }) => callId);
  const documents = await read.documentsOf(tenantId, callIds);
  const isDone = await database.tx(
    (queries) => searchIndexStore(queries).index(tenantId, queued, documents),
    "background",
  );
  if (!isDone) return true;
  for (let merges = 0; merges < MERGES_MAX; merges++) {
    await pause();
    const isMore = await database.tx((q) => searchIndexStore(q).merge(), "background");
    if (!isMore) break;
  }
  return true;
}
