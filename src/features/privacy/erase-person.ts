/**
 * Erases a person: deletes everything a tenant has about one telephone number. That is recordings,
 * transcripts, summaries, tool arguments, events and pending deliveries, queued and written emails, pending
 * calls to the number, the contact, memories, PIN attempts, data from and for the CRM, campaign lines,
 * rehearsals and scenarios with the number in E.164, and the number itself.
 *
 * The call remains without the person: its time, duration and cost. The ledger needs it and contains no
 * names. A do-not-call request stays in force, so a fingerprint of the number is kept
 * (contact/do-not-call.ts). Existing backups are unchanged until they expire; the report mentions this. Files
 * are deleted before their rows, so that an interrupted run can be repeated and finds them again.
 */

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { endingByUs } from "../../call/ending.ts";
import { callStore } from "../../call/store/call-store.ts";
import { type Clock, sleep, yieldToEventLoop } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { isCallersNumber } from "../../core/e164.ts";
import { AppError, invalidField } from "../../core/errors.ts";
import type { DoNotCallList } from "../contact/do-not-call.ts";
import { scheduleStore } from "../schedule/schedule-store.ts";
import { eraseStore, type PersonsCall } from "./erase-store.ts";
import { type PersonCounts, personStore } from "./person-store.ts";

export interface ErasureReport extends PersonCounts {
  readonly dry_run: boolean;
  readonly calls: number;
  readonly turns: number;
  readonly tool_calls: number;
  readonly tags: number;
  readonly comments: number;
  readonly recordings: number;
  readonly events: number;
  readonly mails: number;
  readonly mail_files: number;
  readonly schedules_cancelled: number;
  /** Deleted rehearsal runs that contain the number, with their recordings. */
  readonly rehearsals: number;
  /** Set if the person asked not to be called: a fingerprint of the number is kept. */
  readonly do_not_call_kept?: true;
}

interface ErasureOptions {
  readonly database: Database;
  readonly recordingsDir: string;
  readonly outboxDir: string;
  readonly doNotCallList: DoNotCallList;
  readonly clock: Clock;
  /**
   * Deletes rehearsal runs that contain the number, unless `isDry`. Returns their number. Missing: no
   * rehearsals exist.
   */
  readonly eraseRehearsals?: (tenantId: number, number: string, isDry: boolean) => number;
  /** True right after a restore: no call is live, even if a row says so. */
  readonly restored?: boolean;
}

const EMPTY_LOG_TIMEOUT_MS = 1000;
const EMPTY_LOG_PAUSE_MS = 10;
const UNFINISHED = new Set(["dialing", "ringing", "in_progress"]);
const IN_WORK = new Set(["recording", "processing"]);

const NUMBER_FORM =
  "Enter the number in E.164 form, e.g. +37061234567, or 2 to 6 digits, e.g. 1001.";

const busy = () =>
  new AppError({
    code: "conflict",
    publicMessage:
      "A call with this number is live or its recording is being processed. Nothing was erased. Try again in a minute.",
  });

/** Throws conflict during a call with the number, valid_number_required for a number of the tenant. */
export async function erasePerson(
  options: ErasureOptions,
  tenantId: number,
  number: string,
  dryRun: boolean,
): Promise<ErasureReport> {
  const { database, doNotCallList, clock } = options;
  if (!isCallersNumber(number)) throw invalidField("number", NUMBER_FORM);
  const reading = eraseStore(database.read);
  if (await reading.isOwnNumber(tenantId, number))
    throw invalidField("number", "This number belongs to the tenant, not to a person.");
  const found = await reading.callsWith(tenantId, number);
  if (!options.restored) requireFinished(found);
  const files = await filesOf(options, found);
  const pending = await reading.pendingSchedules(tenantId, number);
  const counts = await reading.countOf(
    found.map(({ callUuid }) => callUuid),
    found.map(({ id }) => id),
  );
  const isDoNotCall =
    (await personStore(database.read).isOnDoNotCallList(tenantId, number)) ||
    (await doNotCallList.has(database.read, tenantId, number));
  const report: ErasureReport = {
    dry_run: dryRun,
    calls: found.length,
    ...counts,
    ...(await personStore(database.read).countOf(
      tenantId,
      number,
      found.map(({ callUuid }) => callUuid),
    )),
    recordings: files.recordings.length,
    mail_files: files.mails.length,
    schedules_cancelled: pending.length,
    rehearsals: options.eraseRehearsals?.(tenantId, number, true) ?? 0,
    ...(isDoNotCall ? { do_not_call_kept: true } : {}),
  };
  if (dryRun) return report;

  await database.tx((queries) => cancelPending(queries, tenantId, pending, clock.now()));
  for (const path of [...files.recordings, ...files.mails]) await rm(path, { force: true });
  options.eraseRehearsals?.(tenantId, number, false);
  for (const { id } of found) {
    await database.tx((queries) => eraseStore(queries).unindex(tenantId, id, clock.now()));
    await yieldToEventLoop();
  }
  await database.tx(async (queries) => {
    const store = eraseStore(queries);
    const now = await store.callsWith(tenantId, number);
    if (!options.restored) requireFinished(now);
    if (await personStore(queries).isOnDoNotCallList(tenantId, number))
      await doNotCallList.add(queries, tenantId, number, clock.now());
    await store.erase(tenantId, number, now, clock.now());
    await doNotCallList.noteErased(queries, tenantId, number);
  });
  await emptyLog(options);
  return report;
}

/** Removes the old pages from the write-ahead log as well. Waits for a running copy of the log. */
async function emptyLog({ database, clock }: ErasureOptions): Promise<void> {
  const giveUpAt = clock.monotonic() + EMPTY_LOG_TIMEOUT_MS;
  do {
    const [outcome] = await database.read.all<{ busy: number }>(
      sql`PRAGMA wal_checkpoint(TRUNCATE)`,
    );
    if (outcome?.busy !== 1) return;
    await sleep(clock, EMPTY_LOG_PAUSE_MS);
  } while (clock.monotonic() < giveUpAt);
}

function requireFinished(found: readonly PersonsCall[]): void {
  for (const { status, recordingStatus } of found)
    if (UNFINISHED.has(status) || IN_WORK.has(recordingStatus)) throw busy();
}

async function cancelPending(
  queries: Queries,
  tenantId: number,
  pending: readonly { readonly id: number; readonly callUuid: string }[],
  nowMs: number,
): Promise<void> {
  const ending = endingByUs("cancelled", "cancelled", "The number was erased.");
  for (const { id, callUuid } of pending) {
    if (!(await scheduleStore(queries).leavePending(tenantId, id, "cancelled", {}))) throw busy();
    await callStore(queries).finish(tenantId, callUuid, { ending, endedAt: nowMs });
  }
}

/** Names of recordings and written emails contain the call's id. */
async function filesOf(options: ErasureOptions, found: readonly PersonsCall[]) {
  const uuids = new Set(found.map(({ callUuid }) => callUuid));
  const namedAfter = async (directory: string) => {
    const names = await readdir(directory).catch(() => []);
    return names
      .filter((name) =>
        uuids.has(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(name)?.[0] ?? ""),
      )
      .map((name) => join(directory, name));
  };
  return {
    recordings: await namedAfter(options.recordingsDir),
    mails: await namedAfter(options.outboxDir),
  };
}
