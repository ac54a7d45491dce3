/**
 * The part of `Worker` that the main thread uses, so that a test can replace the thread. Bun fires
 * `close` when a worker ends, for any reason.
 */
export type WorkerHandle = Pick<Worker, "postMessage" | "addEventListener" | "terminate">;
