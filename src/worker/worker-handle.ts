/**
 * What the main thread needs of a worker: less than the whole `Worker`, so that a test can stand in
 * for a thread. `close` is Bun's event of a worker that has ended, for whatever reason.
 */
export interface WorkerHandle {
  postMessage(message: unknown, transfer?: Bun.Transferable[]): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  addEventListener(type: "error", listener: (event: ErrorEvent) => void): void;
  addEventListener(type: "close", listener: (event: Event) => void): void;
  terminate(): void;
}
