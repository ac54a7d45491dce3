/**
 * The database worker. Jobs that read the whole database (copies, checks) run here, so that they do not block
 * SIP and HTTP on the main thread. A worker runs one job.
 */

import { AppError, describeError } from "../../core/errors.ts";
import { lowerThreadPriority } from "../../platform/threads/priority.ts";
import { fileProblems } from "../../store/sqlite/integrity.ts";
import type { DatabaseJob, DatabaseResults, FromDatabaseWorker } from "./database-messages.ts";
import { writeSnapshot } from "./snapshot.ts";
import { verifyBackup } from "./verify.ts";

declare const self: Worker;

lowerThreadPriority();

async function carryOut(job: DatabaseJob): Promise<DatabaseResults[DatabaseJob["type"]]> {
  if (job.type === "snapshot") return writeSnapshot(job.database, job.target);
  if (job.type === "verify") return await verifyBackup(job.file, job.scratchDir, job.nowMs);
  return fileProblems(job.database, "integrity_check");
}

self.onmessage = async (event: MessageEvent<DatabaseJob>) => {
  let answer: FromDatabaseWorker;
  try {
    answer = { ok: true, result: await carryOut(event.data) };
  } catch (error) {
    const reason = error instanceof AppError ? error.publicMessage : describeError(error);
    answer = { ok: false, reason };
  }
  self.postMessage(answer);
};
