/**
 * Events that OpenAI's Realtime API accepts from a client, according to the types of its SDK
 * (openai 7.57.0, resources/realtime/realtime.d.ts). Rejects unknown fields and wrong types. Every
 * event needs an id, and a cancellation must name its response.
 */
import { z } from "zod";
import type { Frame } from "./realtime-wire.ts";

const id = z.string().min(1).max(512);
const format = z.union([
  z.strictObject({ type: z.literal("audio/pcm"), rate: z.literal(24_000) }),
  z.strictObject({ type: z.enum(["audio/pcma", "audio/pcmu"]) }),
]);
const voice = z.union([
  z.enum(["alloy", "ash", "ballad", "coral", "echo", "sage", "shimmer", "verse", "marin", "cedar"]),
  z.strictObject({ id: z.string() }),
]);
const languageCode = z.string().regex(/^[a-z]{2}$/);
const transcription = z
  .strictObject({
    model: z.string().optional(),
    language: languageCode.optional(),
    languages: z.array(languageCode).min(1).optional(),
    keywords: z
      .array(z.string().regex(/^[^<>\r\n]{1,200}$/))
      .max(200)
      .optional(),
    prompt: z.string().max(1_024).optional(),
    delay: z.enum(["minimal", "low", "medium", "high", "xhigh"]).optional(),
  })
  .refine(
    ({ model, ...rest }) => {
      const isNew = /^gpt-(live-)?transcribe/.test(model ?? "");
      if (isNew) return rest.language === undefined;
      return rest.languages === undefined && rest.keywords === undefined;
    },
    { message: "language is for older models, languages and keywords for newer ones" },
  )
  .refine(({ model, prompt }) => model !== "gpt-realtime-whisper" || prompt === undefined, {
    message: "gpt-realtime-whisper takes no prompt",
  })
  .refine(({ model, delay }) => model === "gpt-realtime-whisper" || delay === undefined, {
    message: "delay is for gpt-realtime-whisper",
  });
const turnDetection = z.union([
  z.strictObject({
    type: z.literal("server_vad"),
    create_response: z.boolean().optional(),
    interrupt_response: z.boolean().optional(),
    idle_timeout_ms: z.number().nullable().optional(),
    prefix_padding_ms: z.number().optional(),
    silence_duration_ms: z.number().optional(),
    threshold: z.number().optional(),
  }),
  z.strictObject({
    type: z.literal("semantic_vad"),
    create_response: z.boolean().optional(),
    interrupt_response: z.boolean().optional(),
    eagerness: z.enum(["low", "medium", "high", "auto"]).optional(),
  }),
]);
const audioInput = z.strictObject({
  format: format.optional(),
  transcription: transcription.optional(),
  turn_detection: turnDetection.nullable().optional(),
  noise_reduction: z
    .strictObject({
      type: z.enum(["near_field", "far_field"]),
      strength: z.number().optional(),
    })
    .nullable()
    .optional(),
});
const audioOutput = z.strictObject({
  format: format.optional(),
  voice: voice.optional(),
  speed: z.number().min(0.25).max(1.5).optional(),
});
const tool = z.strictObject({
  type: z.literal("function"),
  name: z.string(),
  description: z.string(),
  parameters: z.looseObject({ type: z.literal("object") }),
});
const reasoning = z.strictObject({
  effort: z.enum(["minimal", "low", "medium", "high", "xhigh"]),
});
const toolChoice = z.enum(["none", "auto", "required"]);

const realtimeSession = z.strictObject({
  type: z.literal("realtime"),
  audio: z
    .strictObject({ input: audioInput.optional(), output: audioOutput.optional() })
    .optional(),
  instructions: z.string().optional(),
  output_modalities: z
    .array(z.enum(["text", "audio"]))
    .length(1)
    .optional(),
  tools: z.array(tool).optional(),
  tool_choice: toolChoice.optional(),
  reasoning: reasoning.optional(),
  parallel_tool_calls: z.boolean().optional(),
  max_output_tokens: z.union([z.int().min(1).max(4_096), z.literal("inf")]).optional(),
});
const transcriptionSession = z.strictObject({
  type: z.literal("transcription"),
  audio: z.strictObject({ input: audioInput }).optional(),
});

const content = (types: readonly [string, ...string[]]) =>
  z.array(z.strictObject({ type: z.enum(types), text: z.string() })).min(1);
const item = z.union([
  // Additional context during a conversation; ids may be the client's.
  z.strictObject({
    id: z.string().max(32).optional(),
    type: z.literal("message"),
    role: z.literal("system"),
    content: content(["input_text"]),
  }),
  z.strictObject({
    type: z.literal("message"),
    role: z.literal("user"),
    content: content(["input_text"]),
  }),
  z.strictObject({
    type: z.literal("message"),
    role: z.literal("assistant"),
    content: content(["output_text"]),
  }),
  z.strictObject({
    type: z.literal("function_call_output"),
    call_id: z.string(),
    output: z.string(),
  }),
]);
const response = z.strictObject({
  conversation: z.enum(["auto", "none"]).optional(),
  input: z.array(item).optional(),
  instructions: z.string().optional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).optional(),
  output_modalities: z
    .array(z.enum(["text", "audio"]))
    .length(1)
    .optional(),
  tool_choice: toolChoice.optional(),
  tools: z.array(tool).optional(),
  reasoning: reasoning.optional(),
  max_output_tokens: z.union([z.int().min(1).max(4_096), z.literal("inf")]).optional(),
});

const event = <Shape extends z.ZodRawShape>(type: string, shape: Shape) =>
  z.strictObject({ type: z.literal(type), event_id: id, ...shape });

const EVENTS: Readonly<Record<string, z.ZodType>> = {
  "session.update": event("session.update", {
    session: z.discriminatedUnion("type", [realtimeSession, transcriptionSession]),
  }),
  "input_audio_buffer.append": event("input_audio_buffer.append", { audio: z.base64().min(1) }),
  "input_audio_buffer.commit": event("input_audio_buffer.commit", {}),
  "input_audio_buffer.clear": event("input_audio_buffer.clear", {}),
  "conversation.item.create": event("conversation.item.create", { item }),
  "conversation.item.delete": event("conversation.item.delete", { item_id: id }),
  "conversation.item.truncate": event("conversation.item.truncate", {
    item_id: id,
    content_index: z.literal(0),
    audio_end_ms: z.int().min(0),
  }),
  "response.create": event("response.create", { response: response.optional() }),
  "response.cancel": event("response.cancel", { response_id: id }),
};

/** The error in an event of a GA client; null if it is valid. */
export function problemOf(
  frame: Frame,
): { readonly param: string; readonly message: string } | null {
  const schema = EVENTS[frame.type];
  if (!schema) return { param: "type", message: `Invalid value: '${frame.type}'.` };
  const issue = schema.safeParse(frame).error?.issues[0];
  if (!issue) return null;
  return { param: issue.path.join("."), message: `${issue.path.join(".")}: ${issue.message}` };
}
