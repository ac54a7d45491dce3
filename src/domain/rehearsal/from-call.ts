/**
 * Makes a scenario from a real call, so that a complaint becomes a regression test. The caller's words and
 * actions become the script. The agent's answers become comments, to be turned into expectations.
 *
 * Known numbers, addresses and names are replaced, each by the same placeholder everywhere.
 */
import { isoUtc } from "../../core/clock.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { TurnRecord } from "../conversation/call-report.ts";
import { wordsOf } from "../conversation/words.ts";

interface TakenCall {
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
const NAMES = ["Alex", "Robin", "Kim", "Sam", "Toni", "Chris", "Jo", "Nico"];
/** Shorter numbers are prices, years and times. */
const FIGURES_MIN = 4;
/** A date, with or without a time; else a number with any grouping. */
const FIGURES = /\d{4}-\d{2}-\d{2}(?!\d)(?: \d{2}:\d{2})?|\+?\d(?:[\s().-]?\d)+/g;
const DATE = /^\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?$/;
const DIGIT_WORDS =
  /\b(?:(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)[\s-]+){3,}(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)\b/gi;
const SPOKEN_DIGITS = "zero one two three four five six seven eight nine".split(" ");

/** Returns YAML. `title` is the name of the scenario. */
export function scenarioOfCall(call: TakenCall, title: string): string {
  const mask = new Mask(call.names);
  const lines = [
    "# Made of a call that took place; numbers and names are replaced.",
    "# Write what must be answered below what the caller says, for example:",
    "#   - say: When are you open?",
    "#     must: [nine to five]",
    `name: ${yamlText(mask.text(title))}`,
    `at: ${isoUtc(call.startedAt)}`,
    ...(call.direction === "outbound" ? ["direction: outbound"] : []),
    ...toolLines(call, mask),
    ...transferLines(call),
    ...scriptLines(call, mask),
    ...expectationLines(call, mask),
  ];
  return `${lines.join("\n")}\n`;
}

/** Placeholders of one call. */
class Mask {
  readonly #figures = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(names: readonly string[]) {
    for (const word of names.flatMap(wordsOf).filter(({ length }) => length > 1))
      if (!this.#names.has(word))
        this.#names.set(word, NAMES[this.#names.size % NAMES.length] ?? "Alex");
  }

  text(text: string): string {
    return text
      .replace(/[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g, "someone@example.com")
      .replace(DIGIT_WORDS, (words) => this.#spoken(words))
      .replace(FIGURES, (figures) => this.#figuresOf(figures))
      .replace(/\p{L}[\p{L}'-]*/gu, (word) => this.#names.get(word.toLocaleLowerCase()) ?? word);
  }

  value(value: JsonValue): JsonValue {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.value(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.value(each)]),
    );
  }

  #figuresOf(written: string): string {
    const digits = written.replace(/\D/g, "");
    if (digits.length < FIGURES_MIN || DATE.test(written)) return written;
    const standIn = this.#standIn(digits);
    return written.startsWith("+") ? `+${standIn}` : standIn;
  }

  #spoken(words: string): string {
    const spoken = words.toLowerCase().split(/[\s-]+/);
    const digits = spoken.map((word) => Math.max(0, SPOKEN_DIGITS.indexOf(word))).join("");
    return [...this.#standIn(digits)].map((digit) => SPOKEN_DIGITS[Number(digit)]).join(" ");
  }

  /** A placeholder of the same length; equal digits get the same one. */
  #standIn(digits: string): string {
    const known = this.#figures.get(digits);
    if (known !== undefined) return known;
    const place = this.#figures.size + 1;
    const standIn = Array.from({ length: digits.length }, (_, index) => (index + place) % 10).join(
      "",
    );
    this.#figures.set(digits, standIn);
    return standIn;
  }
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
