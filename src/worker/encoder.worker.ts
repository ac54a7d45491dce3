/**
 * The encoder worker: converts recordings to MP3 after the call, away from HTTP, SIP and audio.
 * Every "encode" is answered by exactly one "encoded" or "failed", after at most one "opened".
 */
import { describeError } from "../core/errors.ts";
import type { FromEncoderWorker, ToEncoderWorker } from "../media/recording/encoder-messages.ts";
import { encodeMp3 } from "../media/recording/mp3.ts";
import { lowerThreadPriority } from "../platform/threads/priority.ts";

declare const self: Worker;

lowerThreadPriority();

const jobs = new Map<number, AbortController>();

function answer(message: FromEncoderWorker): void {
  self.postMessage(message);
}

async function encode(job: Extract<ToEncoderWorker, { type: "encode" }>): Promise<void> {
  const { jobId, wavPath, mp3Path, tags } = job;
  const controller = new AbortController();
  jobs.set(jobId, controller);
  try {
    const onOpened = (descriptors: readonly number[]) =>
      answer({ type: "opened", jobId, descriptors });
    const result = await encodeMp3(wavPath, mp3Path, tags, controller.signal, onOpened);
    answer({ type: "encoded", jobId, ...result });
  } catch (error) {
    answer({ type: "failed", jobId, reason: describeError(error) });
  } finally {
    jobs.delete(jobId);
  }
}

self.onmessage = (event: MessageEvent<ToEncoderWorker>) => {
  const message = event.data;
  if (message.type === "encode") void encode(message);
  else jobs.get(message.jobId)?.abort(new Error("cancelled"));
};
