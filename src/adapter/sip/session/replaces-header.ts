/** The Replaces header (RFC 3891 6.1): the dialog that an INVITE replaces. Pure. */
import { parseParameters, type SipRequest } from "../message/index.ts";
import { NULL_TAG } from "./convert.ts";
import type { DialogName } from "./dialog.ts";

interface Replaces extends DialogName {
  readonly earlyOnly: boolean;
}

/** Null: the request replaces nothing; undefined: its header is malformed, or there are two. */
export function replacesOf({ headers }: SipRequest): Replaces | null | undefined {
  const [value, ...others] = headers.all("replaces");
  if (value === undefined) return null;
  if (others.length > 0) return undefined;
  const [callId = "", ...rest] = value.split(";");
  const parameters = parseParameters(rest);
  const localTag = parameters?.get("to-tag");
  const remoteTag = parameters?.get("from-tag");
  if (!parameters || callId.trim() === "" || !localTag || !remoteTag) return undefined;
  // RFC 3891 3: a tag of 0 means an RFC 2543 peer without a tag.
  const plain = (tag: string) => (tag === "0" ? NULL_TAG : tag);
  return {
    callId: callId.trim(),
    localTag: plain(localTag),
    remoteTag: plain(remoteTag),
    earlyOnly: parameters.has("early-only"),
  };
}
