/** A worker that starts a job and never ends it. */
declare const self: Worker;

self.onmessage = ({ data: { jobId } }: MessageEvent<{ readonly jobId: number }>) => {
  self.postMessage({ type: "begun", jobId });
  for (;;);
};
self.postMessage({ type: "ready" });
