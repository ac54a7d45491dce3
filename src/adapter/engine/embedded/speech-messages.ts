/**
 * What the speech worker is told and answers. Main only introduces it to its customers (`init`, one
 * port per call worker); all speech then goes straight from call worker to speech worker over that
 * port. Plain data; audio is transferred, not copied, where the sender has no more use for it.
 */

import type { Lesson, Nearness } from "./meaning/lessons.ts";
import type { VoiceFiles } from "./own-voices/voice-files.ts";

/** Main → speech worker. */
export type ToSpeechWorker =
  | {
      readonly type: "init";
      readonly port: MessagePort;
      /** Threads that may read English at once; default: one. */
      readonly transcribersMax?: number;
      /** `[engine.embedded.voices]`; default: none. */
      readonly voices?: VoiceFiles;
    }
  | { readonly type: "shutdown" };

/** Speech worker → main. */
export type FromSpeechWorker =
  | { readonly type: "ready"; readonly startMs: number }
  | { readonly type: "failed"; readonly detail: string }
  /** The text of an utterance came late, or not in time. */
  | { readonly type: "load"; readonly event: "waited" | "lost" }
  /** A file of the operator's voices cannot be used. Reported once per file. */
  | { readonly type: "voice_failed"; readonly file: string; readonly detail: string }
  /** The recogniser is loaded, or its memory was given back. */
  | { readonly type: "hearing"; readonly isLoaded: boolean }
  /** English cannot be read. Reported once, and again only when it could be read meanwhile. */
  | { readonly type: "hearing_failed"; readonly detail: string };

/** Call worker → speech worker, over the port. Ids are chosen by the call worker. */
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
  /** Whether callers can be heard: reported when a stream opens, and with each result. */
  | { readonly type: "hearing"; readonly isPossible: boolean }
  /** Null: the lesson is not learnt (yet). */
  | {
      readonly type: "compared";
      readonly comparisonId: number;
      readonly nearness: Nearness | null;
    }
  | { readonly type: "speech_chunk"; readonly speechId: number; readonly pcm: Int16Array }
  /** Last message of a speech, unless it was cancelled. */
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
