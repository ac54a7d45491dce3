/** What the transcriber's thread is told and answers. */
import type { Lesson, Nearness } from "../../meaning/meanings.ts";

export interface Transcript {
  readonly text: string;
  /** Mean log likelihood of a word piece: 0 is certain. */
  readonly evidence: number;
}

export interface ToTranscribe {
  readonly id: number;
  readonly pcm: Int16Array;
  readonly sampleRateHz: 8000 | 16000;
}

export type ToTranscriber =
  | ({ readonly type: "transcribe" } & ToTranscribe)
  | { readonly type: "learn"; readonly lesson: Lesson }
  | { readonly type: "compare"; readonly id: number; readonly key: string; readonly text: string };

export type FromTranscriber =
  | { readonly type: "ready" }
  /** Of no more use: the thread is ended. */
  | { readonly type: "failed"; readonly detail: string }
  | ({ readonly type: "transcript"; readonly id: number } & Transcript)
  /** Null: the lesson is not learnt (yet). */
  | { readonly type: "compared"; readonly id: number; readonly nearness: Nearness | null };
