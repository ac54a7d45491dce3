/**
 * Pending tool calls. Main runs them; the conversation waits, fills the silence and times out. Results are
 * passed on in the order of arrival, exactly one per request.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ToolResult } from "../call-config.ts";
import type { ConversationSettings } from "../conversation-settings.ts";
import type { LlmInput } from "../engine-port.ts";

export interface ToolCallRequest {
  readonly toolCallId: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

export type ToolAnswer = Extract<LlmInput, { type: "tool_result" }>;

interface ToolCallsOptions {
  readonly settings: Pick<ConversationSettings, "fillerDelayMs" | "toolCallsMax" | "toolTimeoutMs">;
  readonly clock: Clock;
  readonly send: (request: ToolCallRequest) => void;
  /** Called after a long silence: say a filler. */
  readonly onFillerDue: () => void;
  readonly onAnswer: (answer: ToolAnswer) => void;
}

/** Maximum concurrent requests. */
const PENDING_MAX = 8;

export class ToolCalls {
  readonly #timeouts = new Map<string, Timer>();
  #filler: Timer | null = null;
  #paused = false;
  #made = 0;

  constructor(private readonly options: ToolCallsOptions) {}

  get pending(): boolean {
    return this.#timeouts.size > 0;
  }

  /** Number of tool calls in this phone call. */
  get made(): number {
    return this.#made;
  }

  request(call: ToolCallRequest): void {
    const { settings, send, onAnswer } = this.options;
    const { toolCallId } = call;
    if (this.#timeouts.has(toolCallId)) return;
    if (this.#timeouts.size >= PENDING_MAX) {
      onAnswer(failedAnswer(toolCallId, "too many tool calls at once"));
      return;
    }
    // Limits the tenant's costs if a model keeps calling tools.
    if (this.#made >= settings.toolCallsMax) {
      const instruction = "no more tool calls in this phone call: answer with what is known";
      onAnswer({ ...failedAnswer(toolCallId, instruction), toolRounds: 0 });
      return;
    }
    this.#made++;
    this.#timeouts.set(toolCallId, this.#timeout(toolCallId));
    if (!this.#filler) this.armFiller();
    send(call);
  }

  /** Drops late and unknown results. */
  result(result: ToolResult): void {
    const { toolCallId, ok, output } = result;
    this.#answer({ type: "tool_result", toolCallId, ok, output });
  }

  /** Starts or restarts the wait: a filler is due after `fillerDelayMs` of silence. */
  armFiller(): void {
    this.#filler?.cancel();
    if (this.#paused) return;
    this.#filler = this.options.clock.after(this.options.settings.fillerDelayMs, () => {
      this.#filler = null;
      if (this.pending) this.options.onFillerDue();
    });
  }

  /** While paused (the caller provides input for the tool), no timeout and no filler. */
  pause(paused: boolean): void {
    if (paused === this.#paused) return;
    this.#paused = paused;
    this.#filler?.cancel();
    this.#filler = null;
    for (const [toolCallId, timeout] of this.#timeouts) {
      timeout.cancel();
      if (!paused) this.#timeouts.set(toolCallId, this.#timeout(toolCallId));
    }
    if (!paused && this.pending) this.armFiller();
  }

  stop(): void {
    this.#filler?.cancel();
    this.#filler = null;
    for (const timer of this.#timeouts.values()) timer.cancel();
    this.#timeouts.clear();
  }

  #timeout(toolCallId: string): Timer {
    const { clock, settings } = this.options;
    return clock.after(settings.toolTimeoutMs, () =>
      this.#answer(failedAnswer(toolCallId, "the tool did not answer in time")),
    );
  }

  #answer(answer: ToolAnswer): void {
    const timeout = this.#timeouts.get(answer.toolCallId);
    if (!timeout) return;
    timeout.cancel();
    this.#timeouts.delete(answer.toolCallId);
    if (!this.pending) {
      this.#filler?.cancel();
      this.#filler = null;
    }
    this.options.onAnswer(answer);
  }
}

function failedAnswer(toolCallId: string, error: string): ToolAnswer {
  return { type: "tool_result", toolCallId, ok: false, output: { error } };
}
