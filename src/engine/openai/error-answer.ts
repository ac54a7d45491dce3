/**
 * Error messages of servers with OpenAI's protocol, in a body or as an event of a stream.
 * Classifies them: a problem of the provider (key, credit, model) or of this request.
 *
 * Guarantee: a 4xx counts as a problem of the request unless it is known to be the provider's. So
 * no tenant's request can disable the provider for others.
 */
import type { JsonValue } from "../../core/json.ts";
import { isObject } from "../../core/json.ts";
import type { ErrorAnswer, FailureReason } from "../provider-failure.ts";

const NO_CREDIT = /insufficient_quota|insufficient_balance|billing|credit balance/i;
const BAD_KEY = /invalid_api_key|api key not valid/i;
const NO_MODEL =
  /model_not_found|invalid_model|model_decommissioned|DeploymentNotFound|model_not_available/i;
const TOO_LONG =
  /context_length_exceeded|exceed_context_size|maximum context length|context (?:window|size)|reduce the length of the messages|reduce your message size/i;
const POLICY = /content_filter|content_policy|policy_violation|invalid_prompt|bio_policy/i;
/** Exception of a chat template. Servers return it with any status. */
export const ROLES_ALTERNATE = /roles must alternate/i;
const RATE_LIMIT = /rate_limit|too_many_requests/i;

/** Error in a body or an event, in any server's format. */
export function readErrorAnswer(body: JsonValue | undefined, text = ""): ErrorAnswer {
  const plain = (message: string): ErrorAnswer => ({ message, code: "", param: "" });
  if (typeof body === "string") return plain(body);
  if (!isObject(body)) return plain(text);
  const { error, detail } = body;
  if (typeof error === "string") return plain(error);
  const told = [error, detail].find(isObject) ?? body;
  const message = told.message ?? detail;
  const type = textOf(told.type);
  const named = [told.code, told.error].map(textOf).find((code) => code !== "");
  return {
    message: typeof message === "string" ? message : text || JSON.stringify(body),
    code: named ?? (type === "error" ? "" : type),
    param: textOf(told.param),
  };
}

/** Reason for an answer with this status. */
export function reasonOfStatus(status: number, { code, message }: ErrorAnswer): FailureReason {
  const said = `${code} ${message}`;
  if (status === 401 || status === 403 || status === 402) return "auth";
  if (ROLES_ALTERNATE.test(message)) return "request";
  if (status === 429) return NO_CREDIT.test(said) ? "auth" : "rate_limited";
  if (status >= 500 || status === 408 || status === 409 || status === 425) return "server";
  if (BAD_KEY.test(said)) return "auth";
  // Redirects and unknown paths: the address is wrong for everybody.
  if (status < 400 || status === 404 || status === 405 || NO_MODEL.test(code)) return "not_found";
  return ofRequest(said) ?? "request";
}

/** Reason for an error within an answer that began well. */
export function reasonOfEvent({ code, message }: ErrorAnswer): FailureReason {
  const said = `${code} ${message}`;
  if (NO_CREDIT.test(said)) return "auth";
  if (NO_MODEL.test(code)) return "not_found";
  if (RATE_LIMIT.test(code)) return "rate_limited";
  return ofRequest(said) ?? (/invalid_request/i.test(code) ? "request" : "server");
}

function ofRequest(said: string): FailureReason | null {
  if (TOO_LONG.test(said)) return "too_long";
  return POLICY.test(said) ? "policy" : null;
}

const textOf = (value: JsonValue | undefined): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";
