/**
 * The LLM side of a Realtime session. Passes on the words of an answer as they can be spoken, and
 * its tool calls. Truncates unheard audio at the server, to the millisecond.
 */

import type { ToolSnapshot } from "../../conversation/call-config.ts";
import type {
  CallEnd,
  CallSummary,
  LlmEvent,
  LlmInput,
  LlmSession,
} from "../../conversation/engine-port.ts";
import { TOOL_ROUNDS_MAX } from "../../conversation/limits.ts";
import { passagesSection } from "../../conversation/prompt/knowledge-section.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Random } from "../../core/random.ts";
import { plainText, withoutThoughts } from "../openai/spoken-pieces.ts";
import { UNFINISHED } from "../openai/unfinished.ts";
import { estimateTokens } from "../prompt-size.ts";
import { readSummary, SUMMARY_CHARACTERS_MAX, summaryTask } from "../summary-task.ts";
import type { RealtimeLink } from "./link.ts";
import { letters } from "./phrases.ts";
import type { RealtimeSttStream } from "./realtime-stt.ts";
import type { RealtimeTtsStream } from "./realtime-tts.ts";
import type { RealtimeResponse, ResponseCall, ResponseUsage } from "./response.ts";

interface RealtimeLlmOptions {
  readonly link: RealtimeLink;
  readonly tools: readonly ToolSnapshot[];
  /** Estimated tokens of instructions and tools, which are part of every request. */
  readonly promptTokens: number;
  readonly stt: RealtimeSttStream;
  readonly tts: RealtimeTtsStream;
  readonly random: Random;
}

const NO_MORE_TOOLS = "no more tool calls: answer in words now";

export class RealtimeLlmSession implements LlmSession {
  /** Our ids of tool calls → the server's ids, for calls without a result. */
  readonly #calls = new Map<string, { readonly callId: string; readonly generation: number }>();
  /** Answers since the caller's last words. */
  #turn: RealtimeResponse[] = [];

  /** Passages of the last question, as an item at the server. */
  #facts: { readonly id: string; readonly generation: number } | null = null;
  #factsSent = 0;

  constructor(private readonly options: RealtimeLlmOptions) {
    options.link.busyWhile(() => this.#calls.size > 0);
  }

  async *respond(input: LlmInput, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    if (signal.aborted) return;
    const { link } = this.options;
    const before = [...link.history];
    let response = await this.#ask(input).catch((error: unknown) => {
      // Otherwise a retry would add it twice.
      link.history.splice(0, link.history.length, ...before);
      throw error;
    });
    let outputTokens = 0;
    let inputTokens = 0;
    let rejectedRounds = 0;
    const { toolRounds = TOOL_ROUNDS_MAX } = input;
    while (response && !signal.aborted) {
      const left: number = toolRounds - rejectedRounds;
      const hasRejected = yield* this.#read(response, left, signal);
      const { usage } = response.isUsageReported ? response : this.#estimated(response);
      inputTokens += usage.inputTokens;
      outputTokens += usage.outputTokens;
      if (!hasRejected || signal.aborted) break;
      rejectedRounds++;
      response = await link.ask(choiceOf(left - 1));
    }
    if (signal.aborted) return;
    const speechUsage = this.options.tts.takeUsage();
    inputTokens += speechUsage.inputTokens;
    outputTokens += speechUsage.outputTokens;
    yield {
      type: "done",
      usage: { inputTokens, outputTokens },
      ...(rejectedRounds === 0 ? {} : { rejectedRounds }),
    };
  }

  truncateSpoken(text: string, playedMs?: number): void {
    const { link } = this.options;
    const index = link.history.findLastIndex(({ by }) => by === "agent");
    if (index >= 0) {
      if (text.trim() === "") link.history.splice(index, 1);
      else link.history[index] = { by: "agent", text };
    }
    const turn = this.#turn;
    this.#turn = [];
    this.#truncateItems(turn.slice(firstHeard(turn, text)), text, playedMs);
  }

  /**
   * Keeps the played part of these answers. The item in which it ends is truncated; later ones are
   * deleted.
   */
  #truncateItems(
    answers: readonly RealtimeResponse[],
    text: string,
    playedMs: number | undefined,
  ): void {
    const { link } = this.options;
    const items = answers.flatMap(({ track, items, cancelled }) =>
      items.map(({ id, from, through }, index) => ({
        id,
        ms: track.msOf(through - from),
        // The server may have more of it than arrived here.
        isOpen: cancelled && index === items.length - 1,
      })),
    );
    const allMs = items.reduce((sum, { ms }) => sum + ms, 0);
    const characters = answers.reduce((sum, { transcript }) => sum + transcript.length, 0);
    const share = characters === 0 ? 1 : Math.min(1, text.length / characters);
    let leftMs = text.trim() === "" && !playedMs ? 0 : (playedMs ?? share * allMs);
    for (const { id, ms, isOpen } of items) {
      const isWhole = ms > 0 && leftMs >= ms && !isOpen;
      const endMs = Math.floor(Math.min(leftMs, ms));
      leftMs = Math.max(0, leftMs - ms);
      if (id === "" || isWhole) continue;
      if (endMs < 1) link.send({ type: "conversation.item.delete", item_id: id });
      else {
        const common = { item_id: id, content_index: 0, audio_end_ms: endMs };
        link.send({ type: "conversation.item.truncate", ...common });
      }
    }
  }

  async summarize(end: CallEnd): Promise<CallSummary> {
    const { link } = this.options;
    const transcript = link.history
      .map(({ by, text }) => `${by === "agent" ? "Agent" : "Customer"}: ${text}`)
      .join("\n");
    await link.ready();
    const response = await link.ask(
      {
        conversation: "none",
        input: [
          { type: "message", role: "user", content: [{ type: "input_text", text: transcript }] },
        ],
        instructions: summaryTask(`the language with the code ${link.language}`, end),
        ...link.isTextOnly,
        tool_choice: "none",
      },
      true,
    );
    while ((await response.next()) !== null);
    const summary = readSummary(
      withoutThoughts(response.transcript).slice(0, SUMMARY_CHARACTERS_MAX),
    );
    return { text: plainText(summary.text), line: plainText(summary.line) };
  }

  /** The answer to this input; null if it needs none yet. */
  async #ask(input: LlmInput): Promise<RealtimeResponse | null> {
    const { link, stt } = this.options;
    if (input.type !== "tool_result") this.#turn = [];
    if (input.type === "utterance") {
      const ahead = stt.takeAhead();
      const committed = stt.takeCommitted();
      link.remember({ by: "caller", text: input.text });
      if (ahead && !ahead.failure) return ahead;
      if (!committed || ahead?.failure) await this.#tell("caller", input.text, committed);
      await this.#tellPassages(passagesSection(input.passages ?? []));
      return await link.ask();
    }
    if (input.type === "tool_result") {
      await this.#toolResult(input.toolCallId, input.ok, input.output);
      return this.#calls.size === 0 ? await link.ask(choiceOf(input.toolRounds)) : null;
    }
    const note =
      input.type === "digits"
        ? `[The caller pressed the keys ${input.digits}]`
        : "[The caller said nothing and was asked whether they are still there]";
    await this.#tell("caller", note, false);
    link.remember({ by: "caller", text: note });
    return input.type === "digits" ? await link.ask() : null;
  }

  async #tell(by: "caller" | "tool", text: string, known: boolean): Promise<void> {
    const { link } = this.options;
    const before = link.generation;
    await link.ready();
    // A session that started just now has the whole history.
    if (known && before === link.generation) return;
    if (before === link.generation) link.sendText(by, text);
  }

  /** Deletes the passages of the previous question; its answer stays. */
  async #tellPassages(text: string): Promise<void> {
    const { link } = this.options;
    await link.ready();
    const before = this.#facts;
    this.#facts = null;
    if (before?.generation === link.generation)
      link.send({ type: "conversation.item.delete", item_id: before.id });
    if (text === "") return;
    const id = `facts_${++this.#factsSent}`;
    if (link.sendFacts(id, text)) this.#facts = { id, generation: link.generation };
  }

  async #toolResult(id: string, ok: boolean, output: JsonValue): Promise<void> {
    const { link } = this.options;
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    const result = JSON.stringify(ok ? output : { failed: true, detail: output });
    link.remember({ by: "tool", text: result });
    const before = link.generation;
    await link.ready();
    if (before !== link.generation) return;
    // A session younger than the tool call does not have the call.
    if (call.generation === link.generation) this.#sendResult(call.callId, result);
    else link.sendText("tool", result);
  }

  #sendResult(callId: string, output: string): void {
    this.options.link.send({
      type: "conversation.item.create",
      item: { type: "function_call_output", call_id: callId, output },
    });
  }

  /** For a server that reports no usage. */
  #estimated({ outputTokensEstimated }: RealtimeResponse): { readonly usage: ResponseUsage } {
    const { link, promptTokens } = this.options;
    const said = link.history.map(({ text }) => text).join("\n");
    const inputTokens = promptTokens + estimateTokens(said);
    return { usage: { inputTokens, outputTokens: outputTokensEstimated } };
  }

  /** Returns whether tool calls were rejected, so that the model must answer again. */
  async *#read(
    response: RealtimeResponse,
    toolRounds: number,
    signal: AbortSignal,
  ): AsyncGenerator<LlmEvent, boolean> {
    const { link, tts } = this.options;
    this.#turn.push(response);
    tts.speaksFrom(response);
    const words: string[] = [];
    const remember = () => {
      if (words.length > 0) link.remember({ by: "agent", text: words.splice(0).join(" ") });
    };
    // At once, because the caller of abort may report next how much was heard.
    const onAbort = () => {
      remember();
      this.#aborted(response);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    let toolCalls = 0;
    let hasRejected = false;
    try {
      for (let event = await response.next(); event; event = await response.next()) {
        if (signal.aborted) break;
        if (event.type === "piece") {
          words.push(event.text);
          yield { type: "text", text: event.text };
          continue;
        }
        if (toolRounds <= 0) {
          this.#sendResult(event.call.callId, JSON.stringify({ error: NO_MORE_TOOLS }));
          continue;
        }
        const toolCall = this.#toolCall(event.call);
        if (toolCall) {
          toolCalls++;
          yield toolCall;
        } else hasRejected = true;
      }
      const hasCalls = toolCalls > 0 || hasRejected;
      const missing = signal.aborted || hasCalls ? null : this.#sayingOf(response);
      if (missing !== null) yield { type: "text", text: missing };
    } finally {
      signal.removeEventListener("abort", onAbort);
      remember();
    }
    return hasRejected && toolCalls === 0;
  }

  /** Sentence for the caller if the answer is incomplete. */
  #sayingOf({ ending, cancelled }: RealtimeResponse): string | null {
    return ending === "whole" || cancelled ? null : UNFINISHED[this.options.link.language][ending];
  }

  #aborted(response: RealtimeResponse): void {
    const { link } = this.options;
    link.cancel(response);
    if (response.track.begun) return;
    // Nobody heard any of it, so it was never said.
    this.#turn = this.#turn.filter((answer) => answer !== response);
    void response.settled.then(() => {
      for (const { id } of response.items) {
        if (id !== "") link.send({ type: "conversation.item.delete", item_id: id });
      }
    });
  }

  /** Null if the call is invalid; the model gets the reason. */
  #toolCall({ callId, name, arguments: args }: ResponseCall): LlmEvent | null {
    const problem = this.options.tools.some((tool) => tool.name === name)
      ? "the arguments are not a JSON object"
      : "there is no such tool";
    if (args === null || problem.startsWith("there is no")) {
      this.#sendResult(callId, JSON.stringify({ error: problem }));
      return null;
    }
    const id = `call_${Buffer.from(this.options.random.bytes(9)).toString("base64url")}`;
    this.#calls.set(id, { callId, generation: this.options.link.generation });
    return { type: "tool_call", toolCallId: id, tool: name, arguments: args };
  }
}

/** Field of `response.create`. */
const choiceOf = (toolRounds: number | undefined): JsonObject =>
  toolRounds === undefined || toolRounds > 0 ? {} : { tool_choice: "none" };

/** Index of the first answer in the heard text. Answers before it were heard completely. */
function firstHeard(answers: readonly RealtimeResponse[], text: string): number {
  const heard = letters(text);
  const index = answers.findLastIndex(({ transcript }) => {
    const said = letters(transcript);
    const length = Math.min(said.length, heard.length);
    return length > 0 && said.slice(0, length) === heard.slice(0, length);
  });
  return index < 0 ? answers.length - 1 : index;
}
