/**
 * What the main thread needs of a worker: less than the whole `Worker`, so that a test can stand in
 * for a thread. Bun's `close` event is the end of a worker, for whatever reason.
 */
export type WorkerHandle = Pick<Worker, "postMessage" | "addEventListener" | "terminate">;
