/** Turns texts into vectors: texts of similar meaning get close vectors, even if their words differ. */
export interface Embedder {
  /** Name of the model. Vectors of different models are not comparable. */
  readonly model: string;
  /**
   * Returns one vector per text, in order, all of the same length. `question`: a caller waits, so the timeout
   * is shorter. Rejects if the server fails or its answer is invalid.
   */
  embed(texts: readonly string[], use: "question" | "passages"): Promise<Embedded>;
}

export interface Embedded {
  readonly vectors: readonly Float32Array[];
  /** Tokens as counted by the server. */
  readonly tokens: number;
}
