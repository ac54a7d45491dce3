/** Error bodies as servers really write them, and their cause. */
import { expect, test } from "bun:test";
import { parseJson } from "../../../src/core/json.ts";
import { readErrorAnswer, reasonOfStatus } from "../../../src/engine/openai/error-answer.ts";

const reasonOf = (status: number, body: string) =>
  reasonOfStatus(status, readErrorAnswer(parseJson(body), body));

test.each([
  // OpenAI
  [401, '{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}', "auth"],
  [
    429,
    '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}',
    "auth",
  ],
  [429, '{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}', "rate_limited"],
  [
    404,
    '{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}',
    "not_found",
  ],
  [
    400,
    '{"error":{"message":"array schema missing items","code":"invalid_function_parameters"}}',
    "request",
  ],
  [400, '{"error":{"message":"too long","code":"context_length_exceeded"}}', "too_long"],
  [400, '{"error":{"message":"Your input exceeds the context window of this model."}}', "too_long"],
  [400, '{"error":{"message":"Invalid prompt","code":"invalid_prompt"}}', "policy"],
  [503, '{"error":{"message":"overloaded"}}', "server"],
  // Azure
  [400, '{"error":{"message":"filtered","code":"content_filter","status":400}}', "policy"],
  [404, '{"error":{"code":"DeploymentNotFound","message":"no such deployment"}}', "not_found"],
  // Groq
  [400, '{"error":{"message":"decommissioned","code":"model_decommissioned"}}', "not_found"],
  [413, '{"error":{"message":"Request too large … please reduce your message size"}}', "too_long"],
  // vLLM
  [
    404,
    '{"object":"error","message":"The model `x` does not exist.","type":"NotFoundError","code":404}',
    "not_found",
  ],
  [
    400,
    '{"object":"error","message":"This model\'s maximum context length is 8192 tokens."}',
    "too_long",
  ],
  // llama.cpp
  [
    400,
    '{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}',
    "too_long",
  ],
  // Ollama
  [
    404,
    '{"error":{"message":"model \\"x\\" not found, try pulling it first","type":"api_error"}}',
    "not_found",
  ],
  // FastAPI, plain text, nothing
  [422, '{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required"}]}', "request"],
  [404, "404 page not found", "not_found"],
  [400, "", "request"],
  // Gemini's compatible endpoint, DeepSeek
  [
    400,
    '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}]',
    "auth",
  ],
  [402, '{"error":{"message":"Insufficient Balance"}}', "auth"],
] as const)("%s %s is %s", (status, body, reason) => {
  expect(reasonOf(status, body)).toBe(reason);
});
