/**
 * The recording of a call that its worker could not report: the worker died, its `close` took too long, or the
 * whole process died. The WAV is on this node's disk; its header is repaired.
 */

import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { CallSettings } from "../call-settings.ts";
import type { RecordingEncoder } from "../media-port.ts";

/** Parameter of `setRecording` in call-store.ts. `file` is relative to the recordings directory. */
export type OrphanedRecording =
  | { readonly status: "none"; readonly file: null; readonly ms: null }
  | { readonly status: "processing"; readonly file: string; readonly ms?: number }
  | { readonly status: "failed"; readonly file: string };

export const NO_RECORDING: OrphanedRecording = { status: "none", file: null, ms: null };

/**
 * Deletes a recording without speech: the ACK of our 2xx never came.
 * Never rejects. If it fails, the retention job deletes the file later.
 */
export async function discardRecording(
  context: Pick<OrphanedRecordingPorts, "settings">,
  callUuid: string,
): Promise<OrphanedRecording> {
  const path = join(context.settings.recordingsDir, `${callUuid}.wav`);
  await rm(path, { force: true }).catch(() => undefined);
  return NO_RECORDING;
}

interface OrphanedRecordingPorts {
  readonly settings: Pick<CallSettings, "recordingsDir">;
  readonly encoder: Pick<RecordingEncoder, "repair">;
  readonly log: Log;
}

/** Never rejects. An empty recording is deleted. */
export async function orphanedRecording(
  context: OrphanedRecordingPorts,
  callUuid: string,
): Promise<OrphanedRecording> {
  const file = `${callUuid}.wav`;
  const path = join(context.settings.recordingsDir, file);
  if (!existsSync(path)) return NO_RECORDING;
  try {
    const { durationMs } = await context.encoder.repair(path);
    if (durationMs > 0) return { status: "processing", file, ms: durationMs };
    await rm(path, { force: true });
    return NO_RECORDING;
  } catch (error) {
    context.log.error("recording.repair_failed", {
      call_id: callUuid,
      error: describeError(error),
    });
    return { status: "failed", file };
  }
}

const HALF_FILE = /\.mp3\.part$/;

/** Deletes partial files of encodings that a crash interrupted. Call it at start only, while no encoder runs. */
export async function dropHalfFiles(
  context: Pick<OrphanedRecordingPorts, "settings">,
): Promise<void> {
  const { recordingsDir } = context.settings;
  for (const name of await readdir(recordingsDir).catch(() => []))
    if (HALF_FILE.test(name)) await rm(join(recordingsDir, name), { force: true });
}
