/**
 * Deletes data past its retention (specification 1 and 8): transcripts after the appliance's days
 * plus the tenant's paid blocks; recordings after their own limit; delivery logs, events, emails
 * and data sent to a CRM after 30 days; memories of calls, PIN attempts and data received from a
 * CRM after 90 days. (http/idempotency.ts deletes idempotency keys after 24 hours.)
 *
 * A transcript includes the turns, the arguments of tool calls (they contain the caller's words),
 * and every copy of them in events and emails, which are therefore deleted no later than the
 * appliance's own limit. The summary stays: the specification limits "transcripts" and names the
 * summary separately, and callback memory (decisions 11) needs it. Erasing a person's number
 * removes it too.
 *
 * The work is done in small transactions, each of which queries what is due, so that an interrupted
 * run is continued by the next one. A recording's file is deleted before its row is updated.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, sleep } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";

/**
 * Implemented by store/retention-store.ts. Bounds are inclusive. Each method returns the number of
 * rows.
 */
export interface RetentionRecords {
  expireTranscripts(nowMs: number, baseDays: number, limit: number): Promise<number>;
  /** Files of calls that ended by that time, relative to the recordings directory. */
  recordingsEndedBy(
    beforeMs: number,
    limit: number,
  ): Promise<
    readonly { readonly tenantId: number; readonly callUuid: string; readonly file: string }[]
  >;
  markRecordingExpired(tenantId: number, callUuid: string): Promise<void>;
  /** True if a call, or an email that is not sent yet, still needs the file. */
  isFileNeeded(callUuid: string, file: string): Promise<boolean>;
  deleteDeliveries(beforeMs: number, limit: number): Promise<number>;
  deleteEvents(
    before: { readonly anyMs: number; readonly transcriptMs: number },
    limit: number,
  ): Promise<number>;
  deleteMails(beforeMs: number, limit: number): Promise<number>;
  deleteMemories(beforeMs: number, limit: number): Promise<number>;
  deletePurposes(beforeMs: number, limit: number): Promise<number>;
  deletePinTries(beforeMs: number, limit: number): Promise<number>;
  deleteCrmAnswers(beforeMs: number, limit: number): Promise<number>;
  deleteCrmMessages(beforeMs: number, limit: number): Promise<number>;
}

export interface RetentionOptions {
  readonly records: (queries: Queries) => RetentionRecords;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly recordingsDir: string;
  /** `<data>/outbox`: emails written as files, with transcript and recording. */
  readonly outboxDir: string;
  /** `[mail] outbox_keep_days`. Emails are never kept longer than the transcripts in them. */
  readonly outboxDays: number;
  readonly transcriptsDays: number;
  readonly recordingsDays: number;
  /** Rows per transaction; default 200. */
  readonly batchMax?: number;
}

interface RetentionReport {
  readonly transcripts: number;
  readonly recordings: number;
  readonly orphan_files: number;
  readonly deliveries: number;
  readonly events: number;
  readonly mails: number;
  readonly mail_files: number;
  readonly memories: number;
  readonly crm_answers: number;
  readonly crm_messages: number;
}

interface Retention {
  /** Runs one full pass, or waits for the one that is running. Rejects when the store does. */
  run(): Promise<RetentionReport>;
  stop(): Promise<void>;
}

const DAY_MS = 86_400_000;
const LOG_DAYS = 30;
/** The agent hears of a memory for 14 days; a lookup may find it for longer. */
const MEMORY_DAYS = 90;
const PERIOD_MS = 3_600_000;
const FIRST_AFTER_MS = 60_000;
const BATCH_MAX = 200;
/** Pause between batches, so that calls and requests get the thread and the writer. */
const PAUSE_MS = 20;
const RECORDING_NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:wav|mp3)/;
const MAIL_NAME = /\.eml(?:\.partial)?$/;

/** Runs every hour, the first time one minute after the start. The owner must `stop` it. */
export function startRetention(options: RetentionOptions): Retention {
  const { database, clock, log, batchMax = BATCH_MAX } = options;
  let running: Promise<RetentionReport> | null = null;
  const leaving = new AbortController();

  const daysAgo = (days: number) => clock.now() - days * DAY_MS;

  /** Repeats a step until a batch is not full. */
  async function drained(step: (queries: Queries) => Promise<number>): Promise<number> {
    let total = 0;
    while (!leaving.signal.aborted) {
      const count = await database.tx(step);
      total += count;
      if (count < batchMax) break;
      await sleep(clock, PAUSE_MS, leaving.signal);
    }
    return total;
  }

  async function expireRecordings(): Promise<number> {
    let total = 0;
    while (!leaving.signal.aborted) {
      const due = await options
        .records(database.read)
        .recordingsEndedBy(daysAgo(options.recordingsDays), batchMax);
      if (due.length === 0) break;
      for (const { file } of due) await rm(join(options.recordingsDir, file), { force: true });
      await database.tx(async (queries) => {
        for (const { tenantId, callUuid } of due)
          await options.records(queries).markRecordingExpired(tenantId, callUuid);
      });
      total += due.length;
      if (due.length < batchMax) break;
      await sleep(clock, PAUSE_MS, leaving.signal);
    }
    return total;
  }

  /** Deletes files that a crash left behind and no row refers to. */
  async function dropOrphans(): Promise<number> {
    const beforeMs = daysAgo(Math.max(1, options.recordingsDays));
    return await dropFiles(options.recordingsDir, beforeMs, async (name) => {
      const uuid = RECORDING_NAME.exec(name)?.[1];
      return uuid !== undefined && !(await options.records(database.read).isFileNeeded(uuid, name));
    });
  }

  async function dropFiles(
    directory: string,
    beforeMs: number,
    isOurs: (name: string) => boolean | Promise<boolean>,
  ): Promise<number> {
    let total = 0;
    for (const name of await readdir(directory).catch(() => [])) {
      if (leaving.signal.aborted) break;
      const path = join(directory, name);
      const found = await stat(path).catch(() => null);
      if (!found?.isFile() || found.mtimeMs > beforeMs || !(await isOurs(name))) continue;
      await rm(path, { force: true });
      total++;
    }
    return total;
  }

  async function pass(): Promise<RetentionReport> {
    const { transcriptsDays } = options;
    const logBefore = daysAgo(LOG_DAYS);
    const memoryBefore = daysAgo(MEMORY_DAYS);
    const mailFilesBefore = daysAgo(Math.min(options.outboxDays, transcriptsDays));
    const copiesBefore = daysAgo(Math.min(LOG_DAYS, transcriptsDays));
    const report = {
      transcripts: await drained((queries) =>
        options.records(queries).expireTranscripts(clock.now(), transcriptsDays, batchMax),
      ),
      recordings: await expireRecordings(),
      orphan_files: await dropOrphans(),
      deliveries: await drained((queries) =>
        options.records(queries).deleteDeliveries(logBefore, batchMax),
      ),
      events: await drained((queries) =>
        options
          .records(queries)
          .deleteEvents({ anyMs: logBefore, transcriptMs: copiesBefore }, batchMax),
      ),
      mails: await drained((queries) =>
        options.records(queries).deleteMails(copiesBefore, batchMax),
      ),
      mail_files: await dropFiles(options.outboxDir, mailFilesBefore, (name) =>
        MAIL_NAME.test(name),
      ),
      memories: await drained((queries) =>
        options.records(queries).deleteMemories(memoryBefore, batchMax),
      ),
      crm_answers: await drained((queries) =>
        options.records(queries).deleteCrmAnswers(memoryBefore, batchMax),
      ),
      crm_messages: await drained((queries) =>
        options.records(queries).deleteCrmMessages(copiesBefore, batchMax),
      ),
    };
    await drained((queries) => options.records(queries).deletePurposes(memoryBefore, batchMax));
    await drained((queries) => options.records(queries).deletePinTries(memoryBefore, batchMax));
    if (Object.values(report).some((count) => count > 0)) log.info("retention.done", report);
    return report;
  }

  function run(): Promise<RetentionReport> {
    running ??= pass().finally(() => {
      running = null;
    });
    return running;
  }

  function wake(): void {
    run().catch((error) => {
      if (!leaving.signal.aborted) log.error("retention.failed", { error: describeError(error) });
    });
  }

  const first = clock.after(FIRST_AFTER_MS, wake);
  const hourly = clock.every(PERIOD_MS, wake);
  return {
    run,
    async stop() {
      leaving.abort(new Error("stopping"));
      first.cancel();
      hourly.cancel();
      await running?.catch(() => undefined);
    },
  };
}
