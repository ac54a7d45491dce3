/**
 * Carries out the agents' own tools (built-in-tools.ts) inside the conversation. Each is answered
 * like any other tool, but for the end of the call and a transfer that is still under way.
 */
import type { AgentLanguage } from "../agent/agent.ts";
import type { JsonObject, JsonValue } from "../worker/messages.ts";
import {
  END_CALL,
  isBuiltIn,
  readBuiltInCall,
  SEND_DIGITS,
  SWITCH_LANGUAGE,
  TAKE_MESSAGE,
  TRANSFER_CALL,
} from "./built-in-tools.ts";
import type { ToolAnswer, ToolWish } from "./tool-calls.ts";

/** What the mind asked main to do with the call. */
export interface TransferWish {
  readonly target: string;
  readonly briefing: string | true | null;
  /** The tool call that hears how it went; null: the mind does not ask. */
  readonly toolCallId: string | null;
}

export interface TakenMessage {
  readonly text: string;
  readonly callerName: string | null;
  readonly callback: string | null;
}

export interface BuiltInEffects {
  endCall(): void;
  /** False when a transfer is under way already. */
  transfer(wish: TransferWish): boolean;
  sendDigits(digits: string): void;
  keepMessage(message: TakenMessage): void;
  /** False when this engine cannot. */
  switchLanguage(language: AgentLanguage): boolean;
  answer(answer: ToolAnswer): void;
}

const CALLS_MAX = 100;

export class BuiltIns {
  #calls = 0;

  constructor(
    private readonly options: {
      readonly transferTargets: Readonly<Record<string, string>>;
      /** Names of the tenant's tools: they win over ours. */
      readonly own: ReadonlySet<string>;
      readonly effects: BuiltInEffects;
    },
  ) {}

  /** False: not one of ours, and nothing was done. */
  handle(wish: ToolWish): boolean {
    const { own, effects } = this.options;
    if (own.has(wish.tool) || !isBuiltIn(wish.tool)) return false;
    this.#calls++;
    const outcome =
      this.#calls > CALLS_MAX ? failed("too many tool calls") : this.#run(wish, wish.arguments);
    if (outcome) effects.answer({ type: "tool_result", toolCallId: wish.toolCallId, ...outcome });
    return true;
  }

  /** Null: there is nothing to answer (yet). */
  #run(wish: ToolWish, args: JsonObject): Outcome | null {
    const { effects } = this.options;
    const reading = readBuiltInCall(wish.tool, args, this.options);
    if (!reading.ok) return failed(reading.problem);
    const { call } = reading;
    switch (call.name) {
      case END_CALL:
        effects.endCall();
        return null;
      case TRANSFER_CALL: {
        const { target, briefing } = call;
        const begun = effects.transfer({ target, briefing, toolCallId: wish.toolCallId });
        return begun ? null : failed("a transfer is under way already");
      }
      case SEND_DIGITS:
        effects.sendDigits(call.digits);
        return done({ sent: call.digits });
      case TAKE_MESSAGE: {
        const { message: text, callerName, callback } = call;
        effects.keepMessage({ text, callerName, callback });
        return done({ kept: true });
      }
      case SWITCH_LANGUAGE: {
        const switched = effects.switchLanguage(call.language);
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
