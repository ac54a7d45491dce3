/** Messages between the main thread and the encoder worker. One job at a time. */
import type { RecordingPeaks } from "../../call/media-port.ts";
import type { RecordingTags } from "./id3.ts";

export type ToEncoderWorker =
  | {
      readonly type: "encode";
      readonly jobId: number;
      readonly wavPath: string;
      readonly mp3Path: string;
      readonly tags: RecordingTags;
    }
  | { readonly type: "cancel"; readonly jobId: number };

export type FromEncoderWorker =
  /** File descriptors of the job. They stay open if the worker dies. */
  | { readonly type: "opened"; readonly jobId: number; readonly descriptors: readonly number[] }
  | {
      readonly type: "encoded";
      readonly jobId: number;
      readonly durationMs: number;
      readonly bytes: number;
      readonly peaks: RecordingPeaks;
    }
  | { readonly type: "failed"; readonly jobId: number; readonly reason: string };

/** The file that the worker writes until the MP3 is complete. */
export const partialFileOf = (mp3Path: string): string => `${mp3Path}.part`;
