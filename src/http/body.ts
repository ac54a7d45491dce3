/**
 * Reads a request body with limits on size (also for chunked bodies, RFC 9112 7.1) and time. Then parses it
 * as a UTF-8 JSON object (RFC 8259 8.1) with a limited number of values.
 */
import type { Clock } from "../core/clock.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { invalidJson, payloadTooLarge } from "./problem.ts";

const BODY_TIMEOUT_MS = 30_000;
const LARGE_BYTES = 256 * 1024;
/**
 * Excess bytes that are read and dropped. A client that sends everything before it reads would otherwise see
 * a reset connection instead of the error.
 */
const DROPPED_BYTES_MAX = 16 * 1024 * 1024;
/** The largest valid body has a few thousand values. Parsing 190,000 fields would block the thread for 0.2 s. */
const VALUES_MAX = 20_000;
const NOTHING = new Uint8Array(0);

/**
 * `onLarge` is awaited before most of a large body is read, and may throw. Throws payload_too_large, or
 * invalid_json if the sender stalls or disconnects.
 */
export async function readBody(
  request: Request,
  bytesMax: number,
  clock: Clock,
  onLarge?: () => Promise<void>,
): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > bytesMax + DROPPED_BYTES_MAX) throw payloadTooLarge(bytesMax);
  let isTooLarge = declared > bytesMax;
  if (declared > LARGE_BYTES && !isTooLarge) await onLarge?.();
  if (!request.body) return NOTHING;
  const reader = request.body.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  let late = false;
  const timer = clock.after(BODY_TIMEOUT_MS, () => {
    late = true;
    void reader.cancel().catch(() => undefined);
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (late) throw invalidJson("The body did not arrive within 30 seconds.");
      if (done) break;
      size += value.byteLength;
      isTooLarge ||= size > bytesMax;
      if (size > bytesMax + DROPPED_BYTES_MAX) break;
      if (isTooLarge) {
        parts.length = 0;
        continue;
      }
      if (size > LARGE_BYTES) await onLarge?.();
      parts.push(value);
    }
    if (isTooLarge) throw payloadTooLarge(bytesMax);
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    if (error instanceof AppError) throw error;
    throw invalidJson(
      "The body is incomplete: the connection closed before its end. Send it again.",
    );
  } finally {
    timer.cancel();
  }
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  return Buffer.concat(parts);
}

interface BodyRules {
  /** False: an empty body counts as `{}`. */
  readonly required: boolean;
  readonly textField: string | null;
}

/** Throws invalid_json, or `valid_<textField>_required` for bytes in that field that are not UTF-8. */
export function parseBody(
  bytes: Uint8Array,
  contentType: string | null,
  rules: BodyRules,
): Record<string, unknown> {
  if (bytes.byteLength === 0) {
    if (!rules.required) return {};
    throw invalidJson("The body is missing. Send a JSON object.");
  }
  if (!/^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(contentType ?? ""))
    throw invalidJson("Send the body as JSON, with the header `Content-Type: application/json`.");
  if (hasTooManyValues(bytes)) throw invalidJson(`The body has more than ${VALUES_MAX} values.`);
  try {
    const body = parseObject(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    requireWholeCharacters(body, rules.textField);
    return body;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw badEncoding(bytes, rules.textField);
  }
}

/** Counts brackets and commas outside of strings, because each begins a value. */
function hasTooManyValues(bytes: Uint8Array): boolean {
  let values = 0;
  let inText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) inText = !inText;
    else if (inText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) values++;
    if (values > VALUES_MAX) return true;
  }
  return false;
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidJson("The body is not valid JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidJson("The body must be a JSON object.");
  return value as Record<string, unknown>;
}

/** The text field is excluded: its validation reports the line. */
function requireWholeCharacters(body: Record<string, unknown>, textField: string | null): void {
  for (const [name, value] of Object.entries(body))
    if (name !== textField && !(name.isWellFormed() && isWellFormed(value)))
      throw invalidJson(
        "The body contains half of a character, such as `\\ud83d`. Send both halves.",
      );
}

/** False if a string has unpaired surrogates, which UTF-8 cannot represent. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

function badEncoding(bytes: Uint8Array, textField: string | null): AppError {
  const otherwise = invalidJson("The body is not valid UTF-8. Send it in UTF-8 and uncompressed.");
  if (!textField) return otherwise;
  try {
    const text = parseObject(new TextDecoder().decode(bytes))[textField];
    const at = typeof text === "string" ? text.indexOf("\uFFFD") : -1;
    if (typeof text !== "string" || at < 0) return otherwise;
    const line = text.slice(0, at).split("\n").length;
    return invalidField(textField, `\`${textField}\` is not valid UTF-8 in line ${line}.`, {
      params: { line },
    });
  } catch {
    return otherwise;
  }
}
