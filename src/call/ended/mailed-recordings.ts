/**
 * Deletes recordings after they were mailed (specification 1). This happens at once, unless an endpoint
 * received `recording.ready`; then it waits until that event's link expires.
 *
 * The call becomes `emailed_deleted` when only the mail is left.
 */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Timer } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { MailQueue } from "../../features/mail/mail-queue.ts";
import type { CallSettings } from "../call-settings.ts";
import type { RecordingLinks } from "../media-port.ts";
import type { CallStorage } from "../stores.ts";

export interface MailedRecordingPorts extends CallStorage {
  readonly settings: Pick<CallSettings, "recordingsDir">;
  readonly node: string;
  readonly links: Pick<RecordingLinks, "validMs">;
  readonly mails: Pick<MailQueue, "onSent">;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_EVERY_MS = 30_000;
const AT_ONCE_MAX = 100;

/**
 * Subscribes to the mail queue, and polls for recordings due for deletion. Cancel the timer after the last
 * call.
 */
export function deleteMailedRecordings(context: MailedRecordingPorts): Timer {
  const { clock, database, stores, links, log, mails, node, settings } = context;

  async function remove(tenantId: number, callUuid: string, file: string | null): Promise<void> {
    // A crash may have left the WAV.
    for (const name of [file, `${callUuid}.wav`])
      if (name !== null) await rm(join(settings.recordingsDir, name), { force: true });
    await database.tx((queries) => stores.recordings(queries).markMailed(tenantId, callUuid));
  }

  mails.onSent(async ({ tenantId, callUuid, attachment }) => {
    if (!callUuid || !attachment) return;
    const announcedAt = await stores.recordings(database.read).announcedAt(tenantId, callUuid);
    const goesAtMs = announcedAt === null ? 0 : announcedAt + links.validMs;
    if (goesAtMs <= clock.now()) return remove(tenantId, callUuid, attachment);
    await database.tx((queries) =>
      stores.recordings(queries).deleteAt(tenantId, callUuid, goesAtMs),
    );
  });

  async function look(): Promise<void> {
    const store = stores.recordings(database.read);
    for (const { tenantId, callUuid, file } of await store.dueForDeletion(
      clock.now(),
      node,
      AT_ONCE_MAX,
    ))
      await remove(tenantId, callUuid, file);
  }

  let looking = false;
  return clock.every(LOOK_EVERY_MS, () => {
    if (looking) return;
    looking = true;
    look()
      .catch((error) => log.error("recording.delete_failed", { error: describeError(error) }))
      .finally(() => {
        looking = false;
      });
  });
}
