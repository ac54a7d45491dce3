/**
 * After a call: WAV → MP3 → recording.ready → mail → deletion. Each step is stored before the next begins.
 * After a crash, recovery.ts resumes it by calling the same function.
 */

import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { CallNote } from "../../conversation/call-report.ts";
import type { Clock } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import { AppError, describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { MailQueue } from "../../features/mail/mail-queue.ts";
import { transcriptMail } from "../../features/mail/transcript-mail.ts";
import { recordingReady } from "../../features/webhook/catalogue.ts";
import type { EventSink } from "../../features/webhook/ports.ts";
import type { CallSettings } from "../call-settings.ts";
import type { RecordingEncoder, RecordingLinks, RecordingPeaks } from "../media-port.ts";
import type { CallStorage, StoredCall } from "../stores.ts";

export interface RecordingPorts extends CallStorage {
  readonly settings: Pick<CallSettings, "recordingsDir">;
  readonly encoder: RecordingEncoder;
  readonly links: Pick<RecordingLinks, "urlFor">;
  /** Calls whose recording this process is encoding. A long one takes minutes. */
  readonly recordingsInWork: Set<string>;
  readonly events: EventSink;
  readonly mails: Pick<MailQueue, "enqueue" | "wake">;
  readonly clock: Clock;
  readonly log: Log;
}

const RECORDING_FORMAT = "mp3";

interface Encoded {
  readonly file: string;
  /** Null if it was encoded before a crash and its WAV is gone. */
  readonly peaks: RecordingPeaks | null;
}

async function encode(
  context: Pick<RecordingPorts, "settings" | "encoder">,
  call: StoredCall,
): Promise<Encoded | null> {
  const { recordingsDir } = context.settings;
  if (!call.recordingFile) return null;
  const wav = join(recordingsDir, call.recordingFile);
  const mp3Name = `${call.callUuid}.mp3`;
  const mp3 = join(recordingsDir, mp3Name);
  if (!existsSync(wav)) return existsSync(mp3) ? { file: mp3Name, peaks: null } : null;
  const { peaks } = await context.encoder.encode(wav, mp3, {
    title:
      call.direction === "inbound"
        ? `From ${call.fromNumber || "a withheld number"}`
        : `To ${call.toNumber}`,
    callId: call.callUuid,
    recordedAt: new Date(call.answeredAt ?? call.createdAt),
  });
  return { file: mp3Name, peaks };
}

const isMessage = (note: CallNote): note is Extract<CallNote, { kind: "message" }> =>
  note.kind === "message";

/** Queues the post-call mail if the agent wants one. Returns whether it does. Idempotent: one mail per call. */
export async function queueMail(
  context: Pick<RecordingPorts, "stores" | "mails">,
  queries: Queries,
  call: StoredCall,
  attachment: string | null,
): Promise<boolean> {
  if (call.agentId === null) return false;
  const setup = context.stores.setup(queries);
  const [agent, tenant, turns, notes] = await Promise.all([
    setup.agent(call.tenantId, call.agentId),
    setup.tenant(call.tenantId),
    context.stores.calls(queries).turns(call.id),
    context.stores.notes(queries).of(call.id),
  ]);
  if (!agent?.transcriptEmailEnabled || !agent.transcriptEmail) return false;
  await context.mails.enqueue(
    queries,
    call.tenantId,
    transcriptMail({
      recipient: agent.transcriptEmail,
      agentName: agent.name,
      language: agent.language,
      timeZone: tenant?.timeZone ?? "UTC",
      call,
      turns,
      messages: notes.filter(isMessage),
      attachment,
    }),
  );
  return true;
}

const STORAGE_TROUBLE = /\b(ENOSPC|EDQUOT|EIO|EROFS)\b/;

/** Temporary errors: a full or missing disk, or an encoder that is busy, is shutting down or died. */
const mayWorkLater = (error: unknown): boolean =>
  (error instanceof AppError && error.retryable) || STORAGE_TROUBLE.test(describeError(error));

const isUnprocessed = (call: StoredCall | undefined): call is StoredCall =>
  call?.recordingStatus === "processing";

/**
 * Idempotent per call; never rejects.
 *
 * If storage or the encoder fails, the recording stays `processing`, its mail waits, and recovery.ts retries
 * it.
 *
 * `known`: the stored call; read from the store if missing.
 */
export async function processRecording(
  context: RecordingPorts,
  tenantId: number,
  callUuid: string,
  known?: StoredCall,
): Promise<void> {
  const { recordingsInWork } = context;
  if (recordingsInWork.has(callUuid)) return;
  recordingsInWork.add(callUuid);
  await processOnce(context, tenantId, callUuid, known).finally(() =>
    recordingsInWork.delete(callUuid),
  );
}

async function processOnce(
  context: RecordingPorts,
  tenantId: number,
  callUuid: string,
  known: StoredCall | undefined,
): Promise<void> {
  const log = context.log.with({ call_id: callUuid });
  try {
    const { database, stores } = context;
    const call = known ?? (await stores.calls(database.read).find(tenantId, callUuid));
    if (!isUnprocessed(call)) return;
    let encoded: Encoded | null = null;
    try {
      encoded = await encode(context, call);
    } catch (error) {
      if (mayWorkLater(error)) {
        log.warn("recording.postponed", { error: describeError(error) });
        return;
      }
      log.error("recording.encode_failed", { error: describeError(error) });
    }
    const mp3 = encoded?.file ?? null;
    const peaks = encoded?.peaks ?? null;
    const isMailed = await database.tx(async (queries) => {
      const status = mp3 ? "ready" : call.recordingFile ? "failed" : "none";
      const change = { status, ...(mp3 ? { file: mp3 } : {}) } as const;
      const left = await context.stores
        .calls(queries)
        .leaveProcessing(tenantId, callUuid, change, peaks && { peaks, atMs: context.clock.now() });
      if (!left) return false;
      if (mp3) {
        const { url, expiresAtMs } = context.links.urlFor(callUuid);
        await context.events.emit(
          queries,
          tenantId,
          recordingReady(call, {
            url,
            durationMs: call.recordingMs ?? 0,
            format: RECORDING_FORMAT,
            expiresAtMs,
          }),
        );
      }
      return left.isMailed && (await queueMail(context, queries, call, mp3));
    }, "background");
    if (mp3 && call.recordingFile && call.recordingFile !== mp3)
      await rm(join(context.settings.recordingsDir, call.recordingFile), { force: true });
    context.events.wake();
    if (isMailed) context.mails.wake();
  } catch (error) {
    log.error("recording.processing_failed", { error: describeError(error) });
  }
}
