/** Messages between a speech worker and a transcriber: the thread that turns English speech into text. */
import type { Lesson, Nearness } from "../meaning/lessons.ts";

export interface Transcript {
  /** Empty if no words in the sound are likely enough. */
  readonly text: string;
  /** Mean probability of the word pieces: 0 to 1. */
  readonly confidence: number;
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
  /** The thread is unusable and must be ended. */
  | { readonly type: "failed"; readonly detail: string }
  | ({ readonly type: "transcript"; readonly id: number } & Transcript)
  /** Null if the topics are not encoded (yet). */
  | { readonly type: "compared"; readonly id: number; readonly nearness: Nearness | null };
