/** What the transcriber's thread is told and answers. */

export interface Transcript {
  readonly text: string;
  /** Mean log likelihood of a word piece: 0 is certain. */
  readonly evidence: number;
}

export interface ToTranscriber {
  readonly id: number;
  readonly pcm: Int16Array;
  readonly sampleRateHz: 8000 | 16000;
}

export type FromTranscriber =
  | { readonly type: "ready" }
  /** Of no more use: the thread is ended. */
  | { readonly type: "failed"; readonly detail: string }
  | ({ readonly type: "transcript"; readonly id: number } & Transcript);
