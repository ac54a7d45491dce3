/** Messages between the main thread and the schema worker. One job at a time. */

/** Schema and values are JSON text: cloning a deeply nested object could fail. */
export interface ToSchemaWorker {
  readonly jobId: number;
  readonly schema: string;
  readonly values: string;
}

export type FromSchemaWorker =
  | { readonly type: "ready" }
  /** The worker has the job in hand. */
  | { readonly type: "begun"; readonly jobId: number }
  /** `problem` null: the values are valid. */
  | { readonly type: "checked"; readonly jobId: number; readonly problem: string | null };
