/**
 * What the speech worker is told and answers. Main only introduces it to its customers (`init`, one
 * port per call worker); all speech then goes straight from call worker to speech worker over that
 * port. Plain data; audio is transferred, not copied, where the sender has no more use for it.
 */

import type { AgentLanguage } from "../../../domain/agent/agent.ts";
import type { ExpectedAnswer } from "../../../domain/conversation/engine-port.ts";
import type { PhraseKind } from "./closed-languages.ts";
import type { Lesson, Nearness } from "./meaning/meanings.ts";
import type { ReadingOutcome } from "./recogniser/second-reading.ts";
import type { Transcript } from "./recogniser/transcriber/messages.ts";

/** Main → speech worker. */
export type ToSpeechWorker =
  | { readonly type: "init"; readonly port: MessagePort }
  /** Builds a grammar ahead of its first call, e.g. when an agent is saved. */
  | { readonly type: "prepare"; readonly grammar: GrammarSource }
  | { readonly type: "shutdown" };

/** Speech worker → main. */
export type FromSpeechWorker =
  | { readonly type: "ready"; readonly startMs: number }
  | { readonly type: "failed"; readonly detail: string }
  /** An utterance waits for decoders; one came to nothing because they had no time for it. */
  | { readonly type: "load"; readonly event: "waited" | "lost" }
  /** What became of the second reading of an utterance. */
  | { readonly type: "second_reading"; readonly outcome: ReadingOutcome }
  /** Said once, and again only when second readings came in between. */
  | { readonly type: "second_reading_failed"; readonly detail: string };

/** What callers may be expected to say to an agent, by content: equal sources share one grammar. */
export interface GrammarSource {
  /** Hash of language and sentences. */
  readonly key: string;
  readonly language: AgentLanguage;
  /** Questions as the tenant wrote them. */
  readonly questions: readonly string[];
  /** Other words that belong to the domain: answers, names of tools. */
  readonly context: readonly string[];
  /** Kinds of phrases that are listened for. English knows no others. */
  readonly kinds: readonly PhraseKind[];
}

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
  | { readonly type: "prepare"; readonly grammar: GrammarSource }
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
      readonly language: AgentLanguage;
      readonly sampleRateHz: 8000 | 16000;
      readonly grammarKey: string;
      /** How long a second reading is waited for after the first. Null: there is none. */
      readonly transcriptMs: number | null;
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
  | { readonly type: "stt_expect"; readonly sttStreamId: number; readonly answer: ExpectedAnswer }
  | { readonly type: "stt_close"; readonly sttStreamId: number };

/** Speech worker → call worker, over the port. */
export type SpeechReply =
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
      readonly transcript: Transcript | null;
    }
  | {
      readonly type: "stt_failed";
      readonly sttStreamId: number;
      readonly utterance: number;
      readonly detail: string;
    };
