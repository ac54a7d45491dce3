/**
 * Tools of every agent, independent of the engine: end the call, transfer it, press keys, take a message,
 * switch the language. Defines their names, JSON Schemas and argument checks.
 *
 * An engine with a generative model offers `SessionSettings.builtInTools` together with the tenant's tools,
 * and returns an ordinary `tool_call`. The conversation recognises the name, runs the tool and answers with a
 * `tool_result`. `end_call` gets no result, and `transfer_call` gets one only if it failed. No built-in tool
 * sends HTTP requests.
 */

import type { JsonObject, JsonValue } from "../../core/json.ts";
import { oneLine } from "../../core/one-line.ts";
import { AGENT_LANGUAGES, type AgentLanguage } from "../../features/agent/agent.ts";
import type { CallConfig, ToolSnapshot } from "../call-config.ts";

export const END_CALL = "end_call";
export const TRANSFER_CALL = "transfer_call";
export const SEND_DIGITS = "send_digits";
export const TAKE_MESSAGE = "take_message";
export const SWITCH_LANGUAGE = "switch_language";

const NAMES: ReadonlySet<string> = new Set([
  END_CALL,
  TRANSFER_CALL,
  SEND_DIGITS,
  TAKE_MESSAGE,
  SWITCH_LANGUAGE,
]);

const MESSAGE_CHARACTERS_MAX = 2_000;
const ANNOUNCEMENT_CHARACTERS_MAX = 500;
const DIGITS_MAX = 32;

/** Checked arguments of a built-in tool call. */
type BuiltInCall =
  | { readonly name: typeof END_CALL }
  | {
      readonly name: typeof TRANSFER_CALL;
      /** E.164 number or SIP URI from the operator's configuration. */
      readonly target: string;
      /** Announcement to the person before the caller is connected; null: a blind transfer. */
      readonly announcement: string | null;
    }
  | { readonly name: typeof SEND_DIGITS; readonly digits: string }
  | {
      readonly name: typeof TAKE_MESSAGE;
      readonly message: string;
      readonly callerName: string | null;
      readonly callback: string | null;
    }
  | { readonly name: typeof SWITCH_LANGUAGE; readonly language: AgentLanguage };

/** `problem`: an error text for the model. */
type BuiltInReading =
  | { readonly ok: true; readonly call: BuiltInCall }
  | { readonly ok: false; readonly problem: string };

interface BuiltInSetting {
  /** `[conversation.transfer_targets]`: names, each with an E.164 number or SIP URI. */
  readonly transferTargets: Readonly<Record<string, string>>;
  /** True if the agent may press keys in this call. */
  readonly sendDigits: boolean;
}

/**
 * On inbound calls off by default: a caller must not use the agent to operate the phone system behind the
 * trunk.
 */
export const maySendDigits = ({ direction, agent }: CallConfig): boolean =>
  direction === "outbound" || agent.sendDigitsInbound;

export const isBuiltIn = (tool: string): boolean => NAMES.has(tool);

/**
 * Tools to offer. No transfer without a transfer target; keys only if `maySendDigits` allows them. A tenant's
 * tool with the same name has priority: pass the tenant's tools as `own`.
 */
export function builtInTools(
  { transferTargets, sendDigits: mayPressKeys }: BuiltInSetting,
  tenantTools: readonly ToolSnapshot[] = [],
): readonly ToolSnapshot[] {
  const taken = new Set(tenantTools.map((tool) => tool.name));
  const names = Object.keys(transferTargets);
  const offered = [
    endCall,
    ...(names.length > 0 ? [transferCall(names)] : []),
    ...(mayPressKeys ? [sendDigits] : []),
    takeMessage,
    switchLanguage,
  ];
  return offered.filter((tool) => !taken.has(tool.name));
}

/** Checks the arguments of a tool call for which `isBuiltIn` is true. Never throws. */
export function readBuiltInCall(
  tool: string,
  args: JsonObject,
  { transferTargets, sendDigits: mayPressKeys }: BuiltInSetting,
): BuiltInReading {
  switch (tool) {
    case END_CALL:
      return { ok: true, call: { name: END_CALL } };
    case TRANSFER_CALL:
      return readTransfer(args, transferTargets);
    case SEND_DIGITS: {
      if (!mayPressKeys) return problem("keys may not be pressed on this call");
      const digits = textOf(args.digits).replace(/[\s-]/g, "").toUpperCase();
      if (!/^[0-9*#A-D]+$/.test(digits) || digits.length > DIGITS_MAX)
        return problem(`digits must be 1 to ${DIGITS_MAX} of 0-9, * and #`);
      return { ok: true, call: { name: SEND_DIGITS, digits } };
    }
    case TAKE_MESSAGE:
      return readMessage(args);
    case SWITCH_LANGUAGE: {
      const language = AGENT_LANGUAGES.find((known) => known === args.language);
      if (!language) return problem(`language must be one of ${AGENT_LANGUAGES.join(", ")}`);
      return { ok: true, call: { name: SWITCH_LANGUAGE, language } };
    }
    default:
      return problem(`there is no tool ${tool}`);
  }
}

function readTransfer(
  args: JsonObject,
  targets: BuiltInSetting["transferTargets"],
): BuiltInReading {
  const requested = textOf(args.to).toLocaleLowerCase();
  const found = Object.entries(targets).find(
    ([name, target]) => name.toLocaleLowerCase() === requested || target === requested,
  );
  if (!found) return problem(`to must be one of: ${Object.keys(targets).join(", ")}`);
  const announcement = textOf(args.briefing).slice(0, ANNOUNCEMENT_CHARACTERS_MAX);
  return {
    ok: true,
    call: {
      name: TRANSFER_CALL,
      target: found[1],
      announcement: announcement === "" ? null : announcement,
    },
  };
}

function readMessage(args: JsonObject): BuiltInReading {
  const message = textOf(args.message).slice(0, MESSAGE_CHARACTERS_MAX);
  if (message === "") return problem("message must hold the caller's words");
  return {
    ok: true,
    call: {
      name: TAKE_MESSAGE,
      message,
      callerName: oneLine(textOf(args.caller_name), 120) || null,
      callback: oneLine(textOf(args.callback), 120) || null,
    },
  };
}

const problem = (text: string): BuiltInReading => ({ ok: false, problem: text });

const textOf = (value: JsonValue | undefined): string =>
  typeof value === "string" || typeof value === "number" ? String(value).trim() : "";

const endCall: ToolSnapshot = {
  name: END_CALL,
  description: "Ends the call. Say goodbye first, then call this in the same answer.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
};

const transferCall = (names: readonly string[]): ToolSnapshot => ({
  name: TRANSFER_CALL,
  description:
    "Connects the caller with a person. Say first that you are connecting them. With a briefing the person hears it before the caller is put through.",
  parameters: {
    type: "object",
    properties: {
      to: { type: "string", enum: [...names], description: "Who to connect." },
      briefing: {
        type: "string",
        maxLength: ANNOUNCEMENT_CHARACTERS_MAX,
        description: "One or two sentences for the person: who calls and why.",
      },
    },
    required: ["to"],
    additionalProperties: false,
  },
});

const sendDigits: ToolSnapshot = {
  name: SEND_DIGITS,
  description: "Presses keys on the line, for a menu or an extension on the other side.",
  parameters: {
    type: "object",
    properties: {
      digits: { type: "string", pattern: "^[0-9*#]{1,32}$", description: "For example 1 or 204#." },
    },
    required: ["digits"],
    additionalProperties: false,
  },
};

const takeMessage: ToolSnapshot = {
  name: TAKE_MESSAGE,
  description:
    "Keeps a message of the caller for the people of the company; it is mailed to them after the call.",
  parameters: {
    type: "object",
    properties: {
      message: {
        type: "string",
        maxLength: MESSAGE_CHARACTERS_MAX,
        description: "What the caller wants to have passed on, in the caller's words.",
      },
      caller_name: { type: "string", maxLength: 120 },
      callback: { type: "string", maxLength: 120, description: "Number or time to call back." },
    },
    required: ["message"],
    additionalProperties: false,
  },
};

const switchLanguage: ToolSnapshot = {
  name: SWITCH_LANGUAGE,
  description:
    "Speaks and listens in another language from now on. Use it when the caller speaks or asks for one of them.",
  parameters: {
    type: "object",
    properties: { language: { type: "string", enum: [...AGENT_LANGUAGES] } },
    required: ["language"],
    additionalProperties: false,
  },
};
