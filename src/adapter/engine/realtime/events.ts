/**
 * The words of OpenAI's Realtime protocol: GA names, with the beta's read as the same, and the two
 * shapes of a session. What a server speaks is seen from its first event.
 */
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import type { ToolSnapshot } from "../../../domain/conversation/call-config.ts";

export type Dialect = "ga" | "beta";

export type AudioFormat = "g711_alaw" | "g711_ulaw" | "pcm";

/** Beta name → GA name. Those that are the same in both are not listed. */
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

/** Null: no JSON object with a type. */
export function readServerEvent(frame: string): ServerEvent | null {
  let body: JsonValue;
  try {
    body = JSON.parse(frame) as JsonValue;
  } catch {
    return null;
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
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

/** Of the session in `session.created`. */
export function dialectOf(session: JsonObject): Dialect {
  const isBeta = "modalities" in session || "input_audio_format" in session;
  return isBeta && !("audio" in session) ? "beta" : "ga";
}

/** Hz of the audio on the socket. */
export const rateOf = (format: AudioFormat): number => (format === "pcm" ? 24_000 : 8_000);

interface SessionUpdateRequest {
  readonly instructions: string;
  readonly tools: readonly ToolSnapshot[];
  readonly voice: string;
  readonly format: AudioFormat;
  readonly model: string;
  /** Empty: callers are not written down. */
  readonly transcriptionModel: string;
  readonly language: string;
  readonly turnDetection: "own" | "server";
}

export function sessionUpdate(dialect: Dialect, request: SessionUpdateRequest): JsonObject {
  const session = dialect === "ga" ? gaSession(request) : betaSession(request);
  return { type: "session.update", session };
}

interface TranscriptionUpdateRequest {
  readonly format: AudioFormat;
  readonly model: string;
  readonly language: string;
}

export function transcriptionUpdate(
  dialect: Dialect,
  request: TranscriptionUpdateRequest,
): JsonObject {
  const transcription = { model: request.model, language: request.language };
  if (dialect === "beta") {
    return {
      type: "transcription_session.update",
      session: {
        input_audio_format: betaFormat(request.format),
        input_audio_transcription: transcription,
        turn_detection: null,
      },
    };
  }
  const input = { format: gaFormat(request.format), transcription, turn_detection: null };
  return { type: "session.update", session: { type: "transcription", audio: { input } } };
}

function gaSession(request: SessionUpdateRequest): JsonObject {
  const format = gaFormat(request.format);
  return {
    type: "realtime",
    output_modalities: ["audio"],
    instructions: request.instructions,
    tools: toolList(request.tools),
    tool_choice: "auto",
    audio: {
      input: {
        format,
        transcription: transcriptionOf(request),
        turn_detection: detectionOf(request),
      },
      output: { format, voice: request.voice },
    },
  };
}

function betaSession(request: SessionUpdateRequest): JsonObject {
  const format = betaFormat(request.format);
  return {
    modalities: ["text", "audio"],
    instructions: request.instructions,
    tools: toolList(request.tools),
    tool_choice: "auto",
    voice: request.voice,
    input_audio_format: format,
    output_audio_format: format,
    input_audio_transcription: transcriptionOf(request),
    turn_detection: detectionOf(request),
  };
}

const transcriptionOf = ({
  transcriptionModel,
  language,
}: SessionUpdateRequest): JsonObject | null =>
  transcriptionModel === "" ? null : { model: transcriptionModel, language };

/** The server finds where speech ends; when to answer and what to cut stays with us. */
const detectionOf = ({ turnDetection }: SessionUpdateRequest): JsonObject | null =>
  turnDetection === "own"
    ? null
    : { type: "server_vad", create_response: false, interrupt_response: false };

const toolList = (tools: readonly ToolSnapshot[]): JsonValue[] =>
  tools.map(({ name, description, parameters }) => ({
    ...{ type: "function", name, description, parameters },
  }));

function gaFormat(format: AudioFormat): JsonObject {
  if (format === "pcm") return { type: "audio/pcm", rate: 24_000 };
  return { type: format === "g711_alaw" ? "audio/pcma" : "audio/pcmu" };
}

const betaFormat = (format: AudioFormat): string => (format === "pcm" ? "pcm16" : format);
