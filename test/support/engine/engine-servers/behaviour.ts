/**
 * Differences between an OpenAI-compatible server and OpenAI: rejected requests and their error
 * texts, streaming, audio format. `behaviours.ts` is the table; `server.ts` implements it.
 */
import type { JsonObject } from "../../../../src/core/json.ts";
import type { ChatAnswer, ChatBody } from "../openai-server.ts";

export interface Refusal {
  readonly status: number;
  /** JSON, or plain text if a string. */
  readonly body: object | string;
}

/** An SSE event: its JSON, or its raw text. */
export type StreamEvent = object | string;

export interface LlmBehaviour {
  /** Error response to a request; null if the request is accepted. */
  refuses(body: ChatBody & JsonObject): Refusal | null;
  stream(answer: ChatAnswer, body: ChatBody): readonly StreamEvent[];
  /** Events after the first words of a failing answer. Then the server closes the connection. */
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
  /** Format of the response, regardless of the requested one unless "as asked". */
  readonly container: "pcm" | "wav" | "as asked";
  /** True: sent in chunks. False: the whole file with its length. */
  readonly isStreamed: boolean;
  /** Whether it answers 200 and closes the connection before the first byte. */
  breaksOff?(body: SpeechBody): boolean;
}

export interface EngineBehaviour {
  readonly name: string;
  /** Its address in the instructions of docs/engines.md. */
  readonly address: string;
  /** Error response for wrong credentials; null if access is granted. */
  admits(
    headers: Readonly<Record<string, string>>,
    query: Readonly<Record<string, string>>,
  ): Refusal | null;
  readonly llm?: LlmBehaviour;
  readonly stt?: SttBehaviour;
  readonly tts?: TtsBehaviour;
}
