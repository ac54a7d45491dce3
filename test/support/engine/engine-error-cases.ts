/**
 * About forty ways in which a provider fails during a call, and what the caller must then hear. The
 * bodies are those of real providers: OpenAI, Azure, Groq, vLLM, llama.cpp, Ollama, speaches,
 * Kokoro-FastAPI, and proxies. Also failures of a Realtime session or its response.
 */
import { event, type Fault, type ServiceName, wavHeader } from "./openai-server.ts";
import type { RealtimeScript, ResponseFault } from "./realtime-script.ts";

export interface ErrorCase {
  readonly name: string;
  readonly part: ServiceName;
  /** Fault of the request about the caller's question, counted from 0; null for none. */
  readonly fault: (attempt: number) => Fault | null;
  /**
   * What the caller must hear: the agent's answer in its voice, the answer in the embedded voice,
   * an apology followed by a message, or these words.
   */
  readonly hears: "answer" | "embedded voice" | "message" | RegExp;
  /** The fault affects every call: the key, the account, the model's name. */
  readonly ofProvider?: true;
}

/** A failure of a call whose three parts are one Realtime session. */
export interface RealtimeErrorCase extends Pick<ErrorCase, "name" | "hears" | "ofProvider"> {
  readonly part: "realtime";
  readonly fault: (attempt: number) => ResponseFault | null;
  /** Fault of every session until the call is over. */
  readonly session?: Partial<RealtimeScript>;
}

const always =
  <Kind>(fault: Kind) =>
  () =>
    fault;
const once =
  <Kind>(fault: Kind) =>
  (attempt: number) =>
    attempt === 0 ? fault : null;

const status = (code: number, error: object | string, headers = ""): Fault => ({
  type: "status",
  status: code,
  headers,
  body: typeof error === "string" ? error : JSON.stringify({ error }),
});
const ofRequest = (message: string, more: object = {}) =>
  status(400, { message, type: "invalid_request_error", ...more });

const head = (type: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n`;
const raw = (type: string, bytes: string | Uint8Array): Fault => ({
  type: "raw",
  bytes: Buffer.concat([Buffer.from(head(type)), Buffer.from(bytes)]),
});
const stream = (...events: (object | string)[]): Fault =>
  raw(
    "text/event-stream",
    events.map((each) => (typeof each === "string" ? each : event(each))).join(""),
  );
const delta = (content: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: content, finish_reason: finish }],
});
const DONE = "data: [DONE]\n\n";
const HTML = "<html><body><h1>502 Bad Gateway</h1><center>nginx</center></body></html>";
const call = (name: string, args: string) =>
  stream(
    delta({
      tool_calls: [
        { index: 0, id: "call_1", type: "function", function: { name, arguments: args } },
      ],
    }),
    delta({}, "tool_calls"),
    DONE,
  );

const llm = (
  name: string,
  hears: ErrorCase["hears"],
  fault: ErrorCase["fault"],
  ofProvider?: true,
): ErrorCase => ({ name, part: "llm", hears, fault, ...(ofProvider ? { ofProvider } : {}) });

const LANGUAGE_MODEL: readonly ErrorCase[] = [
  llm(
    "400: a parameter it does not know",
    "message",
    always(ofRequest("Unrecognized request argument supplied: tools", { param: "tools" })),
  ),
  llm(
    "400: a tool's schema it does not take",
    "message",
    always(
      ofRequest("Invalid schema for function 'book': array schema missing items.", {
        code: "invalid_function_parameters",
        param: "tools[0].function.parameters",
      }),
    ),
  ),
  llm(
    "400: a temperature it does not take",
    "answer",
    once(
      ofRequest("Unsupported value: 'temperature' does not support 0.4", { param: "temperature" }),
    ),
  ),
  llm(
    "400: the caller's words do not pass the filter",
    /I cannot talk about that/,
    always(
      status(400, {
        message: "The response was filtered due to the prompt triggering Azure OpenAI's policy.",
        type: null,
        param: "prompt",
        code: "content_filter",
        status: 400,
      }),
    ),
  ),
  llm(
    "400: more tokens than it reads",
    "answer",
    once(
      ofRequest("This model's maximum context length is 8192 tokens.", {
        param: "messages",
        code: "context_length_exceeded",
      }),
    ),
  ),
  llm("408", "message", always(status(408, { message: "Request timeout" }))),
  llm("409", "message", always(status(409, { message: "Conflict" }))),
  llm("413", "message", always(status(413, { message: "Request Entity Too Large" }))),
  llm("422 in a shape of its own", "message", always(status(422, '{"detail":[{"msg":"bad"}]}'))),
  llm(
    "429 that says when, soon",
    "answer",
    once(status(429, { message: "Rate limit reached", type: "tokens" }, "retry-after-ms: 200\r\n")),
  ),
  llm(
    "429 that says when, late",
    "message",
    always(status(429, { message: "Rate limit reached" }, "retry-after: 30\r\n")),
  ),
  llm("500, once", "answer", once(status(500, { message: "The server had an error" }))),
  llm("500, again and again", "message", always(status(500, { message: "Internal error" }))),
  llm("502 with a page", "message", always(status(502, HTML))),
  llm(
    "503 while it loads its model",
    "message",
    always(status(503, { code: 503, message: "Loading model", type: "unavailable_error" })),
  ),
  llm(
    "a stream that breaks off in a sentence",
    /We are open\. .*I will take a message/,
    always(stream(delta({ content: "We are open. From nine " }), delta({ content: "to" }))),
  ),
  llm("a stream without a word", "message", always(stream(delta({ role: "assistant" })))),
  llm("an error in the stream", "message", always(stream({ error: { message: "CUDA error" } }))),
  llm(
    "an error in the stream, in Groq's way",
    "message",
    always(stream({ ...delta({}), x_groq: { error: "over capacity" } })),
  ),
  llm("garbage instead of events", "message", always(stream("data: {]\n\n".repeat(9)))),
  llm("garbage instead of JSON", "message", always(raw("application/json", '{"choices":[{'))),
  llm("a page instead of an answer", "message", always(raw("text/html", HTML))),
  llm("an answer of zero bytes", "message", always(raw("text/event-stream", ""))),
  llm(
    "a refusal",
    /I cannot help/,
    always(stream(delta({ refusal: "I cannot help." }), delta({}, "stop"), DONE)),
  ),
  llm(
    "a content filter in the middle",
    /I cannot talk about that/,
    always(stream(delta({ content: "You could take " }), delta({}, "content_filter"), DONE)),
  ),
  llm(
    "length without a word",
    /I could not answer that/,
    always(stream(delta({ content: "" }, "length"), DONE)),
  ),
  llm(
    "an empty answer",
    /I could not answer that/,
    always(stream(delta({ content: "" }), delta({}, "stop"), DONE)),
  ),
  llm("a tool call that is no JSON", "answer", once(call("take_message", '{"message":'))),
  llm("a tool that does not exist", "answer", once(call("fly_to_moon", "{}"))),
  llm("no answer at all", "message", always({ type: "hang" })),
  llm("an answer that stops", "message", always({ type: "stall", after: 4 })),
  llm("a connection that is closed", "message", always({ type: "close" })),
  llm(
    "something that is no HTTP",
    "message",
    always({ type: "raw", bytes: "SIP/2.0 200 OK\r\n\r\n" }),
  ),
];

const tts = (name: string, fault: Fault, hears: ErrorCase["hears"] = "embedded voice") => ({
  name: `voice: ${name}`,
  part: "tts" as const,
  hears,
  fault: always(fault),
});

const SPEECH: readonly ErrorCase[] = [
  tts("400: no such voice", ofRequest("Voice 'x' not found.")),
  tts("400 in a shape of its own", status(400, '{"detail":{"error":"validation_error"}}')),
  tts("429", status(429, { message: "Rate limit reached" }, "retry-after: 30\r\n")),
  tts("500", status(500, { message: "processing_error" })),
  tts("MP3 instead of PCM", raw("audio/mpeg", `ID3${"x".repeat(4_000)}`)),
  tts("MP3 that says it is PCM", raw("audio/pcm", `ID3${"x".repeat(4_000)}`)),
  tts("JSON instead of sound", raw("application/json", '{"detail":"loading"}')),
  tts("a page instead of sound", raw("text/html", HTML)),
  tts("no sound", raw("audio/pcm", "")),
  tts("half a header of a WAV file", raw("audio/wav", wavHeader(24_000).subarray(0, 20))),
  tts("the header of a WAV file alone", raw("audio/wav", wavHeader(24_000))),
  tts("no answer at all", { type: "hang" }),
  tts("a sentence that breaks off", { type: "cut", after: 300 }),
  tts("a connection that is closed", { type: "close" }),
];

const stt = (name: string, fault: Fault) => ({
  name: `hearing: ${name}`,
  part: "stt" as const,
  hears: "answer" as const,
  fault: always(fault),
});

const HEARING: readonly ErrorCase[] = [
  stt("400: the audio is too short", ofRequest("Audio file is too short.")),
  stt("415", status(415, '{"detail":"Failed to decode audio."}')),
  stt("500", status(500, { message: "Internal error" })),
  stt("no answer at all", { type: "hang" }),
  stt("garbage instead of JSON", raw("application/json", '{"text": "When are')),
  stt("a page instead of a text", raw("text/html", HTML)),
  stt("a connection that is closed", { type: "close" }),
];

/** Each of these disables the provider for all calls, so the calls run one after another. */
const OF_PROVIDER: readonly ErrorCase[] = [
  llm("404: a page of a proxy", "message", always(status(404, HTML)), true),
  llm(
    "a redirect to somewhere else",
    "message",
    always(status(302, "", "location: http://127.0.0.1:1/\r\n")),
    true,
  ),
  llm("401", "message", always(status(401, { message: "Incorrect API key" })), true),
  llm("403", "message", always(status(403, { message: "Country not supported" })), true),
  llm(
    "404: no such model",
    "message",
    always(status(404, { message: "The model does not exist", code: "model_not_found" })),
    true,
  ),
  llm(
    "429 without credit",
    "message",
    always(status(429, { message: "You exceeded your current quota", code: "insufficient_quota" })),
    true,
  ),
];

const realtime = (
  name: string,
  hears: ErrorCase["hears"],
  fault: RealtimeErrorCase["fault"],
): RealtimeErrorCase => ({ name: `realtime: ${name}`, part: "realtime", hears, fault });
const session = (name: string, script: Partial<RealtimeScript>): RealtimeErrorCase => ({
  ...realtime(name, "message", () => null),
  session: script,
  ofProvider: true,
});

export const REALTIME_ERROR_CASES: readonly RealtimeErrorCase[] = [
  realtime("a failed answer, once", "answer", once({ type: "failed", code: "server_error" })),
  realtime("failed answers", "message", always({ type: "failed", code: "server_error" })),
  realtime("a socket that closes, once", "answer", once({ type: "close", after: 0 })),
  realtime("sockets that close", "message", always({ type: "close", after: 0 })),
  realtime("an answer that stalls", "message", always({ type: "stall", after: 0 })),
  realtime(
    "a content filter",
    /I cannot talk about that/,
    always({ type: "incomplete", after: 0, reason: "content_filter" }),
  ),
  realtime(
    "an answer cut at its limit",
    /Shall I go on/,
    always({ type: "incomplete", after: 2, reason: "max_output_tokens" }),
  ),
  realtime("frames that are no events", "answer", always({ type: "garbage" })),
  realtime("a frame that is too long", "message", always({ type: "huge", characters: 5_000_000 })),
  session("the key is refused", { refuse: 401 }),
  session("a server that takes the call and says nothing", { refuse: 0 }),
  session("a session that is refused", {
    refuseUpdate: () => ({ code: "invalid_value", message: "Invalid value: 'model'." }),
  }),
  session("a session that stays as it was", { updates: "as_they_were" }),
];

export const ERROR_CASES: readonly ErrorCase[] = [
  ...LANGUAGE_MODEL,
  ...SPEECH,
  ...HEARING,
  ...OF_PROVIDER,
];
