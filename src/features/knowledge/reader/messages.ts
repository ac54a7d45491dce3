/** Messages between the main thread and the reader worker. Plain data only (structured clone). */
import type { DocumentHint, DocumentProblem, ReadDocument } from "../documents.ts";

/** Main to the worker: one document. */
export interface ToReaderWorker {
  readonly jobId: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly hint: DocumentHint;
}

/** The worker to main. */
export interface FromReaderWorker {
  readonly jobId: number;
  readonly result: ReadDocument | DocumentProblem;
}
