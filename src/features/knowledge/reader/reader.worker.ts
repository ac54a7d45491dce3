/**
 * Entry of the reader worker: the thread that reads documents. Documents from people and web sites
 * can keep a thread busy for a long time. The creator of this thread ends it at a deadline.
 */
import { DocumentError } from "./document-error.ts";
import type { FromReaderWorker, ToReaderWorker } from "./messages.ts";
import { readDocument } from "./read-document.ts";

declare const self: Worker;

self.onmessage = async ({ data: { jobId, bytes, hint } }: MessageEvent<ToReaderWorker>) => {
  const result = await readDocument(bytes, hint).catch((error: unknown) =>
    error instanceof DocumentError ? error.problem : ("broken" as const),
  );
  self.postMessage({ jobId, result } satisfies FromReaderWorker);
};
