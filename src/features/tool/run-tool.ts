/**
 * Runs a tool: looks it up, checks the arguments, and POSTs to the tenant's endpoint with the secret header
 * through the outbound HTTP client. Every outcome becomes a result, so that the conversation can continue.
 *
 * Body: `{"call_id","tool","arguments","caller"}`. Never retried: a tool may book a table, and booking two is
 * worse than an apology. The call handles the filler phrase and the call record.
 */

import type { ToolResult } from "../../conversation/call-config.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { describeError, notFound } from "../../core/errors.ts";
import { type JsonValue, parseJson } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { decodeText } from "../../core/text-encoding.ts";
import type { OutboundHttpClient, OutboundHttpResponse } from "../../platform/net/outbound-http.ts";
import { OutboundHttpError } from "../../platform/net/outbound-http-error.ts";
import { type SecretVault, toolSecretBinding } from "../../platform/secrets/secret-binding.ts";
import type { CallerLevel } from "../contact/ports.ts";
import type { ArgumentCheck } from "./argument-check.ts";
import type { ToolRunner, ToolTrial } from "./ports.ts";
import type { ToolTarget, ToolTargets } from "./stores.ts";

interface ToolRunnerOptions {
  readonly database: Database;
  readonly targets: ToolTargets;
  readonly vault: SecretVault;
  readonly client: OutboundHttpClient;
  readonly argumentCheck: Pick<ArgumentCheck, "problem">;
  /** `[http_client] tool_timeout_ms`. */
  readonly timeoutMs: number;
  /** `[conversation] tool_result_bytes_max`. */
  readonly resultBytesMax: number;
  readonly log: Log;
  readonly clock?: Clock;
}

/** A larger response fails, unless results may be larger. */
const ANSWER_BYTES_MAX = 64 * 1024;
const CUT_MARK = "… [cut]";

type Call = Parameters<ToolRunner["run"]>[1];
type Outcome = Pick<ToolResult, "ok" | "httpStatus" | "output">;

const NOT_VERIFIED =
  "The caller could not be verified, so the tool was not run. Say so, and offer another way.";

const failure = (output: string): Outcome => ({ ok: false, httpStatus: null, output });

export class HttpToolRunner implements ToolRunner {
  readonly #clock: Clock;

  constructor(private readonly options: ToolRunnerOptions) {
    this.#clock = this.options.clock ?? systemClock;
  }

  async #execute(tenantId: number, target: ToolTarget | null, call: Call): Promise<Outcome> {
    if (!target) return failure(`There is no tool named ${call.tool}.`);
    const { parameters } = target;
    const problem = await this.options.argumentCheck.problem(tenantId, parameters, call.arguments);
    if (problem !== null) return failure(problem);
    const level = await this.#levelFor(target, call);
    if (level < target.callerLevel) return failure(NOT_VERIFIED);
    const { output, ...outcome } = asOutcome(await this.#send(target, call, level));
    return { ...outcome, output: cutTo(this.options.resultBytesMax, output) };
  }

  async #levelFor({ callerLevel }: ToolTarget, call: Call): Promise<CallerLevel> {
    const { level = 0, raise } = call;
    return level >= callerLevel || !raise ? level : raise();
  }

  #send(target: ToolTarget, call: Call, level: CallerLevel): Promise<OutboundHttpResponse> {
    return this.options.client.request({
      method: "POST",
      url: target.url,
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json",
        "User-Agent": "Linevoice-Tool/1",
        [target.secretHeader]: this.options.vault.open(
          target.secretSealed,
          toolSecretBinding(target.id),
        ),
      },
      body: JSON.stringify({
        call_id: call.callUuid,
        tool: call.tool,
        arguments: call.arguments,
        caller: { ...call.caller, verified: level >= 1, level },
      }),
      timeoutMs: this.options.timeoutMs,
      responseBytesMax: Math.max(ANSWER_BYTES_MAX, this.options.resultBytesMax),
    });
  }

  async #measured(tenantId: number, call: Call, found: () => Promise<ToolTarget | null>) {
    const startedAt = this.#clock.monotonic();
    const outcome = await found()
      .then((target) => this.#execute(tenantId, target, call))
      .catch((error): Outcome => {
        if (error instanceof OutboundHttpError)
          return failure(`The tool failed: ${error.message}.`);
        this.options.log.error("tool.failed", {
          call_id: call.callUuid,
          tool: call.tool,
          error: describeError(error),
        });
        return failure("The tool could not be run.");
      });
    const durationMs = Math.round(this.#clock.monotonic() - startedAt);
    return { toolCallId: call.toolCallId, durationMs, ...outcome };
  }

  run(tenantId: number, call: Parameters<ToolRunner["run"]>[1]) {
    return this.#measured(tenantId, call, () =>
      this.options.targets(this.options.database.read).find(tenantId, call.tool, call.version),
    );
  }

  async trial(tenantId: number, toolId: number, { callUuid, arguments: values }: ToolTrial) {
    const target = await this.options.targets(this.options.database.read).byId(tenantId, toolId);
    if (!target) throw notFound("tool");
    const caller = { number: "", direction: "inbound", test: true };
    const call = { callUuid, toolCallId: "trial", tool: target.name, arguments: values, caller };
    // A trial is run by a signed-in user, so it needs no caller level.
    return this.#measured(tenantId, call, async () => ({ ...target, callerLevel: 0 }));
  }
}

function asOutcome(response: OutboundHttpResponse): Outcome {
  const ok = response.status >= 200 && response.status < 300;
  const output = parseAnswer(textOf(response));
  if (ok) return { ok, httpStatus: response.status, output };
  const body =
    output === "" || output === null ? `The tool answered HTTP ${response.status}.` : output;
  return { ok, httpStatus: response.status, output: body };
}

function textOf({ headers, body }: OutboundHttpResponse): string {
  const charset = /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(headers["content-type"] ?? "")?.[1];
  return decodeText(body, charset ?? null);
}

/** Parsed as JSON if possible, ignoring the content type; otherwise the text. */
function parseAnswer(text: string): JsonValue {
  const value = parseJson(text);
  return value === undefined ? text.trim() : value;
}

/** Cuts a long output to text with a mark at the end. The mark counts towards the length. */
function cutTo(bytesMax: number, output: JsonValue): JsonValue {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return output;
  const kept = bytes.subarray(0, bytesMax - Buffer.byteLength(CUT_MARK));
  // In stream mode, an incomplete last character is dropped.
  return new TextDecoder().decode(kept, { stream: true }) + CUT_MARK;
}
