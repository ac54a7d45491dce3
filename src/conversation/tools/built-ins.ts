/**
 * Runs the built-in tools (built-in-tools.ts) inside the conversation. Each call gets a result like any other
 * tool, except for the end of the call and a pending transfer.
 */

import type { Clock } from "../../core/clock.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import type { CallAudio } from "../audio-port.ts";
import type { CallEvent } from "../call-protocol.ts";
import type { EngineSession } from "../engine-port.ts";
import type { ActiveLanguage } from "../speech/active-language.ts";
import type { Transcript } from "../transcript.ts";
import {
  END_CALL,
  isBuiltIn,
  readBuiltInCall,
  SEND_DIGITS,
  SWITCH_LANGUAGE,
  TAKE_MESSAGE,
  TRANSFER_CALL,
} from "./built-in-tools.ts";
import type { ToolAnswer, ToolCallRequest } from "./tool-calls.ts";

/** Transfer that the LLM requested from main. */
export interface TransferRequest {
  readonly target: string;
  readonly announcement: string | true | null;
  /** Tool call that gets the result of the transfer; null: the LLM did not request it. */
  readonly toolCallId: string | null;
}

interface TakenMessage {
  readonly text: string;
  readonly callerName: string | null;
  readonly callback: string | null;
}

export interface BuiltInsOptions {
  readonly transferTargets: Readonly<Record<string, string>>;
  readonly sendDigits: boolean;
  /** Names of the tenant's tools, which have priority over built-in ones. */
  readonly tenantToolNames: ReadonlySet<string>;
  readonly audio: Pick<CallAudio, "sendDigits">;
  readonly engine: Pick<EngineSession, "switchLanguage">;
  readonly activeLanguage: ActiveLanguage;
  readonly transcript: Transcript;
  readonly clock: Clock;
  readonly emit: (message: CallEvent) => void;
  /** Called when the agent switches its language. */
  readonly onLanguage: () => void;
  readonly endCall: () => void;
  /** Returns false if a transfer is already pending. */
  readonly transfer: (request: TransferRequest) => boolean;
  readonly answer: (answer: ToolAnswer) => void;
}

const CALLS_MAX = 100;

export class BuiltIns {
  #calls = 0;

  constructor(private readonly options: BuiltInsOptions) {}

  /** Returns false, without any effect, if the tool is not built in. */
  handle(request: ToolCallRequest): boolean {
    const { tenantToolNames, answer } = this.options;
    if (tenantToolNames.has(request.tool) || !isBuiltIn(request.tool)) return false;
    this.#calls++;
    const outcome =
      this.#calls > CALLS_MAX
        ? failed("too many tool calls")
        : this.#run(request, request.arguments);
    if (outcome) answer({ type: "tool_result", toolCallId: request.toolCallId, ...outcome });
    return true;
  }

  /** Emits the message, to be stored with the call and mailed after it. */
  keepMessage(message: TakenMessage): void {
    this.options.emit({
      type: "note",
      note: { kind: "message", atMs: this.#sinceAnswer, ...message },
    });
  }

  get #sinceAnswer(): number {
    const { transcript, clock } = this.options;
    return transcript.sinceAnswer(clock.monotonic());
  }

  /** Returns false if the engine cannot switch. */
  #switchLanguage(language: AgentLanguage): boolean {
    const { engine, activeLanguage, emit, onLanguage } = this.options;
    if (language === activeLanguage.language) return true;
    if (!engine.switchLanguage) return false;
    engine.switchLanguage(language);
    activeLanguage.switchTo(language);
    onLanguage();
    emit({ type: "note", note: { kind: "language", atMs: this.#sinceAnswer, language } });
    return true;
  }

  /** Returns null if no result is due (yet). */
  #run(request: ToolCallRequest, args: JsonObject): Outcome | null {
    const { endCall, transfer, audio } = this.options;
    const reading = readBuiltInCall(request.tool, args, this.options);
    if (!reading.ok) return failed(reading.problem);
    const { call } = reading;
    switch (call.name) {
      case END_CALL:
        endCall();
        return null;
      case TRANSFER_CALL: {
        const { target, announcement } = call;
        const begun = transfer({ target, announcement, toolCallId: request.toolCallId });
        return begun ? null : failed("a transfer is under way already");
      }
      case SEND_DIGITS:
        audio.sendDigits(call.digits);
        return done({ sent: call.digits });
      case TAKE_MESSAGE: {
        const { message: text, callerName, callback } = call;
        this.keepMessage({ text, callerName, callback });
        return done({ kept: true });
      }
      case SWITCH_LANGUAGE: {
        const switched = this.#switchLanguage(call.language);
        return switched
          ? done({ language: call.language })
          : failed("this agent can speak its own language only");
      }
    }
  }
}

interface Outcome {
  readonly ok: boolean;
  readonly output: JsonValue;
}

const done = (output: JsonValue): Outcome => ({ ok: true, output });
const failed = (error: string): Outcome => ({ ok: false, output: { error } });
