/**
 * Carries out the agents' own tools (built-in-tools.ts) inside the conversation. Each is answered
 * like any other tool, but for the end of the call and a transfer that is still under way.
 */

import type { Clock } from "../../../core/clock.ts";
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import type { AgentLanguage } from "../../agent/agent.ts";
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

/** What the LLM asked main to do with the call. */
export interface TransferRequest {
  readonly target: string;
  readonly announcement: string | true | null;
  /** The tool call that hears how it went; null: the LLM does not ask. */
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
  /** Names of the tenant's tools: they win over ours. */
  readonly tenantToolNames: ReadonlySet<string>;
  readonly audio: Pick<CallAudio, "sendDigits">;
  readonly engine: Pick<EngineSession, "switchLanguage">;
  readonly activeLanguage: ActiveLanguage;
  readonly transcript: Transcript;
  readonly clock: Clock;
  readonly emit: (message: CallEvent) => void;
  /** The agent speaks another language from now on. */
  readonly onLanguage: () => void;
  readonly endCall: () => void;
  /** False when a transfer is under way already. */
  readonly transfer: (request: TransferRequest) => boolean;
  readonly answer: (answer: ToolAnswer) => void;
}

const CALLS_MAX = 100;

export class BuiltIns {
  #calls = 0;

  constructor(private readonly options: BuiltInsOptions) {}

  /** False: not one of ours, and nothing was done. */
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

  /** Kept with the call, and mailed after it. */
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

  /** False when this engine cannot. */
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

  /** Null: there is nothing to answer (yet). */
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
