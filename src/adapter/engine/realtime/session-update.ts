/**
 * What a Realtime session is asked to be, in the shape its server takes, and whether it has become so:
 * the GA shape as OpenAI's SDK has it (openai 7.57.0, resources/realtime/realtime.d.ts), or the beta's.
 */
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import type { ToolSnapshot } from "../../../domain/conversation/call-config.ts";
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
  /** Null: callers are not written down. */
  readonly transcription: JsonObject | null;
  readonly turnDetection: TurnDetection;
  /** `ReasoningEffort.field`. */
  readonly reasoning: JsonObject;
  readonly noiseReduction: "off" | "near_field" | "far_field";
}

/** Models of the Realtime API that think before they speak. */
const THINKS = /^gpt-realtime-[2-9]/;

/** `reasoning` of the sessions of one provider: not sent again once it was refused. */
export class ReasoningEffort {
  #isRefused = false;

  /** `setting`: "auto" is `automatic` for models that think; "" leaves it to the model. */
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

  /** Whether this refusal is of what was sent: asked again, it is left out. */
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

/** The only part of a session that another language changes. */
export function languageUpdate(dialect: Dialect, transcription: JsonObject): JsonObject {
  if (dialect === "beta") {
    return { type: "session.update", session: { input_audio_transcription: transcription } };
  }
  const session = { type: "realtime", audio: { input: { transcription } } };
  return { type: "session.update", session };
}

/**
 * A session that only writes down. `isConversation`: a server of the beta's shape without transcription
 * sessions (speaches) takes no more than the transcription of its conversation.
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
 * Why the audio of a confirmed session is not in our format; null: it is. A server that does not say
 * (LocalAI) has the protocol's default, PCM.
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

/** The server finds where speech ends; when to answer and what to cut stays with us. */
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
