/** Digits in the body of an INFO, as sent by phones and carriers. There is no RFC for this. */
import { mediaTypeOf } from "../message/index.ts";

/** Accepted content types of an INFO. */
export const DTMF_TYPES: readonly string[] = ["application/dtmf-relay", "application/dtmf"];

/** A body may have 32 KB, and the pattern starts again at each blank line before "Signal". */
const CHARACTERS_MAX = 256;

/** `Signal=5`, as in application/dtmf-relay, or `5`, as in application/dtmf; some senders confuse them. */
export function digitOf(contentType: string | undefined, body: string): string | undefined {
  const type = mediaTypeOf(contentType ?? "");
  if (!DTMF_TYPES.includes(type) || body.length > CHARACTERS_MAX) return undefined;
  const text = /^\s*Signal\s*=\s*(\S+)/im.exec(body)?.[1] ?? body.trim();
  if (text === "10") return "*";
  if (text === "11") return "#";
  return text !== undefined && /^[0-9A-D*#]$/i.test(text) ? text.toUpperCase() : undefined;
}
