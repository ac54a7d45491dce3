/**
 * Event names of OpenAI's Realtime protocol. Beta names are mapped to GA names. The server's first
 * event shows its dialect.
 */
import { isObject, type JsonObject, parseJson } from "../../core/json.ts";

export type Dialect = "ga" | "beta";

export type AudioFormat = "g711_alaw" | "g711_ulaw" | "pcm";

/** Beta name → GA name. Identical names are not listed. */
const GA_NAMES: Readonly<Record<string, string>> = {
  "response.audio.delta": "response.output_audio.delta",
  "response.audio.done": "response.output_audio.done",
  "response.audio_transcript.delta": "response.output_audio_transcript.delta",
  "response.audio_transcript.done": "response.output_audio_transcript.done",
  "response.text.delta": "response.output_text.delta",
  "response.text.done": "response.output_text.done",
  "conversation.item.created": "conversation.item.added",
  "transcription_session.created": "session.created",
  "transcription_session.updated": "session.updated",
};

export interface ServerEvent {
  /** GA name. */
  readonly type: string;
  readonly body: JsonObject;
}

/** Null if it is not a JSON object with a type. */
export function readServerEvent(frame: string): ServerEvent | null {
  const body = parseJson(frame);
  if (!isObject(body)) return null;
  const { type } = body;
  if (typeof type !== "string") return null;
  return { type: GA_NAMES[type] ?? type, body };
}

export function textField(body: JsonObject, name: string): string {
  const value = body[name];
  return typeof value === "string" ? value : "";
}

export function objectField(body: JsonObject, name: string): JsonObject {
  const value = body[name];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** Details of an `error` event. */
export const errorOf = (body: JsonObject): JsonObject => objectField(body, "error");

/** Field and message of an error. */
export const detailOf = (error: JsonObject): string =>
  `${textField(error, "param")} ${textField(error, "message")}`;

/** Dialect of a `session.created` event. */
export function dialectOf({ body }: ServerEvent): Dialect {
  const session = objectField(body, "session");
  const isBeta = "modalities" in session || "input_audio_format" in session;
  return isBeta && !("audio" in session) ? "beta" : "ga";
}

/** Sample rate on the socket, in Hz. */
export const rateOf = (format: AudioFormat): number => (format === "pcm" ? 24_000 : 8_000);
