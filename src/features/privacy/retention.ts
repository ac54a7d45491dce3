/**
 * Deletes data after its retention (specification 1 and 8): transcripts after the appliance's days plus the
 * tenant's paid blocks; recordings after a separate limit; delivery logs, events, emails and data sent to a
 * CRM after 30 days; memories of calls, PIN attempts and data received from a CRM after 90 days.
 * (http/idempotency.ts deletes idempotency keys after 24 hours.)
 *
 * A transcript includes the turns, the arguments of tool calls (they contain the caller's words), and every
 * copy of them in events and emails. Those copies are deleted within the appliance's own limit. The summary
 * stays: the specification limits "transcripts" and names the summary separately, and callback memory
 * (decisions 11) needs it. Erasing a person's number removes it too.
 *
 * The work runs in small transactions, each of which queries due rows. So the next run continues an
 * interrupted one. A recording's file is deleted before its row is updated.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, type ClockTrust, sleep, type Timer } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";

/**
 * Implemented by store/retention/retention-store.ts. Bounds are inclusive. Each method returns the number of
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
  /** True if a call, or a pending email, still needs the file. */
  isFileNeeded(callUuid: string, file: string): Promise<boolean>;
  deleteEvents(
    before: { readonly anyMs: number; readonly transcriptMs: number },
    limit: number,
  ): Promise<number>;
  deleteOld(what: OldRows, beforeMs: number, limit: number): Promise<number>;
}

export type OldRows =
  | "deliveries"
  | "mails"
  | "memories"
  | "purposes"
  | "pin_attempts"
  | "crm_answers"
  | "crm_messages";

export interface RetentionOptions {
  readonly records: (queries: Queries) => RetentionRecords;
  readonly database: Database;
  readonly clock: Clock;
  readonly trust?: Pick<ClockTrust, "mayDelete">;
  readonly log: Log;
  readonly recordingsDir: string;
  /** `<data>/outbox`: emails written as files, with transcript and recording. */
  readonly outboxDir: string;
  /** `[mail] outbox_keep_days`. Emails are never kept longer than the transcripts in them. */
  readonly outboxDays: number;
  readonly transcriptsDays: number;
  readonly recordingsDays: number;
  /** Deletes results of rehearsals from before these times; returns the number of files. */
  readonly expireRehearsals: (before: {
    readonly transcriptMs: number;
    readonly recordingMs: number;
  }) => number;
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
  readonly rehearsals: number;
}

const DAY_MS = 86_400_000;
const LOG_DAYS = 30;
/** The agent uses a memory for 14 days; a lookup may find it for longer. */
const MEMORY_DAYS = 90;
const PERIOD_MS = 3_600_000;
const FIRST_AFTER_MS = 60_000;
const BATCH_MAX = 200;
/** Transcripts per transaction. Each has hundreds of words to remove from the index first. */
const TRANSCRIPTS_AT_ONCE = 3;
/** Pause between batches, so that calls and requests get the thread and the writer. */
const PAUSE_MS = 20;
const RECORDING_NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:wav|mp3)/;
const MAIL_NAME = /\.eml(?:\.partial)?$/;

/** The owner must `stop` it. */
export class Retention {
  readonly #leaving = new AbortController();
  #running: Promise<RetentionReport> | null = null;
  #timers: readonly Timer[] = [];

  constructor(private readonly options: RetentionOptions) {}

  /** Runs every hour, first one minute after the start, unless the date is untrusted. */
  start(): void {
    const { clock, trust, log } = this.options;
    const wake = () => {
      if (trust?.mayDelete() === false) return;
      this.run().catch((error) => {
        if (!this.#leaving.signal.aborted)
          log.error("retention.failed", { error: describeError(error) });
      });
    };
    this.#timers = [clock.after(FIRST_AFTER_MS, wake), clock.every(PERIOD_MS, wake)];
  }

  /** Runs one full pass, or waits for the current one. Rejects if the store fails. */
  run(): Promise<RetentionReport> {
    this.#running ??= this.#pass().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#leaving.abort(new Error("stopping"));
    for (const timer of this.#timers) timer.cancel();
    await this.#running?.catch(() => undefined);
  }

  async #pass(): Promise<RetentionReport> {
    const { clock, log, transcriptsDays, recordingsDays, outboxDir, outboxDays } = this.options;
    // One time for the whole pass, because the clock may jump meanwhile.
    const nowMs = clock.now();
    const daysAgo = (days: number) => nowMs - days * DAY_MS;
    const logBefore = daysAgo(LOG_DAYS);
    const memoryBefore = daysAgo(MEMORY_DAYS);
    const copiesBefore = daysAgo(Math.min(LOG_DAYS, transcriptsDays));
    const mailFilesBefore = daysAgo(Math.min(outboxDays, transcriptsDays));
    const report = {
      transcripts: await this.#inBatches(
        (records, limit) => records.expireTranscripts(nowMs, transcriptsDays, limit),
        TRANSCRIPTS_AT_ONCE,
      ),
      recordings: await this.#expireRecordings(daysAgo(recordingsDays)),
      orphan_files: await this.#deleteOrphans(daysAgo(Math.max(1, recordingsDays))),
      deliveries: await this.#deleteOld("deliveries", logBefore),
      events: await this.#inBatches((records, limit) =>
        records.deleteEvents({ anyMs: logBefore, transcriptMs: copiesBefore }, limit),
      ),
      mails: await this.#deleteOld("mails", copiesBefore),
      mail_files: await this.#deleteFiles(outboxDir, mailFilesBefore, (name) =>
        MAIL_NAME.test(name),
      ),
      memories: await this.#deleteOld("memories", memoryBefore),
      crm_answers: await this.#deleteOld("crm_answers", memoryBefore),
      crm_messages: await this.#deleteOld("crm_messages", copiesBefore),
      rehearsals: this.options.expireRehearsals({
        transcriptMs: daysAgo(transcriptsDays),
        recordingMs: daysAgo(recordingsDays),
      }),
    };
    await this.#deleteOld("purposes", memoryBefore);
    await this.#deleteOld("pin_attempts", memoryBefore);
    if (Object.values(report).some((count) => count > 0)) log.info("retention.done", report);
    return report;
  }

  #deleteOld(what: OldRows, beforeMs: number): Promise<number> {
    return this.#inBatches((records, limit) => records.deleteOld(what, beforeMs, limit));
  }

  #inBatches(
    step: (records: RetentionRecords, limit: number) => Promise<number>,
    batchMax?: number,
  ): Promise<number> {
    const { database, records } = this.options;
    return this.#untilDone(
      (limit) => database.tx((queries) => step(records(queries), limit)),
      batchMax,
    );
  }

  /** Deletes each file before updating its row. */
  #expireRecordings(beforeMs: number): Promise<number> {
    const { database, records, recordingsDir } = this.options;
    return this.#untilDone(async (limit) => {
      const due = await records(database.read).recordingsEndedBy(beforeMs, limit);
      if (due.length === 0) return 0;
      for (const { file } of due) await rm(join(recordingsDir, file), { force: true });
      await database.tx(async (queries) => {
        for (const { tenantId, callUuid } of due)
          await records(queries).markRecordingExpired(tenantId, callUuid);
      });
      return due.length;
    });
  }

  /** Repeats a step until a batch is not full. Returns the sum. */
  async #untilDone(
    step: (limit: number) => Promise<number>,
    batchMax = this.options.batchMax ?? BATCH_MAX,
  ): Promise<number> {
    const { clock } = this.options;
    let total = 0;
    while (!this.#leaving.signal.aborted) {
      const count = await step(batchMax);
      total += count;
      if (count < batchMax) break;
      await sleep(clock, PAUSE_MS, this.#leaving.signal);
    }
    return total;
  }

  /** Deletes files left by a crash, without a row. */
  #deleteOrphans(beforeMs: number): Promise<number> {
    const { database, records, recordingsDir } = this.options;
    return this.#deleteFiles(recordingsDir, beforeMs, async (name) => {
      const uuid = RECORDING_NAME.exec(name)?.[1];
      return uuid !== undefined && !(await records(database.read).isFileNeeded(uuid, name));
    });
  }

  async #deleteFiles(
    directory: string,
    beforeMs: number,
    isOurs: (name: string) => boolean | Promise<boolean>,
  ): Promise<number> {
    let total = 0;
    for (const name of await readdir(directory).catch(() => [])) {
      if (this.#leaving.signal.aborted) break;
      const path = join(directory, name);
      const found = await stat(path).catch(() => null);
      if (!found?.isFile() || found.mtimeMs > beforeMs || !(await isOurs(name))) continue;
      await rm(path, { force: true });
      total++;
    }
    return total;
  }
}
