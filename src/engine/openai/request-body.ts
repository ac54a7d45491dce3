/**
 * Bodies of `POST /chat/completions` and `POST /responses` for the same question, within the rules
 * of the model. The provider stores nothing.
 */

import type { ToolSnapshot } from "../../conversation/call-config.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { alternating } from "./alternating-roles.ts";
import type { ModelRequest } from "./answer-reader.ts";
import { ANSWER_TOKENS_MAX, type CompletionMessage } from "./chat-history.ts";
import type { ModelCapabilities } from "./model-capabilities.ts";
import { strictSchema } from "./strict-schema.ts";

type Body = Record<string, unknown>;

/** Reasoning counts as part of the answer, so the limit leaves room for it. */
const THOUGHT_TOKENS_MAX = 7_168;

const strictSchemas = new WeakMap<JsonObject, JsonObject | null>();

export function chatBody(request: ModelRequest, rules: ModelCapabilities): Body {
  const messages = request.messages.map(({ thoughts: _, ...message }) => message);
  return {
    ...commonFields(request, rules),
    messages: rules.rolesAlternate ? alternating(messages) : messages,
    ...(rules.takes("stream_options") ? { stream_options: { include_usage: true } } : {}),
    ...(rules.effort === "" ? {} : { reasoning_effort: rules.effort }),
    ...(rules.takes("max_completion_tokens") ? { max_completion_tokens: tokensMax(rules) } : {}),
    ...toolFields(request, rules, chatTool),
  };
}

export function responsesBody(request: ModelRequest, rules: ModelCapabilities): Body {
  const { messages } = request;
  const instructions = messages.filter(({ role }) => role === "system");
  const lastQuestion = messages.findLastIndex(({ role }) => role === "user");
  const thinks = rules.effort !== "none" && rules.takes("include");
  return {
    ...commonFields(request, rules),
    instructions: instructions.map(({ content }) => content ?? "").join("\n\n"),
    input: messages.flatMap((message, index) =>
      message.role === "system" ? [] : inputItems(message, thinks && index > lastQuestion),
    ),
    store: false,
    ...(thinks ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(rules.effort === "" ? {} : { reasoning: { effort: rules.effort } }),
    ...(rules.takes("max_output_tokens") ? { max_output_tokens: tokensMax(rules) } : {}),
    ...toolFields(request, rules, responsesTool),
  };
}

function commonFields(
  { cacheKey, safetyIdentifier }: ModelRequest,
  rules: ModelCapabilities,
): Body {
  const fields: Body = { model: rules.model, stream: true };
  const { temperature } = rules;
  if (temperature !== undefined && rules.takes("temperature")) fields.temperature = temperature;
  if (cacheKey && rules.takes("prompt_cache_key")) fields.prompt_cache_key = cacheKey;
  if (safetyIdentifier && rules.takes("safety_identifier")) {
    fields.safety_identifier = safetyIdentifier;
  }
  return fields;
}

function toolFields(
  { tools, withoutTools = false }: ModelRequest,
  rules: ModelCapabilities,
  toolOf: (tool: ToolSnapshot, rules: ModelCapabilities) => Body,
): Body {
  const isRefused = withoutTools && !rules.takes("tool_choice");
  if (tools.length === 0 || isRefused) return {};
  const fields = { tools: tools.map((tool) => toolOf(tool, rules)) };
  return withoutTools ? { ...fields, tool_choice: "none" } : fields;
}

const tokensMax = ({ effort }: ModelCapabilities): number =>
  effort === "none" ? ANSWER_TOKENS_MAX : ANSWER_TOKENS_MAX + THOUGHT_TOKENS_MAX;

function chatTool({ name, description, parameters }: ToolSnapshot, rules: ModelCapabilities): Body {
  const strict = rules.takes("strict") ? strictOf(parameters) : null;
  const schema = strict === null ? { parameters } : { parameters: strict, strict: true };
  return { type: "function", function: { name, description, ...schema } };
}

/** In this API a tool is strict by default. */
function responsesTool(
  { name, description, parameters }: ToolSnapshot,
  rules: ModelCapabilities,
): Body {
  const strict = rules.takes("strict") ? strictOf(parameters) : null;
  const schema = { parameters: strict ?? parameters, strict: strict !== null };
  return { type: "function", name, description, ...schema };
}

function strictOf(parameters: JsonObject): JsonObject | null {
  const known = strictSchemas.get(parameters);
  if (known !== undefined) return known;
  const strict = strictSchema(parameters);
  strictSchemas.set(parameters, strict);
  return strict;
}

/** Reasoning stays in its place: before the words or the call that followed from it. */
function inputItems(message: CompletionMessage, withThoughts: boolean): JsonValue[] {
  const { role, content, tool_calls: calls = [], tool_call_id: callId } = message;
  const [first = [], ...later] = withThoughts ? (message.thoughts ?? []) : [];
  if (role === "tool") {
    return [{ type: "function_call_output", call_id: callId ?? "", output: content ?? "" }];
  }
  return [
    ...first,
    ...(content === null || content === "" ? [] : [{ type: "message", role, content }]),
    ...calls.flatMap(({ id, function: { name, arguments: args } }, index) => [
      ...(index === 0 ? [] : (later[index - 1] ?? [])),
      { type: "function_call", call_id: id, name, arguments: args },
    ]),
  ];
}
