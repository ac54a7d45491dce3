/** Digits in the body of an INFO, as phones and carriers send them. There is no RFC for this. */
import { mediaTypeOf } from "../message/index.ts";

/** Accepted content types of an INFO. */
export const DTMF_TYPES: readonly string[] = ["application/dtmf-relay", "application/dtmf"];

/** application/dtmf-relay (`Signal=5`) and application/dtmf (`5`). */
export function digitOf(contentType: string | undefined, body: string): string | undefined {
  const type = mediaTypeOf(contentType ?? "");
  const text =
    type === "application/dtmf-relay" ? /^\s*Signal\s*=\s*(\S+)/im.exec(body)?.[1] : body.trim();
  if (!DTMF_TYPES.includes(type)) return undefined;
  if (text === "10") return "*";
  if (text === "11") return "#";
  return text !== undefined && /^[0-9A-D*#]$/i.test(text) ? text.toUpperCase() : undefined;
}
