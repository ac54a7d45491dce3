/**
 * Builds the update of a Realtime session in the server's format, and checks the result. GA format:
 * OpenAI's SDK (openai 7.57.0, resources/realtime/realtime.d.ts). Also supports the beta's format.
 */

import type { ToolSnapshot } from "../../conversation/call-config.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { type AudioFormat, type Dialect, detailOf, objectField } from "./events.ts";

interface TurnDetection {
  readonly by: "own" | "server" | "semantic";
  readonly eagerness: "auto" | "low" | "medium" | "high";
}

interface SessionUpdateRequest {
  readonly instructions: string;
  readonly tools: readonly ToolSnapshot[];
  readonly voice: string;
  readonly format: AudioFormat;
  /** Null: callers are not transcribed. */
  readonly transcription: JsonObject | null;
  readonly turnDetection: TurnDetection;
  /** `ReasoningEffort.field`. */
  readonly reasoning: JsonObject;
  readonly noiseReduction: "off" | "near_field" | "far_field";
}

/** Reasoning models of the Realtime API. */
const THINKS = /^gpt-realtime-[2-9]/;

/**
 * `reasoning` field of one provider's sessions. Not sent again after the server has rejected it.
 */
export class ReasoningEffort {
  #isRefused = false;

  /** `setting`: "auto" means `automatic` for reasoning models; "" leaves it to the model. */
  constructor(
    private readonly setting: string,
    private readonly model: string,
    private readonly automatic: "minimal" | "low",
  ) {}

  get field(): JsonObject {
    const auto = THINKS.test(this.model) ? this.automatic : "";
    const effort = this.setting === "auto" ? auto : this.setting;
    return this.#isRefused || effort === "" ? {} : { reasoning: { effort } };
  }

  /** Returns whether the error is about the sent `reasoning`. The retry has none. */
  learn(error: JsonObject, sent: JsonObject): boolean {
    const isRefused = sent.reasoning !== undefined && /reasoning/i.test(detailOf(error));
    this.#isRefused ||= isRefused;
    return isRefused;
  }
}

export function sessionUpdate(dialect: Dialect, request: SessionUpdateRequest): JsonObject {
  const session = dialect === "ga" ? gaSession(request) : betaSession(request);
  return { type: "session.update", session };
}

/** The only part of a session that depends on the language. */
export function languageUpdate(dialect: Dialect, transcription: JsonObject): JsonObject {
  if (dialect === "beta") {
    return { type: "session.update", session: { input_audio_transcription: transcription } };
  }
  const session = { type: "realtime", audio: { input: { transcription } } };
  return { type: "session.update", session };
}

/**
 * A session that only transcribes. `isConversation`: for servers with the beta's format but no
 * transcription sessions (speaches). They accept only the transcription of a conversation.
 */
export function transcriptionUpdate(
  dialect: Dialect,
  request: {
    readonly format: AudioFormat;
    readonly transcription: JsonObject;
    readonly isConversation: boolean;
  },
): JsonObject {
  const { transcription, isConversation } = request;
  if (dialect === "beta" && isConversation) {
    return { type: "session.update", session: { input_audio_transcription: transcription } };
  }
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

/**
 * Error if the audio of a confirmed session is not in our format; null if it is. A server that does
 * not report the format (LocalAI) uses the protocol's default, PCM.
 */
export function formatProblem(
  session: JsonObject,
  format: AudioFormat,
  sides: readonly ("input" | "output")[],
): string | null {
  for (const side of sides) {
    const ga = objectField(objectField(objectField(session, "audio"), side), "format").type;
    const said = ga ?? session[`${side}_audio_format`] ?? "audio/pcm";
    if (said === gaFormat(format).type || said === betaFormat(format)) continue;
    return `the session's ${side} is ${String(said)} instead of ${String(gaFormat(format).type)}`;
  }
  return null;
}

function gaSession(request: SessionUpdateRequest): JsonObject {
  const format = gaFormat(request.format);
  const { transcription, reasoning, voice } = request;
  return {
    type: "realtime",
    output_modalities: ["audio"],
    instructions: request.instructions,
    tools: toolList(request.tools),
    tool_choice: "auto",
    ...reasoning,
    audio: {
      input: {
        format,
        ...(transcription === null ? {} : { transcription }),
        turn_detection: detectionOf(request),
        ...noiseReductionOf(request),
      },
      output: { format, voice: voice.startsWith("voice_") ? { id: voice } : voice },
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
    ...(request.transcription === null ? {} : { input_audio_transcription: request.transcription }),
    turn_detection: detectionOf(request),
  };
}

/** The server detects the end of speech. We decide when to answer and what to truncate. */
function detectionOf({ turnDetection }: SessionUpdateRequest): JsonObject | null {
  const ours = { create_response: false, interrupt_response: false };
  if (turnDetection.by === "own") return null;
  if (turnDetection.by === "server") return { type: "server_vad", ...ours };
  return { type: "semantic_vad", eagerness: turnDetection.eagerness, ...ours };
}

const noiseReductionOf = ({
  noiseReduction,
}: Pick<SessionUpdateRequest, "noiseReduction">): JsonObject =>
  noiseReduction === "off" ? {} : { noise_reduction: { type: noiseReduction } };

const toolList = (tools: readonly ToolSnapshot[]): JsonValue[] =>
  tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    parameters,
  }));

function gaFormat(format: AudioFormat): JsonObject {
  if (format === "pcm") return { type: "audio/pcm", rate: 24_000 };
  return { type: format === "g711_alaw" ? "audio/pcma" : "audio/pcmu" };
}

const betaFormat = (format: AudioFormat): string => (format === "pcm" ? "pcm16" : format);
