/**
 * The published behaviour of eight servers, from these sources:
 *
 * - Ollama: ollama/ollama fb307609, openai/openai.go, middleware/openai.go, server/routes.go
 * - vLLM: vllm-project/vllm, vllm/entrypoints/openai/chat_completion/protocol.py (002032ee) and
 *   serving.py (5e918640), engine/protocol.py (040a2cc2), models/serving.py (00153c8b)
 * - llama.cpp: ggml-org/llama.cpp, tools/server/server-common.cpp (006639c3), server-task.cpp
 *   (17f5f8a8)
 * - speaches: speaches-ai/speaches 870e1e16, src/speaches/routers/speech.py, stt.py, utils.py,
 *   executors/kokoro.py; with Parakeet: 4134dd18, executors/parakeet.py
 * - Kokoro-FastAPI: remsky/Kokoro-FastAPI 26eec068, api/src/routers/openai_compatible.py,
 *   core/openai_mappings.json
 * - LocalAI: mudler/LocalAI 82c191af, core/http/endpoints/openai/chat.go, chat_emit.go,
 *   transcription.go, endpoints/localai/tts.go, middleware/request.go
 * - Groq: groq/groq-typescript c7a31832, src/resources/chat/completions.ts, and its error reference
 * - Azure: openai/openai-node 0eda70ad, src/azure.ts, and Microsoft's error reference
 *
 * For closed-source servers, the error texts are those quoted in their references.
 */
import type { ChatBody } from "../openai-server.ts";
import type {
  EngineBehaviour,
  LlmBehaviour,
  Refusal,
  SpeechBody,
  StreamEvent,
  SttBehaviour,
  TtsBehaviour,
} from "./behaviour.ts";
import { callInPieces, chatStream, chunk, USAGE, wholeCall } from "./chat-stream.ts";

const DONE = "data: [DONE]\n\n";
const anybody = () => null;
const openAiError = (message: string, type: string, more: object = {}) => ({
  error: { message, type, ...more },
});

/**
 * Rule of Mistral's and Gemma's chat templates: after the system prompt, user and assistant
 * alternate, user first.
 */
function rolesAlternate({ messages }: ChatBody): boolean {
  const turns = messages
    .filter(({ role }) => role !== "system" && role !== "tool")
    .filter(({ tool_calls: calls }) => calls === undefined);
  return turns.every(({ role }, index) => role === (index % 2 === 0 ? "user" : "assistant"));
}
const ROLES = "Conversation roles must alternate user/assistant/user/assistant/...";

const transcript = (text: string): StreamEvent[] => [
  ...text.split(/(?<= )/).map((delta) => ({ type: "transcript.text.delta", delta })),
  { type: "transcript.text.done", text },
];

const ollama: EngineBehaviour = {
  name: "Ollama",
  address: "http://127.0.0.1:11434/v1",
  admits: anybody,
  llm: {
    refuses({ model, messages, reasoning_effort: effort }) {
      const refusal = (status: number, message: string, type: string): Refusal => ({
        status,
        body: openAiError(message, type, { param: null, code: null }),
      });
      if (model !== "qwen2.5:7b")
        return refusal(404, `model "${model}" not found, try pulling it first`, "not_found_error");
      // Content may be null only in messages with tool calls.
      if (messages.some(({ content, tool_calls: calls }) => content === null && !calls))
        return refusal(400, "invalid message content type: <nil>", "invalid_request_error");
      const efforts = ["minimal", "low", "medium", "high", "xhigh", "ultra", "max", "none"];
      return effort === undefined || efforts.includes(String(effort))
        ? null
        : refusal(400, `invalid reasoning value: "${effort}"`, "invalid_request_error");
    },
    stream: (answer, body) =>
      chatStream(answer, body, {
        opening: { role: "assistant", content: "" },
        toolCall: wholeCall((index) => `call_${index}fb30760`, { content: "" }),
      }),
    // Clients see the error as an empty answer: a chunk without text, and the end.
    failsMidway: () => [chunk({ content: "" })],
  },
};

const vllmRefusal = (
  status: number,
  message: string,
  type: string,
  param: string | null = null,
) => ({
  status,
  body: openAiError(message, type, { param, code: status }),
});

const vllm = (template: "any" | "mistral"): EngineBehaviour => ({
  name: template === "any" ? "vLLM" : "vLLM with a template of Mistral",
  address: "http://127.0.0.1:8001/v1",
  admits: anybody,
  llm: {
    refuses(body) {
      const { model, tools, messages } = body;
      if (model !== "Qwen/Qwen2.5-7B-Instruct")
        return vllmRefusal(404, `The model \`${model}\` does not exist.`, "NotFoundError", "model");
      if (tools?.length === 0)
        return vllmRefusal(400, "`tools` must not be an empty array.", "BadRequestError", "tools");
      if (template === "any") return null;
      if (!rolesAlternate(body)) return vllmRefusal(400, ROLES, "BadRequestError");
      const ids = messages.flatMap(({ tool_calls: calls }) => calls ?? []).map(({ id }) => id);
      return ids.every((id) => /^[A-Za-z0-9]{9}$/.test(id))
        ? null
        : vllmRefusal(
            400,
            "Tool call IDs should be alphanumeric strings with length 9!",
            "BadRequestError",
          );
    },
    stream: (answer, body) =>
      chatStream(answer, body, {
        opening: { role: "assistant", content: "" },
        toolCall: callInPieces((index) => `chatcmpl-tool-${index}0123456789abcdef`),
      }),
    failsMidway: (message) => [
      openAiError(message, "InternalServerError", { param: null, code: 500 }),
      DONE,
    ],
  },
});

const llamaCpp = (template: "any" | "gemma"): EngineBehaviour => ({
  name: template === "any" ? "llama.cpp" : "llama.cpp with a template of Gemma",
  address: "http://127.0.0.1:8081/v1",
  admits: anybody,
  llm: {
    // The server has one model and ignores the requested name.
    refuses: (body) =>
      template === "any" || rolesAlternate(body)
        ? null
        : { status: 500, body: { error: { code: 500, message: ROLES, type: "server_error" } } },
    stream: (answer, body) =>
      chatStream(answer, body, {
        opening: { role: "assistant", content: null },
        toolCall: callInPieces(() => "0123456789ABCDEFGHIJKLMNOPQRSTUV", {
          first: { arguments: "" },
        }),
        extra: { system_fingerprint: "b9900" },
        closing: { timings: { prompt_n: 12, prompt_ms: 40, predicted_n: 9 } },
      }),
    failsMidway: (message) => [{ error: { code: 500, message, type: "server_error" } }],
  },
});

const SPEACHES_VOICES = ["af_heart", "af_bella", "am_michael", "bm_george", "bf_emma"];
const OPENAI_VOICES = ["alloy", "ash", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer"];

const notInstalled = (installed: string, model: unknown): Refusal | null =>
  model === installed
    ? null
    : {
        status: 404,
        body: {
          detail: `Model '${model}' is not installed locally. You can download the model using \`POST /v1/models\``,
        },
      };

const speaches: EngineBehaviour = {
  name: "speaches",
  address: "http://127.0.0.1:8000/v1",
  admits: anybody,
  stt: {
    refuses: ({ model }) => notInstalled("Systran/faster-whisper-small", model),
    answer: (text, { stream }) =>
      stream === true ? transcript(text) : { text, logprobs: null, usage: null },
  },
  tts: {
    refuses: ({ model }) => notInstalled("speaches-ai/Kokoro-82M-v1.0-ONNX", model),
    // An unknown voice fails only after the response has started.
    breaksOff: ({ voice }) => ![...SPEACHES_VOICES, ...OPENAI_VOICES].includes(voice),
    sampleRateHz: 24_000,
    container: "as asked",
    isStreamed: true,
  },
};

/** It does not stream, and detects the language itself, regardless of the requested one. */
const parakeet: EngineBehaviour = {
  name: "speaches with Parakeet",
  address: "http://127.0.0.1:8000/v1",
  admits: anybody,
  stt: {
    refuses: ({ model, stream }) =>
      notInstalled("istupakov/parakeet-tdt-0.6b-v3-onnx", model) ??
      (stream === true ? { status: 500, body: "Internal Server Error" } : null),
    answer: (text) => ({ text, logprobs: null, usage: null }),
  },
};

const KOKORO_MODELS = ["tts-1", "tts-1-hd", "kokoro", "gpt-4o-mini-tts"];
const KOKORO_VOICES = ["af_heart", "bf_emma", "am_michael", "bm_george"];

const kokoro: EngineBehaviour = {
  name: "Kokoro-FastAPI",
  address: "http://127.0.0.1:8880/v1",
  admits: anybody,
  tts: {
    refuses({ model, voice }) {
      const refusal = (error: string, message: string): Refusal => ({
        status: 400,
        body: { detail: { error, message, type: "invalid_request_error" } },
      });
      if (!KOKORO_MODELS.includes(model))
        return refusal("invalid_model", `Unsupported model: ${model}`);
      if ([...KOKORO_VOICES, ...OPENAI_VOICES].includes(voice)) return null;
      const available = KOKORO_VOICES.join(", ");
      return refusal(
        "validation_error",
        `Voice '${voice}' not found. Available voices: ${available}`,
      );
    },
    sampleRateHz: 24_000,
    container: "as asked",
    isStreamed: true,
  },
};

const localAiRefusal = (known: string, model: unknown): Refusal | null =>
  model === known
    ? null
    : {
        status: 404,
        body: openAiError(
          `model "${model}" not found. To see available models, call GET /v1/models`,
          "invalid_request_error",
          { code: 404 },
        ),
      };

const localAi: EngineBehaviour = {
  name: "LocalAI",
  address: "http://127.0.0.1:8085/v1",
  admits: anybody,
  llm: {
    refuses: ({ model }) => localAiRefusal("qwen3-4b", model),
    // The name, then the complete arguments, both with the id and the role.
    stream: (answer, body) =>
      chatStream(answer, body, {
        opening: { role: "assistant" },
        toolCall({ name, arguments: args }, index) {
          const call = (fn: object) => ({
            role: "assistant",
            tool_calls: [{ index, id: `chat-1-${index}`, type: "function", function: fn }],
          });
          return [
            call({ name, arguments: "" }),
            call({ name: "", arguments: JSON.stringify(args) }),
          ];
        },
      }),
    failsMidway: (message) => [
      openAiError(message, "server_error", { code: "server_error" }),
      DONE,
    ],
  },
  stt: {
    refuses: ({ model }) => localAiRefusal("whisper-base", model),
    answer: (text, { stream }) =>
      stream === true
        ? [...transcript(text), DONE]
        : { text, duration: 1.2, words: [], segments: [] },
  },
  tts: {
    refuses: ({ model }) => localAiRefusal("kokoros", model),
    sampleRateHz: 24_000,
    container: "wav",
    isStreamed: false,
  },
};

const GROQ_UNSUPPORTED = ["logprobs", "logit_bias", "top_logprobs", "store", "verbosity"];

const groqModel = (known: string, model: unknown): Refusal | null =>
  model === known
    ? null
    : {
        status: 404,
        body: openAiError(
          `The model \`${model}\` does not exist or you do not have access to it.`,
          "invalid_request_error",
          { code: "model_not_found" },
        ),
      };

const groq: EngineBehaviour = {
  name: "Groq",
  address: "https://api.groq.com/openai/v1",
  admits: ({ authorization }) =>
    authorization === "Bearer the-key"
      ? null
      : {
          status: 401,
          body: openAiError("Invalid API Key", "invalid_request_error", {
            code: "invalid_api_key",
          }),
        },
  llm: {
    refuses(body) {
      const wrongModel = groqModel("openai/gpt-oss-120b", body.model);
      if (wrongModel) return wrongModel;
      const named = GROQ_UNSUPPORTED.find((name) => body[name] !== undefined);
      const effort = body.reasoning_effort ?? "low";
      if (named === undefined && ["low", "medium", "high"].includes(String(effort))) return null;
      const message =
        named === undefined
          ? "`reasoning_effort` must be one of `low`, `medium`, or `high`"
          : `property '${named}' is unsupported`;
      return { status: 400, body: openAiError(message, "invalid_request_error") };
    },
    stream: (answer, body) =>
      chatStream(answer, body, {
        opening: { role: "assistant", content: "", reasoning: "Let me think." },
        toolCall: wholeCall((index) => `fc_${index}0123`),
        closing: { x_groq: { id: "req_1", usage: USAGE } },
      }),
    failsMidway: (message) => [{ ...chunk({}), x_groq: { error: message } }],
  },
  stt: {
    refuses: ({ model }) => groqModel("whisper-large-v3-turbo", model),
    answer: (text) => ({ text: ` ${text}`, x_groq: { id: "req_2" } }),
  },
};

const AZURE_KEY: Refusal = {
  status: 401,
  body: {
    error: {
      code: "401",
      message:
        "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription.",
    },
  },
};
const NO_DEPLOYMENT: Refusal = {
  status: 404,
  body: {
    error: {
      code: "DeploymentNotFound",
      message:
        "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
    },
  },
};
const SAFE = { content_filter_results: { hate: { filtered: false, severity: "safe" } } };

const azureLlm = (deployment: string | null): LlmBehaviour => ({
  refuses: ({ model }) => (deployment === null || model === deployment ? null : NO_DEPLOYMENT),
  stream: (answer, body) => [
    { ...chunk({}), choices: [], prompt_filter_results: [{ prompt_index: 0, ...SAFE }] },
    ...chatStream(answer, body, {
      opening: { role: "assistant", content: "", refusal: null },
      toolCall: callInPieces((index) => `call_${index}azure`, { first: { arguments: "" } }),
      choice: SAFE,
      extra: { system_fingerprint: "fp_azure" },
    }),
  ],
  failsMidway: (message) => [openAiError(message, "server_error", { code: null, param: null })],
});
const azureStt: SttBehaviour = {
  refuses: ({ model }) => (model === "listen" ? null : NO_DEPLOYMENT),
  answer: (text, { stream }) => (stream === true ? transcript(text) : { text }),
};
const azureTts: TtsBehaviour = {
  refuses: ({ model }: SpeechBody) => (model === "speak" ? null : NO_DEPLOYMENT),
  sampleRateHz: 24_000,
  container: "as asked",
  isStreamed: true,
};

const azure: EngineBehaviour = {
  name: "Azure",
  address: "https://example.openai.azure.com/openai/v1",
  admits: (headers) => (headers["api-key"] === "the-key" ? null : AZURE_KEY),
  llm: azureLlm("voice"),
  stt: azureStt,
  tts: azureTts,
};

const azureDeployment: EngineBehaviour = {
  name: "Azure by the path of a deployment",
  address: "https://example.openai.azure.com/openai/deployments/voice",
  admits(headers, query) {
    if (headers["api-key"] !== "the-key") return AZURE_KEY;
    return query["api-version"] === undefined
      ? { status: 404, body: { error: { code: "404", message: "Resource not found" } } }
      : null;
  },
  llm: azureLlm(null),
};

export const BEHAVIOURS: readonly EngineBehaviour[] = [
  ollama,
  llamaCpp("any"),
  llamaCpp("gemma"),
  vllm("any"),
  vllm("mistral"),
  speaches,
  parakeet,
  kokoro,
  localAi,
  groq,
  azure,
  azureDeployment,
];
