/**
 * Messages of the speech worker. The main thread only gives it one port per call worker (`init`).
 * All speech then goes directly between call worker and speech worker over that port. Messages are
 * plain data. Audio is transferred instead of copied if the sender no longer needs it.
 */

import type { Lesson, Nearness } from "./meaning/lessons.ts";
import type { VoiceFiles } from "./own-voices/voice-files.ts";

/** Main → speech worker. */
export type ToSpeechWorker =
  | {
      readonly type: "init";
      readonly port: MessagePort;
      /** Maximum number of threads that recognise English; default: one. */
      readonly transcribersMax?: number;
      /** `[engine.embedded.voices]`; default: none. */
      readonly voices?: VoiceFiles;
    }
  | { readonly type: "shutdown" };

/** Speech worker → main. */
export type FromSpeechWorker =
  | { readonly type: "ready"; readonly startMs: number }
  | { readonly type: "failed"; readonly detail: string }
  /** The text of an utterance came late, or timed out. */
  | { readonly type: "load"; readonly event: "waited" | "lost" }
  /** A file of the operator's voices cannot be used. Reported once per file. */
  | { readonly type: "voice_failed"; readonly file: string; readonly detail: string }
  /** The recogniser was loaded, or its memory was freed. */
  | { readonly type: "hearing"; readonly isLoaded: boolean }
  /** English cannot be recognised. Reported once, and again only after it has worked in between. */
  | { readonly type: "hearing_failed"; readonly detail: string };

/** Call worker → speech worker, over the port. The call worker chooses the ids. */
export type SpeechRequest =
  | {
      readonly type: "speak";
      readonly speechId: number;
      readonly text: string;
      readonly language: string;
      readonly voice: string;
      readonly sampleRateHz: 8000 | 16000;
      readonly ratePercent: number;
    }
  | { readonly type: "speak_cancel"; readonly speechId: number }
  | { readonly type: "learn"; readonly lesson: Lesson }
  | {
      readonly type: "compare";
      readonly comparisonId: number;
      readonly lessonKey: string;
      readonly text: string;
    }
  | {
      readonly type: "stt_open";
      readonly sttStreamId: number;
      readonly sampleRateHz: 8000 | 16000;
    }
  | {
      readonly type: "stt_start_utterance";
      readonly sttStreamId: number;
      readonly utterance: number;
      readonly lead: Int16Array;
    }
  | { readonly type: "stt_push"; readonly sttStreamId: number; readonly pcm: Int16Array }
  | { readonly type: "stt_early"; readonly sttStreamId: number }
  | { readonly type: "stt_drop_early"; readonly sttStreamId: number }
  | { readonly type: "stt_finalize"; readonly sttStreamId: number; readonly utterance: number }
  | { readonly type: "stt_discard"; readonly sttStreamId: number }
  | { readonly type: "stt_close"; readonly sttStreamId: number };

/** Speech worker → call worker, over the port. */
export type SpeechReply =
  /** Whether speech can be recognised. Sent when a stream opens, and with each result. */
  | { readonly type: "hearing"; readonly isPossible: boolean }
  /** Null if the topics are not encoded (yet). */
  | {
      readonly type: "compared";
      readonly comparisonId: number;
      readonly nearness: Nearness | null;
    }
  | { readonly type: "speech_chunk"; readonly speechId: number; readonly pcm: Int16Array }
  /** Last message of a speech, unless the speech was cancelled. */
  | { readonly type: "speech_end"; readonly speechId: number }
  | { readonly type: "speech_failed"; readonly speechId: number; readonly detail: string }
  | { readonly type: "stt_partial"; readonly sttStreamId: number; readonly text: string }
  | {
      readonly type: "stt_result";
      readonly sttStreamId: number;
      readonly utterance: number;
      readonly text: string;
      readonly confidence: number;
      readonly audioMs: number;
    }
  | {
      readonly type: "stt_failed";
      readonly sttStreamId: number;
      readonly utterance: number;
      readonly detail: string;
    };
