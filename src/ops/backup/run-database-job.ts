/** The main thread's side of the database worker: starts a worker, waits for its reply, terminates it. */
import { type Clock, systemClock } from "../../core/clock.ts";
import { conflict } from "../../core/errors.ts";
import type { DatabaseJob, DatabaseResults, FromDatabaseWorker } from "./database-messages.ts";

/** One hour is enough for 100 GB on a slow disk. */
const JOB_TIMEOUT_MS = 3_600_000;

/** Throws AppError with the worker's message, or if the worker dies or needs more than an hour. */
export async function runDatabaseJob<Type extends DatabaseJob["type"]>(
  spawn: () => Worker,
  job: Extract<DatabaseJob, { type: Type }>,
  clock: Clock = systemClock,
): Promise<DatabaseResults[Type]> {
  const worker = spawn();
  const done = Promise.withResolvers<DatabaseResults[Type]>();
  const timer = clock.after(JOB_TIMEOUT_MS, () =>
    done.reject(conflict("The database worker took longer than an hour.")),
  );
  worker.onmessage = ({ data }: MessageEvent<FromDatabaseWorker>) => {
    if (data.ok) done.resolve(data.result as DatabaseResults[Type]);
    else done.reject(conflict(data.reason));
  };
  worker.onerror = (event) => done.reject(conflict(`The database worker failed: ${event.message}`));
  try {
    worker.postMessage(job);
    return await done.promise;
  } finally {
    timer.cancel();
    worker.terminate();
  }
}
