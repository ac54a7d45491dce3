/** Turns texts into vectors: texts that mean the same lie close together, whatever their words. */
export interface Embedder {
  /** Vectors of different models cannot be compared. */
  readonly model: string;
  /**
   * One vector a text, in their order, all of the same length. `question`: a caller waits, so it gives up
   * early. Rejects when the server does not answer as it should.
   */
  embed(texts: readonly string[], use: "question" | "passages"): Promise<Embedded>;
}

export interface Embedded {
  readonly vectors: readonly Float32Array[];
  /** What the server counted. */
  readonly tokens: number;
}
