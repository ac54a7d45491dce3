/** What the main thread and the schema worker say to each other. One job at a time. */

/** Schema and values are JSON texts: a copy of a deep object could fail. */
export interface ToSchemaWorker {
  readonly jobId: number;
  readonly schema: string;
  readonly values: string;
}

export type FromSchemaWorker =
  | { readonly type: "ready" }
  /** `problem` null: the values fit. */
  | { readonly type: "checked"; readonly jobId: number; readonly problem: string | null };
