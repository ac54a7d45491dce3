/** Tool calls that a model writes as text: JSON, tags with JSON or parameters, `[TOOL_CALLS]`, `name(key=value)`. */
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../core/json.ts";
import { type ModelToolCall, toolArguments } from "./answer-reader.ts";

export type WrittenCall = Pick<ModelToolCall, "name" | "arguments">;

const CALLS_MAX = 16;
const ARGUMENT_FIELDS = ["arguments", "parameters", "args", "input", "tool_input"] as const;
const JSON_BEGIN = /(?<=^|\n|[.!?:]\s)[ \t]*(?:```\w*\s*)?(?:\{\s*"|\[\s*\{\s*")/u;

/** Index of a possible tool call at the end of the text; null if none. */
export function beginOfCall(text: string, toolNames: readonly string[]): number | null {
  const json = /[{[]/u.test(text) ? (JSON_BEGIN.exec(text)?.index ?? -1) : -1;
  const named = toolNames.map((name) => indexOfCall(text, name)).filter((at) => at >= 0);
  const all = json < 0 ? named : [...named, json];
  return all.length === 0 ? null : Math.min(...all);
}

function indexOfCall(text: string, name: string): number {
  const at = text.indexOf(`${name}(`);
  if (at < 0 || /[\w.]/u.test(text[at - 1] ?? "")) return -1;
  return text[at - 1] === "[" ? at - 1 : at;
}

/** Splits a text that begins with a possible tool call into its calls and the words around them. */
export function splitCall(
  text: string,
  toolNames: readonly string[],
): { readonly calls: readonly WrittenCall[]; readonly text: string } {
  const whole = readWrittenCalls(text, toolNames);
  if (whole.length > 0) return { calls: whole, text: "" };
  const end = endOfJson(text);
  const calls = end > 0 ? readWrittenCalls(text.slice(0, end), toolNames) : [];
  if (calls.length > 0) return { calls, text: text.slice(end).replace(/^\s*```/u, "") };
  const called: WrittenCall[] = [];
  const words = text.replace(/\[?([\w.-]+)\([^()]*\)\]?/gu, (written) => {
    const found = ofExpression(written, toolNames);
    called.push(...found);
    return found.length > 0 ? "" : written;
  });
  return { calls: called, text: words };
}

/** Index after the JSON at the beginning of a text; 0 if the JSON is incomplete. */
function endOfJson(text: string): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = text.search(/[{[]/u); at >= 0 && at < text.length; at++) {
    const character = text[at] ?? "";
    if (isQuoted && character === "\\") at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && "{[".includes(character)) depth++;
    else if (!isQuoted && "}]".includes(character) && --depth === 0) return at + 1;
  }
  return 0;
}

/** The tool calls if the text contains nothing else; otherwise empty. */
export function readWrittenCalls(text: string, toolNames: readonly string[]): WrittenCall[] {
  const tagged = ofTags(text);
  if (tagged.length > 0) return tagged.slice(0, CALLS_MAX);
  const plain = text
    .replace(/<[|｜][^<>]{1,60}[|｜]>|<\/?[a-z_]+>|\[TOOL_CALLS\]/giu, " ")
    .replace(/^\s*```\w*|```\s*$/gu, "")
    .trim();
  const json = parseJson(plain);
  if (json !== undefined) return ofJson(json).slice(0, CALLS_MAX);
  const named = /^\s*([\w.-]+)\s*(?:\[ARGS\])?\s*(\{[\s\S]*\})\s*;?$/u.exec(plain);
  if (named) return [{ name: named[1] ?? "", arguments: toolArguments(named[2] ?? "") }];
  const lines = plain.split(/\n+/u).map((line) => ofJson(parseJson(line) ?? null));
  const areCalls = lines.every(({ length }) => length > 0);
  return (areCalls ? lines.flat() : ofExpression(plain, toolNames)).slice(0, CALLS_MAX);
}

/** `<function=name><parameter=key>value</parameter></function>`, `<function=name>{…}</function>`, Harmony's `to=`. */
function ofTags(text: string): WrittenCall[] {
  const harmony =
    /\sto=(?:functions\.)?([\w.-]+)[\s\S]*?<\|message\|>([\s\S]*?)(?:<\|call\|>|$)/iu.exec(text);
  if (harmony) return [{ name: harmony[1] ?? "", arguments: toolArguments(harmony[2] ?? "") }];
  const functions = [
    ...text.matchAll(/<function[=\s](?:name=)?"?([\w.-]+)"?>([\s\S]*?)(?:<\/function>|$)/giu),
  ];
  const several = [...text.matchAll(/<tool_call>([\s\S]*?)(?:<\/tool_call>|$)/giu)];
  if (functions.length > 0) {
    return functions.map(([, name = "", body = ""]) => ({ name, arguments: ofParameters(body) }));
  }
  return several.length < 2
    ? []
    : several.flatMap(([, body = ""]) => ofJson(parseJson(body) ?? null));
}

function ofParameters(body: string): JsonObject | null {
  const entries = [
    ...body.matchAll(/<parameter[=\s](?:name=)?"?([\w.-]+)"?>\s*([\s\S]*?)\s*<\/parameter>/giu),
  ].map(([, key = "", value = ""]) => [key, writtenValue(value)] as const);
  return entries.length > 0 ? Object.fromEntries(entries) : toolArguments(body);
}

function ofJson(json: JsonValue): WrittenCall[] {
  if (Array.isArray(json)) {
    const calls = json.map(ofJson);
    return calls.every(({ length }) => length > 0) ? calls.flat() : [];
  }
  if (!isObject(json)) return [];
  const { tool_calls: calls, function: fn, function_call: call } = json;
  if (Array.isArray(calls)) return ofJson(calls);
  const inner = isObject(fn) ? fn : call;
  if (isObject(inner)) return ofJson(inner);
  const name = [json.name, json.tool, json.tool_name, fn].find((one) => typeof one === "string");
  const field = ARGUMENT_FIELDS.find((one) => json[one] !== undefined);
  const isCall = field !== undefined || Object.keys(json).length === 1;
  if (typeof name !== "string" || !isCall) return [];
  const args = field === undefined ? {} : (json[field] ?? {});
  return [
    { name, arguments: toolArguments(typeof args === "string" ? args : JSON.stringify(args)) },
  ];
}

/** `name(key=value, …)`, one or several, with or without brackets. */
function ofExpression(text: string, toolNames: readonly string[]): WrittenCall[] {
  const calls: WrittenCall[] = [];
  let rest = text.replace(/^\[|\]$/gu, "").trim();
  while (rest !== "") {
    const match =
      /^([\w.-]+)\s*\(((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^()"'])*)\)[,;.\s]*/u.exec(rest);
    if (!match || !toolNames.includes(match[1] ?? "")) return [];
    calls.push({ name: match[1] ?? "", arguments: ofKeywords(match[2] ?? "") });
    rest = rest.slice(match[0].length);
  }
  return calls;
}

function ofKeywords(text: string): JsonObject | null {
  if (text.trim() === "") return {};
  const json = parseJson(text);
  if (isObject(json)) return json;
  const parts = text.match(/(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\[[^\]]*\]|[^,])+/gu) ?? [];
  const entries: [string, JsonValue][] = [];
  for (const part of parts) {
    const [, key, value] = /^\s*["']?([\w-]+)["']?\s*[=:]\s*([\s\S]+?)\s*$/u.exec(part) ?? [];
    if (key === undefined || value === undefined) return null;
    entries.push([key, writtenValue(value)]);
  }
  return Object.fromEntries(entries);
}

const WORDS: Readonly<Record<string, JsonValue>> = { True: true, False: false, None: null };

function writtenValue(text: string): JsonValue {
  if (text in WORDS) return WORDS[text] ?? null;
  const json = parseJson(text);
  if (json !== undefined) return json;
  return /^'.*'$/su.test(text) ? text.slice(1, -1) : text;
}
