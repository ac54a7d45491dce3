/**
 * Adds ended calls to the full-text index in small batches. The queue also contains all calls from
 * before the index existed. Every node of a store does this; each batch is indexed by one node.
 */

import { type Clock, sleep } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import type { Log } from "../core/log.ts";
import { WorkLoop } from "../core/work-loop.ts";
import { searchIndexStore } from "../features/call-log/search-index-store.ts";

interface CallIndexing {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}

const EVERY_MS = 5_000;
/** Pause between batches, so that calls and requests get the thread and the database writer. */
const PAUSE_MS = 15;
/** Maximum number of merge steps per batch. */
const MERGES_MAX = 8;

/** The caller must `stop` it. */
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

/** Returns whether the queue may contain more. */
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
