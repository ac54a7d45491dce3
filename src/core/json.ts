/** JSON as a type, for request bodies, tool arguments and worker messages. */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * No useful value is nested deeper. From about 28,000 levels on, the runtime takes seconds to write
 * a value.
 */
const DEPTH_MAX = 500;

/** The parsed value. Undefined if the text is not JSON, or nested deeper than makes sense. */
export function parseJson(text: string): JsonValue | undefined {
  if (hasManyBrackets(text) && isDeep(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * Checks quickly whether the text has enough brackets to be nested too deep. A long list of numbers
 * has few.
 */
function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of "[{")
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++count > DEPTH_MAX) return true;
  return false;
}

function isDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) at += code === BACKSLASH ? 1 : 0;
    else if (code === BRACKET || code === BRACE) depth++;
    else if (code === BRACKET_END || code === BRACE_END) depth--;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [BRACKET, BRACE, BRACKET_END, BRACE_END] = [0x5b, 0x7b, 0x5d, 0x7d];
