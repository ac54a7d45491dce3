/**
 * Rules for requests to a language model: API, reasoning effort, unsupported fields. Starts with
 * the known rules for the model's name and learns from each rejected request. One instance per
 * server, model and call worker, so that each rule is learnt only once.
 */
import { knownModel } from "../models.ts";
import { type ErrorAnswer, ProviderFailure } from "../provider-failure.ts";
import { ROLES_ALTERNATE } from "./error-answer.ts";
import type { OpenAiSettings } from "./settings.ts";

export type LlmApi = "chat" | "responses";

export type CapabilitySettings = Pick<
  OpenAiSettings,
  "llm_model" | "llm_api" | "llm_reasoning_effort" | "llm_temperature"
>;

/** Optional fields, left out if a server does not support them. */
const DISPENSABLE = [
  "temperature",
  "stream_options",
  "parallel_tool_calls",
  "prompt_cache_key",
  "safety_identifier",
  "max_completion_tokens",
  "max_output_tokens",
  "strict",
  "tool_choice",
] as const;
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const LIST_FOLLOWS = /supported values|must be one of|should be|allowed values|expected one of/i;
const TOOLS_NEED_NO_EFFORT = /function tools with reasoning_effort/i;
const RESPONSES_ONLY = /only supported in v1\/responses|not a chat model/i;
const CHAT_ONLY = /not supported (?:with|in) (?:the |v1\/)?responses/i;
const ABOUT_EFFORT = /reasoning[_.\s]effort|does not support thinking/i;
const ABOUT_STRICT = /(?:parameter|argument|field|property):? ?['"`]?[\w.[\]]*strict\b/i;
const ABOUT_THOUGHTS = /encrypted[ _]content/i;
const BOUND_COUNTS = /in the completion|max_(?:completion_|output_)?tokens/i;

export class ModelCapabilities {
  readonly #refused = new Set<string>();
  /** Null if it has no effort setting; undefined if unknown. */
  #efforts: readonly string[] | null | undefined;
  #toolsNeedNoEffort: boolean;
  #rolesAlternate = false;
  /** The server's only API; null if it has both. */
  #onlyApi: LlmApi | null = null;

  constructor(private readonly settings: CapabilitySettings) {
    const known = knownModel(settings.llm_model);
    this.#efforts = known?.efforts;
    this.#toolsNeedNoEffort = known?.toolsNeedNoEffort ?? false;
  }

  get model(): string {
    return this.settings.llm_model;
  }

  get api(): LlmApi {
    const { llm_api: api } = this.settings;
    if (api !== "auto") return api;
    if (this.#onlyApi !== null) return this.#onlyApi;
    return this.#toolsNeedNoEffort && this.#nearestEffort !== "none" ? "responses" : "chat";
  }

  /** Empty if no effort is sent. */
  get effort(): string {
    const mustBeNone = this.#toolsNeedNoEffort && this.api === "chat";
    if (mustBeNone && (this.#efforts?.includes("none") ?? this.#efforts === undefined)) {
      return "none";
    }
    return this.#nearestEffort;
  }

  /** Undefined if it is not sent. Reasoning models don't support it. */
  get temperature(): number | undefined {
    const thinks = this.effort !== "" && this.effort !== "none";
    return thinks ? undefined : this.settings.llm_temperature;
  }

  takes(field: (typeof DISPENSABLE)[number] | "include"): boolean {
    return !this.#refused.has(field);
  }

  /** True if its template needs alternating roles of user and assistant. */
  get rolesAlternate(): boolean {
    return this.#rolesAlternate;
  }

  /** Changes with every learnt rule that changes a request. */
  get state(): string {
    return [this.api, this.effort, this.#rolesAlternate, ...this.#refused].join(" ");
  }

  /** Learns from an error. Returns whether a retry makes sense: the new request would be different. */
  learn(failure: unknown): boolean {
    if (!(failure instanceof ProviderFailure) || failure.answer === null) return false;
    const before = this.state;
    if (failure.reason === "too_long") this.#learnBound(failure.answer);
    else if (failure.reason === "not_found") this.#learnApi(failure.answer);
    else if (failure.reason === "request") this.#learnFields(failure.answer);
    return this.state !== before;
  }

  get #nearestEffort(): string {
    const wanted = this.settings.llm_reasoning_effort;
    if (wanted === "" || this.#efforts === null) return "";
    if (this.#efforts === undefined || this.#efforts.includes(wanted)) return wanted;
    return EFFORTS.find((effort) => this.#efforts?.includes(effort)) ?? "";
  }

  #learnApi({ message, code }: ErrorAnswer): void {
    if (RESPONSES_ONLY.test(message)) this.#onlyApi ??= "responses";
    else if (this.api === "responses" && !/model/i.test(`${code} ${message}`)) {
      this.#onlyApi ??= "chat";
    }
  }

  #learnFields({ message, param, code }: ErrorAnswer): void {
    const said = `${param} ${message}`;
    if (code === "invalid_function_parameters" || param.startsWith("tools[")) {
      // The error may depend on one tenant's tool, so nothing else is learnt from it.
      if (ABOUT_STRICT.test(message)) this.#refused.add("strict");
    } else if (param === "include" || ABOUT_THOUGHTS.test(said)) this.#refused.add("include");
    else if (ROLES_ALTERNATE.test(message)) this.#rolesAlternate = true;
    else if (TOOLS_NEED_NO_EFFORT.test(message)) this.#toolsNeedNoEffort = true;
    else if (CHAT_ONLY.test(message)) this.#onlyApi ??= "chat";
    else if (RESPONSES_ONLY.test(message)) this.#onlyApi ??= "responses";
    else if (ABOUT_EFFORT.test(said)) this.#efforts = effortsIn(message, this.effort);
    else for (const name of DISPENSABLE) if (said.includes(name)) this.#refused.add(name);
  }

  /** Servers count the answer's limit as used. Without a limit the request may fit. */
  #learnBound({ message }: ErrorAnswer): void {
    if (!BOUND_COUNTS.test(message)) return;
    this.#refused.add("max_completion_tokens");
    this.#refused.add("max_output_tokens");
  }
}

/** Supported values in an error message; null if it has none. */
function effortsIn(message: string, refused: string): readonly string[] | null {
  const at = message.search(LIST_FOLLOWS);
  const list = at < 0 ? "" : message.slice(at);
  const efforts = EFFORTS.filter(
    (effort) => effort !== refused && new RegExp(`\\b${effort}\\b`).test(list),
  );
  return efforts.length === 0 ? null : efforts;
}
