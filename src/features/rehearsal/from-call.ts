/**
 * Makes a scenario from a real call, so that a complaint becomes a regression test. The caller's words and
 * actions become the script. The agent's answers become comments, to be turned into expectations.
 *
 * Personal data is replaced (mask.ts). The scenario stores the call's id, so that it is deleted with the
 * call.
 */

import type { TurnRecord } from "../../conversation/call-report.ts";
import { isoUtc } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import { Mask } from "./mask.ts";

interface TakenCall {
  readonly callUuid: string;
  readonly direction: "inbound" | "outbound";
  readonly startedAt: number;
  readonly endedReason: string | null;
  readonly turns: readonly Pick<
    TurnRecord,
    "speaker" | "text" | "startMs" | "endMs" | "interrupted"
  >[];
  readonly toolCalls: readonly {
    readonly tool: string;
    readonly arguments: JsonObject;
    readonly ok: boolean;
  }[];
  readonly messages: readonly string[];
  readonly transfers: readonly { readonly to: string; readonly outcome: string }[];
  /** Names of people in the call, to be replaced. */
  readonly names: readonly string[];
}

const ENDED_BY_AGENT = "agent_hangup";

/** Returns YAML. `title` is the name of the scenario. */
export function scenarioOfCall(call: TakenCall, title: string): string {
  const values = call.toolCalls.map((each) => each.arguments);
  const mask = new Mask(call.names, call.turns, values);
  const lines = [
    "# Made of a call that took place. Names, numbers, dates and addresses are replaced as well as rules can:",
    "# check it before you keep it.",
    "# Write the required answer below the caller's sentence, for example:",
    "#   - say: When are you open?",
    "#     must: [nine to five]",
    `name: ${yamlText(mask.title(title))}`,
    "# It is deleted with the call's transcript.",
    `from_call: ${call.callUuid}`,
    `at: ${isoUtc(call.startedAt)}`,
    ...(call.direction === "outbound" ? ["direction: outbound"] : []),
    ...toolLines(call, mask),
    ...transferLines(call),
    ...scriptLines(call, mask),
    ...expectationLines(call, mask),
  ];
  return `${lines.join("\n")}\n`;
}

const yamlText = (text: string) => JSON.stringify(text.replace(/\s+/g, " ").trim());

function toolLines({ toolCalls }: TakenCall, mask: Mask): string[] {
  const tools = new Map(toolCalls.map((each) => [each.tool, each]));
  if (tools.size === 0) return [];
  return [
    "tools:",
    ...[...tools].flatMap(([tool, { ok }]) => [
      `  ${tool}:`,
      ok
        ? `    answer: {message: ${yamlText(mask.text("Done."))}} # what it answered is not kept: write it here`
        : "    fails: it failed in the call",
    ]),
  ];
}

function transferLines({ transfers }: TakenCall): string[] {
  if (transfers.length === 0) return [];
  return [
    "# The call was transferred: write the target's name, and how it ended.",
    "transfers:",
    ...transfers.map(({ outcome }, index) => `  target_${index + 1}: ${outcome}`),
  ];
}

function scriptLines({ turns, endedReason }: TakenCall, mask: Mask): string[] {
  const lines = ["script:"];
  let agent: TakenCall["turns"][number] | null = null;
  for (const turn of turns) {
    const text = mask.text(turn.text);
    if (turn.speaker === "agent") {
      lines.push(`  # The agent: ${text.replace(/\s+/g, " ")}`);
      agent = turn;
      continue;
    }
    const keys = /^\[keys ([0-9*#]+)\]$/.exec(turn.text)?.[1];
    const isOver: boolean = agent?.interrupted === true && turn.startMs < agent.endMs;
    if (keys !== undefined) lines.push(`  - press: ${yamlText(mask.text(keys))}`);
    else if (text.trim() !== "")
      lines.push(`  - ${isOver ? "interrupt" : "say"}: ${yamlText(text)}`);
    if (isOver && agent)
      lines.push(`    after_ms: ${Math.max(0, Math.round(turn.startMs - agent.startMs))}`);
  }
  if (endedReason !== ENDED_BY_AGENT) lines.push("  - hang_up: true");
  return lines;
}

function expectationLines({ toolCalls, messages, endedReason }: TakenCall, mask: Mask): string[] {
  const must = [
    ...toolCalls.flatMap(({ tool, arguments: values }) => [
      `  - tool: ${tool}`,
      `    with: ${JSON.stringify(mask.value(values))}`,
    ]),
    ...messages.map((text) => `  - message: ${yamlText(mask.text(text))}`),
    ...(endedReason === null ? [] : [`  - ended: ${endedReason}`]),
  ];
  return must.length === 0 ? [] : ["must:", ...must];
}
