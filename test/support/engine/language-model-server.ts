/**
 * A server with language models on a real socket, as strict as the public reference. It checks
 * every request to `/chat/completions` and `/responses` field by field, tool by tool and message by
 * message, and rejects violations with the provider's own texts. The models' answers are scripted.
 *
 * Sources: the types of the npm package `openai` 7.57.0 (chat/completions, responses, models) and
 * error bodies in public issue threads (openai-openapi #541, langchainjs #9804, aichat #1049).
 */
import type { JsonObject, JsonValue } from "../../../src/core/json.ts";
import { type RawReply, type RawRequest, rawHttpServer } from "../net/raw-http.ts";

export interface ModelBehaviour {
  /** Supported APIs. */
  readonly apis?: readonly ("chat" | "responses")[];
  /** Accepted values of reasoning effort; null if the parameter is unknown. */
  readonly efforts?: readonly string[] | null;
  /** `none_only`: tools over chat completions only if reasoning effort is none. */
  readonly chatTools?: "always" | "none_only";
  readonly contextTokens?: number;
  /** False: it does not return encrypted reasoning. */
  readonly encrypts?: boolean;
  readonly shutdownDate?: string | null;
}

export interface ModelAnswer {
  readonly text?: string;
  readonly refusal?: string;
  readonly tools?: readonly { readonly name: string; readonly arguments: object }[];
  /** Finish reason of the answer. */
  readonly end?: "stop" | "length" | "content_filter";
  /** Error with which the stream ends after the text. */
  readonly error?: { readonly code: string; readonly message: string };
  /** Closes the connection after the text. */
  readonly cut?: boolean;
}

export interface ModelRequest {
  readonly api: "chat" | "responses";
  readonly model: string;
  readonly tools: readonly string[];
  /** Instructions and messages, under either API's names. */
  readonly turns: readonly { readonly role: string; readonly text: string }[];
  readonly body: JsonObject;
}

interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
}

const CHAT_FIELDS = [
  ...["messages", "model", "stream", "stream_options", "temperature", "tools", "tool_choice"],
  ...["max_completion_tokens", "parallel_tool_calls", "prompt_cache_key", "reasoning_effort"],
  ...["safety_identifier", "store", "verbosity", "top_p", "service_tier"],
];
const RESPONSES_FIELDS = [
  ...["input", "instructions", "model", "stream", "temperature", "tools", "tool_choice", "include"],
  ...["max_output_tokens", "parallel_tool_calls", "prompt_cache_key", "reasoning", "top_p"],
  ...["safety_identifier", "store", "text", "service_tier"],
];

export function languageModelServer(hostname: string) {
  const requests: ModelRequest[] = [];
  const refusals: Refusal[] = [];
  const state = {
    models: {} as Record<string, ModelBehaviour>,
    answer: (_: ModelRequest): ModelAnswer => ({ text: "All right." }),
    /** Fields that this server rejects, although the reference has them. */
    unknownFields: [] as string[],
    /** False: the server does not have the path. */
    hasResponses: true,
    /** Error response to every request; null for none. */
    always: null as Refusal | null,
    /** Error responses to the next requests, one each. */
    next: [] as Refusal[],
    /** Whether `GET /models` has the field. */
    listsShutdownDates: true,
  };

  async function handle({ method, path, body }: RawRequest, reply: RawReply): Promise<void> {
    if (method === "GET" && path === "/v1/models") return listModels(reply);
    const api = path === "/v1/chat/completions" ? "chat" : "responses";
    if (api === "responses" && (path !== "/v1/responses" || !state.hasResponses)) {
      return reply.send(404, "application/json", '{"detail":"Not Found"}');
    }
    const json = JSON.parse(body.toString("utf8")) as JsonObject;
    const request = requestOf(api, json);
    requests.push(request);
    const refusal =
      state.next.shift() ?? state.always ?? refusalOf(request, state.models, state.unknownFields);
    if (refusal) {
      refusals.push(refusal);
      const {
        status,
        message,
        type = "invalid_request_error",
        param = null,
        code = null,
      } = refusal;
      const error = { message, type, param, code };
      return reply.send(status, "application/json", JSON.stringify({ error }));
    }
    const answer = state.answer(request);
    if (api === "chat") streamChat(answer, json, reply);
    else streamResponse(answer, json, reply);
  }

  function listModels(reply: RawReply): void {
    const data = Object.entries(state.models).map(([id, { shutdownDate = null }]) => ({
      id,
      object: "model",
      created: 1_790_000_000,
      owned_by: "test",
      ...(state.listsShutdownDates ? { shutdown_date: shutdownDate } : {}),
    }));
    reply.send(200, "application/json", JSON.stringify({ object: "list", data }));
  }

  const server = rawHttpServer(hostname, handle);
  return {
    url: `http://${hostname}:${server.port}/v1`,
    requests,
    /** Rejected requests, in order. */
    refusals,
    script: state,
    close: () => server.close(),
  };
}

export type LanguageModelServer = ReturnType<typeof languageModelServer>;

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
const listed = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);
const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

function requestOf(api: ModelRequest["api"], body: JsonObject): ModelRequest {
  const messages = listOf(api === "chat" ? body.messages : body.input);
  const turns = messages.map((message) => ({
    role: textOf(message.role) || textOf(message.type),
    text: textOf(message.content) || textOf(message.output) || textOf(message.name),
  }));
  const instructions = textOf(body.instructions);
  return {
    api,
    body,
    model: textOf(body.model),
    tools: listOf(body.tools).map((tool) => textOf(definitionOf(tool).name)),
    turns: instructions === "" ? turns : [{ role: "system", text: instructions }, ...turns],
  };
}

const definitionOf = (tool: JsonObject): JsonObject =>
  isObject(tool.function) ? tool.function : tool;

function refusalOf(
  request: ModelRequest,
  models: Readonly<Record<string, ModelBehaviour>>,
  unknownFields: readonly string[],
): Refusal | null {
  const { api, model, body } = request;
  const known = (api === "chat" ? CHAT_FIELDS : RESPONSES_FIELDS).filter(
    (name) => !unknownFields.includes(name),
  );
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown) {
    const message = `Unrecognized request argument supplied: ${unknown}`;
    return { status: 400, message };
  }
  const behaviour = models[model];
  if (!behaviour) {
    const message = `The model \`${model}\` does not exist or you do not have access to it.`;
    return { status: 404, message, code: "model_not_found" };
  }
  return (
    apiRefusal(request, behaviour) ??
    effortRefusal(request, behaviour) ??
    thoughtsRefusal(request, behaviour) ??
    toolRefusal(request) ??
    messageRefusal(request) ??
    lengthRefusal(request, behaviour)
  );
}

function apiRefusal({ api, model }: ModelRequest, { apis }: ModelBehaviour): Refusal | null {
  if ((apis ?? ["chat", "responses"]).includes(api)) return null;
  if (api === "responses") {
    const message = `The model \`${model}\` is not supported with the Responses API.`;
    return { status: 400, message, param: "model" };
  }
  const message = "This model is only supported in v1/responses and not in v1/chat/completions.";
  return { status: 404, message, param: "model" };
}

function effortRefusal(
  { api, model, body, tools }: ModelRequest,
  { efforts = null, chatTools = "always" }: ModelBehaviour,
): Refusal | null {
  const reasoning = isObject(body.reasoning) ? body.reasoning.effort : undefined;
  const effort = api === "chat" ? body.reasoning_effort : reasoning;
  const param = api === "chat" ? "reasoning_effort" : "reasoning.effort";
  if (effort !== undefined && efforts === null) {
    const message = `Unsupported parameter: '${param}' is not supported with this model.`;
    return { status: 400, message, param, code: "unsupported_parameter" };
  }
  if (typeof effort === "string" && efforts && !efforts.includes(effort)) {
    const values = efforts.map((value) => `'${value}'`);
    const message = `Unsupported value: '${effort}' is not supported with the '${model}' model. Supported values are: ${values.slice(0, -1).join(", ")}, and ${values.at(-1)}.`;
    return { status: 400, message, param, code: "unsupported_value" };
  }
  if (api === "chat" && chatTools === "none_only" && tools.length > 0 && effort !== "none") {
    const message = `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`;
    return { status: 400, message, param: "reasoning_effort" };
  }
  if (efforts && effort !== "none" && body.temperature !== undefined) {
    const message = "Unsupported parameter: 'temperature' is not supported with this model.";
    return { status: 400, message, param: "temperature", code: "unsupported_parameter" };
  }
  return null;
}

/**
 * Reasoning that the server did not store must come back encrypted, before the items that follow
 * from it.
 */
function thoughtsRefusal({ body }: ModelRequest, { encrypts }: ModelBehaviour): Refusal | null {
  if (body.include !== undefined && encrypts === false) {
    const message = "Encrypted content is not supported with this model.";
    return { status: 400, message, param: "include" };
  }
  const items = listOf(body.input);
  const alone = items.findIndex(
    ({ type }, index) =>
      type === "reasoning" &&
      !["message", "function_call"].includes(textOf(items[index + 1]?.type)),
  );
  if (alone >= 0) {
    const message = `Item '${textOf(items[alone]?.id)}' of type 'reasoning' was provided without its required following item.`;
    return { status: 400, message, param: "input" };
  }
  const bare = items.find(
    ({ type, encrypted_content: content }) => type === "reasoning" && typeof content !== "string",
  );
  if (!bare) return null;
  const message = `Item with id '${textOf(bare.id)}' not found. Items are not persisted when \`store\` is set to false.`;
  return { status: 404, message, param: "input" };
}

/** The supported subset of JSON Schema for tools, with and without `strict`. */
function toolRefusal({ api, body }: ModelRequest): Refusal | null {
  for (const [index, tool] of listOf(body.tools).entries()) {
    const { name, parameters, strict } = definitionOf(tool);
    const param = `tools[${index}].${api === "chat" ? "function." : ""}parameters`;
    const refuse = (message: string) => ({
      status: 400,
      param,
      code: "invalid_function_parameters",
      message: `Invalid schema for function '${textOf(name)}': ${message}`,
    });
    if (tool.type !== "function" || (api === "responses" && typeof strict !== "boolean")) {
      return {
        status: 400,
        message: `Missing required parameter: 'tools[${index}].strict'.`,
        param,
      };
    }
    if (!isObject(parameters)) return refuse("schema must have type 'object'.");
    const top = ["oneOf", "anyOf", "allOf", "enum", "not"];
    if (parameters.type !== "object" || top.some((word) => parameters[word] !== undefined)) {
      return refuse(
        "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
      );
    }
    const problem = schemaProblem(parameters, [], strict === true);
    if (problem !== null) return refuse(problem);
  }
  return null;
}

const STRICT_WORDS = ["not", "dependentRequired", "dependentSchemas", "if", "then", "else"];

function schemaProblem(schema: JsonObject, at: readonly string[], strict: boolean): string | null {
  const context = `In context=(${at.map((step) => `'${step}'`).join(", ")})`;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (types.includes("array") && schema.items === undefined) {
    return `${context}, array schema missing items.`;
  }
  const properties = isObject(schema.properties) ? schema.properties : {};
  if (strict && types.includes("object")) {
    if (schema.additionalProperties !== false) {
      return `${context}, 'additionalProperties' is required to be supplied and to be false.`;
    }
    const required = Array.isArray(schema.required) ? schema.required : [];
    const missing = Object.keys(properties).find((name) => !required.includes(name));
    if (missing) {
      return `${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
    }
  }
  const forbidden = STRICT_WORDS.find((word) => strict && schema[word] !== undefined);
  if (forbidden) return `${context}, '${forbidden}' is not permitted.`;
  if (
    strict &&
    schema.type === undefined &&
    schema.anyOf === undefined &&
    schema.$ref === undefined
  ) {
    return `${context}, schema must have a 'type' key.`;
  }
  for (const [name, inner] of Object.entries(properties)) {
    const problem = isObject(inner)
      ? schemaProblem(inner, [...at, "properties", name], strict)
      : null;
    if (problem !== null) return problem;
  }
  return isObject(schema.items) ? schemaProblem(schema.items, [...at, "items"], strict) : null;
}

/** Each tool result must follow its call, and each call must have a result. */
function messageRefusal({ api, body }: ModelRequest): Refusal | null {
  const open = new Set<string>();
  for (const [index, message] of listOf(api === "chat" ? body.messages : body.input).entries()) {
    const result = message.role === "tool" || message.type === "function_call_output";
    const id = textOf(message.tool_call_id) || textOf(message.call_id);
    if (result && !open.delete(id)) return misplaced(api, index, id);
    if (api === "chat" && !result && open.size > 0) return misplaced(api, index, [...open].join());
    if (message.type === "function_call") open.add(id);
    for (const call of listOf(message.tool_calls)) open.add(textOf(call.id));
    const isCall = message.type === "function_call" || Array.isArray(message.tool_calls);
    const isThoughts = message.type === "reasoning";
    if (!result && !isCall && !isThoughts && typeof message.content !== "string") {
      return { status: 400, message: `Invalid type for content of message ${index}.` };
    }
  }
  return open.size === 0 ? null : misplaced(api, -1, [...open].join());
}

const misplaced = (api: string, index: number, id: string): Refusal => ({
  status: 400,
  message:
    api === "chat"
      ? `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id' (${index}: ${id}).`
      : `No tool output found for function call ${id}.`,
  param: api === "chat" ? `messages.[${index}].role` : "input",
});

function lengthRefusal(
  { api, turns }: ModelRequest,
  { contextTokens = 128_000 }: ModelBehaviour,
): Refusal | null {
  const tokens = turns.reduce((sum, { text }) => sum + Math.ceil(text.length / 4), 0);
  if (tokens <= contextTokens) return null;
  const message =
    api === "chat"
      ? `This model's maximum context length is ${contextTokens} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`
      : "Your input exceeds the context window of this model. Please adjust your input and try again.";
  return { status: 400, message, param: "messages", code: "context_length_exceeded" };
}

const USAGE = { read: 1_000, cached: 900, written: 10 };
const event = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
const words = (text: string) => (text === "" ? [] : text.split(/(?<= )/));

/** Close after a delay: a client that receives text and close together may drop the text. */
const cutSoon = (reply: RawReply): void => void Bun.sleep(200).then(() => reply.cut());

function streamChat(answer: ModelAnswer, body: JsonObject, reply: RawReply): void {
  const { text = "", refusal = "", tools = [], end = "stop", error, cut } = answer;
  reply.begin("text/event-stream; charset=utf-8");
  const delta = (content: object, finish: string | null = null) =>
    reply.chunk(event({ choices: [{ index: 0, delta: content, finish_reason: finish }] }));
  delta({ role: "assistant", content: "" });
  for (const word of words(text)) delta({ content: word });
  for (const word of words(refusal)) delta({ refusal: word });
  if (cut) {
    cutSoon(reply);
    return;
  }
  if (error) {
    reply.chunk(event({ error }));
    reply.end();
    return;
  }
  tools.forEach(({ name, arguments: args }, index) => {
    const call = { index, id: `call_${index}`, type: "function" };
    delta({ tool_calls: [{ ...call, function: { name, arguments: "" } }] });
    delta({ tool_calls: [{ index, function: { arguments: JSON.stringify(args) } }] });
  });
  delta({}, tools.length > 0 && end === "stop" ? "tool_calls" : end);
  if (body.stream_options) {
    const usage = {
      prompt_tokens: USAGE.read,
      completion_tokens: USAGE.written,
      total_tokens: 1_010,
      prompt_tokens_details: { cached_tokens: USAGE.cached },
    };
    reply.chunk(event({ choices: [], usage }));
  }
  reply.chunk("data: [DONE]\n\n");
  reply.end();
}

/** Sends the events in the order of the reference, each with its sequence number. */
function streamResponse(answer: ModelAnswer, body: JsonObject, reply: RawReply): void {
  const { text = "", refusal = "", tools = [], end = "stop", error, cut } = answer;
  let number = 0;
  reply.begin("text/event-stream; charset=utf-8");
  const send = (type: string, more: object) =>
    reply.chunk(`event: ${type}\n${event({ type, sequence_number: number++, ...more })}`);
  const usage = {
    input_tokens: USAGE.read,
    output_tokens: USAGE.written,
    total_tokens: 1_010,
    input_tokens_details: { cached_tokens: USAGE.cached },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const response = { id: "resp_1", object: "response", status: "in_progress", output: [] };
  send("response.created", { response });
  send("response.in_progress", { response });
  send("response.output_item.added", {
    output_index: 0,
    item: { id: "rs_1", type: "reasoning", summary: [] },
  });
  const thoughts = { id: "rs_1", type: "reasoning", summary: [], status: "completed" };
  const isEncrypted = listed(body.include).includes("reasoning.encrypted_content");
  send("response.output_item.done", {
    output_index: 0,
    item: { ...thoughts, ...(isEncrypted ? { encrypted_content: "gAAAAABthoughts" } : {}) },
  });
  const item = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    status: "in_progress",
    content: [],
  };
  const place = { item_id: "msg_1", output_index: 1, content_index: 0 };
  if (text !== "" || refusal !== "") {
    send("response.output_item.added", { output_index: 1, item });
    for (const delta of words(text)) send("response.output_text.delta", { ...place, delta });
    if (cut) {
      cutSoon(reply);
      return;
    }
    if (text !== "") send("response.output_text.done", { ...place, text });
    for (const delta of words(refusal)) send("response.refusal.delta", { ...place, delta });
  }
  if (error?.code === "server_error") {
    send("response.failed", { response: { ...response, status: "failed", error } });
    reply.end();
    return;
  }
  if (error) {
    send("error", { ...error, param: null });
    reply.end();
    return;
  }
  tools.forEach(({ name, arguments: args }, index) => {
    const call = { id: `fc_${index}`, type: "function_call", call_id: `call_${index}`, name };
    const output_index = 2 + index;
    const started = { ...call, arguments: "", status: "in_progress" };
    send("response.output_item.added", { output_index, item: started });
    const at = { item_id: call.id, output_index };
    const json = JSON.stringify(args);
    send("response.function_call_arguments.delta", { ...at, delta: json.slice(0, 4) });
    send("response.function_call_arguments.delta", { ...at, delta: json.slice(4) });
    send("response.function_call_arguments.done", { ...at, arguments: json });
    const done = { ...call, arguments: json, status: "completed" };
    send("response.output_item.done", { output_index, item: done });
  });
  const reason = end === "length" ? "max_output_tokens" : end;
  if (end === "stop")
    send("response.completed", { response: { ...response, status: "completed", usage } });
  else {
    const incomplete = { ...response, status: "incomplete", incomplete_details: { reason }, usage };
    send("response.incomplete", { response: incomplete });
  }
  reply.end();
}
