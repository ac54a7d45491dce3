/**
 * How a server that speaks OpenAI's HTTP differs from OpenAI: what it refuses and in which words, how it
 * streams, which audio it gives. `behaviours.ts` is the table; `server.ts` carries it out.
 */
import type { JsonObject } from "../../../../src/core/json.ts";
import type { ChatAnswer, ChatBody } from "../openai-server.ts";

export interface Refusal {
  readonly status: number;
  /** JSON, unless it is a text. */
  readonly body: object | string;
}

/** An SSE event: its JSON, or its text as it stands. */
export type StreamEvent = object | string;

export interface LlmBehaviour {
  /** The first request that it does not take. Null: it answers. */
  refuses(body: ChatBody & JsonObject): Refusal | null;
  stream(answer: ChatAnswer, body: ChatBody): readonly StreamEvent[];
  /** What it says when it fails after the answer's first words; then it closes. */
  failsMidway(message: string): readonly StreamEvent[];
}

export interface SttBehaviour {
  refuses(fields: Readonly<Record<string, unknown>>): Refusal | null;
  /** The text of an utterance, as JSON or as events. */
  answer(text: string, fields: Readonly<Record<string, unknown>>): object | readonly StreamEvent[];
}

export interface SpeechBody {
  readonly model: string;
  readonly input: string;
  readonly voice: string;
  readonly response_format?: string;
}

export interface TtsBehaviour {
  refuses(body: SpeechBody): Refusal | null;
  readonly sampleRateHz: number;
  /** With the header that it writes, whatever was asked for. */
  readonly container: "pcm" | "wav" | "as asked";
  /** A chunk at a time, or the whole file with its length. */
  readonly isStreamed: boolean;
  /** It answers 200 and breaks off before the first byte. */
  breaksOff?(body: SpeechBody): boolean;
}

export interface EngineBehaviour {
  readonly name: string;
  /** Its address in the recipe of docs/engines.md. */
  readonly address: string;
  /** Null: it lets the request in. */
  admits(
    headers: Readonly<Record<string, string>>,
    query: Readonly<Record<string, string>>,
  ): Refusal | null;
  readonly llm?: LlmBehaviour;
  readonly stt?: SttBehaviour;
  readonly tts?: TtsBehaviour;
}
