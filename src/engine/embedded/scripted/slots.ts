/**
 * Parameters of a tool, collected one by one. Derives from each JSON-Schema property the kind of
 * answer and the question. Converts an utterance or keypad digits into its value.
 */

import type { ToolSnapshot } from "../../../conversation/call-config.ts";
import type { ExpectedAnswer } from "../../../conversation/engine-port.ts";
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import type { AgentLanguage } from "../../../features/agent/agent.ts";
import { parseDate, parseTime } from "./dates.ts";
import { matchIntent } from "./intents.ts";
import { DIGIT_WORDS } from "./lexicon.ts";
import { digitsFromWords, parseNumberWords } from "./number-words.ts";
import { stemsOf, wordsOf } from "./words.ts";

type SlotKind = "yes_no" | "choice" | "number" | "digits" | "date" | "time" | "name" | "text";

export interface Slot {
  readonly name: string;
  /** Name in the agent's question. */
  readonly label: string;
  readonly kind: SlotKind;
  readonly integer: boolean;
  readonly options: readonly string[];
  /** Allowed count of digits, or range of the number; both ends are included. */
  readonly bounds: Bounds;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** The required parameters, in the order of the schema. */
export function slotsOf(tool: ToolSnapshot): readonly Slot[] {
  const properties = objectOf(tool.parameters.properties);
  const required = tool.parameters.required;
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return names.map((name) => slotOf(name, objectOf(properties[name])));
}

function slotOf(name: string, schema: JsonObject): Slot {
  const description = typeof schema.description === "string" ? schema.description : "";
  const options = Array.isArray(schema.enum) ? schema.enum.map(String) : [];
  const kind = options.length > 0 ? "choice" : kindOf(name, schema);
  return {
    name,
    label: (description === "" ? name.replace(/[_-]+/g, " ") : description).replace(/[.:]\s*$/, ""),
    kind,
    integer: schema.type === "integer",
    options,
    bounds: kind === "number" ? boundsOf(schema.minimum, schema.maximum) : digitsOf(schema),
  };
}

const boundsOf = (min: unknown, max: unknown): Bounds => ({
  min: typeof min === "number" ? min : Number.NEGATIVE_INFINITY,
  max: typeof max === "number" ? max : Number.POSITIVE_INFINITY,
});

/** `^\\d{4}$`, `^[0-9]{4,6}$` and the like. Other patterns are checked when the tool is called. */
const COUNTED_DIGITS = /^\^?(?:\\d|\[0-9\])\{(\d+)(,?)(\d*)\}\$?$/;

function digitsOf(schema: JsonObject): Bounds {
  const counted = COUNTED_DIGITS.exec(typeof schema.pattern === "string" ? schema.pattern : "");
  if (!counted) return boundsOf(schema.minLength, schema.maxLength);
  const [, min = "", comma, max = ""] = counted;
  return boundsOf(Number(min), comma === "" ? Number(min) : max === "" ? null : Number(max));
}

function kindOf(name: string, schema: JsonObject): SlotKind {
  if (schema.type === "boolean") return "yes_no";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.format === "date" || /(^|_)(date|day)$/i.test(name)) return "date";
  if (schema.format === "time" || /(^|_)(time|hour)$/i.test(name)) return "time";
  if (/phone|mobile|digits|(^|_)(code|pin|number|id)$/i.test(name)) return "digits";
  if (typeof schema.pattern === "string" && /\\d|\[0-9\]/.test(schema.pattern)) return "digits";
  if (/(^|_)name$/i.test(name)) return "name";
  return "text";
}

const EXPECTED: Readonly<Record<SlotKind, ExpectedAnswer>> = {
  yes_no: "yes_no",
  choice: "open",
  number: "digits",
  digits: "digits",
  date: "date",
  time: "time",
  name: "name",
  text: "open",
};

export function expectedAnswer(slot: Slot): ExpectedAnswer {
  return EXPECTED[slot.kind];
}

/** Null if the utterance contains no such value. */
export function valueFromSpeech(
  slot: Slot,
  text: string,
  language: AgentLanguage,
  nowMs: number,
): JsonValue {
  switch (slot.kind) {
    case "yes_no": {
      const intent = matchIntent(text, language)?.intent;
      return intent === "yes" ? true : intent === "no" ? false : null;
    }
    case "choice":
      return chosenOption(slot.options, text, language);
    case "number":
      return within(slot, spokenNumber(text, language));
    case "digits":
      return within(slot, spokenDigits(text, language) || null);
    case "date":
      return parseDate(text, language, nowMs);
    case "time":
      return parseTime(text, language);
    case "name":
      return nameIn(text);
    case "text":
      return text.trim() === "" ? null : text.trim();
  }
}

/** Keypad digits as a value; null if they are invalid. */
export function valueFromKeys(slot: Slot, keys: string): JsonValue {
  const digits = keys.replace(/\D/g, "");
  if (digits === "") return null;
  switch (slot.kind) {
    case "yes_no":
      return digits === "1" ? true : digits === "2" ? false : null;
    case "choice":
      return slot.options[Number(digits) - 1] ?? null;
    case "number":
      return within(slot, Number(digits));
    case "digits":
      return within(slot, digits);
    case "time":
      return digits.length > 4 ? null : parseTime(digits.padStart(4, "0"), "en");
    default:
      return null;
  }
}

/** Null if the tool would reject the value: the agent asks again. */
function within({ bounds }: Slot, value: string | number | null): string | number | null {
  if (value === null) return null;
  const size = typeof value === "string" ? value.length : value;
  return size >= bounds.min && size <= bounds.max ? value : null;
}

/** Whether to read the value back before use. */
export function needsConfirmation(slot: Slot, value: JsonValue, byKeys: boolean): boolean {
  const easilyMisheard = ["name", "text", "date", "time"].includes(slot.kind);
  if (easilyMisheard && !byKeys) return true;
  return slot.kind === "digits" && String(value).length >= 5;
}

/** Long digit strings are read digit by digit, in groups of three. */
export function readable(slot: Slot, value: JsonValue): string {
  if (slot.kind !== "digits") return String(value);
  return (String(value).match(/.{1,3}/g) ?? []).map((group) => [...group].join(" ")).join(", ");
}

function chosenOption(
  options: readonly string[],
  text: string,
  language: AgentLanguage,
): string | null {
  const said = new Set(stemsOf(text, language));
  let best: string | null = null;
  let bestShare = 0.49;
  for (const option of options) {
    const stems = stemsOf(option.replace(/[_-]+/g, " "), language);
    const share = stems.filter((stem) => said.has(stem)).length / Math.max(1, stems.length);
    if (share > bestShare) {
      best = option;
      bestShare = share;
    }
  }
  return best;
}

function spokenNumber(text: string, language: AgentLanguage): number | null {
  const words = wordsOf(text, language);
  if (language !== "en") {
    const digits = spokenDigits(text, language);
    return digits === "" ? null : Number(digits);
  }
  const numeric = words.filter((word) => parseNumberWords([word]) !== null || word === "and");
  return parseNumberWords(numeric);
}

function spokenDigits(text: string, language: AgentLanguage): string {
  const words = wordsOf(text, language);
  if (language === "en") return digitsFromWords(words);
  return words
    .map((word) => {
      if (/^\d+$/.test(word)) return word;
      const digit = DIGIT_WORDS[language].indexOf(word);
      return digit < 0 ? "" : String(digit);
    })
    .join("");
}

function nameIn(text: string): string | null {
  const name = text
    .replace(/^(my name is|it is|it's|this is|i am|i'm)\s+/i, "")
    .trim()
    .replace(/(^|\s)\p{L}/gu, (letter) => letter.toUpperCase());
  return name === "" ? null : name;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
