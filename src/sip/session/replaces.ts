/** Parses the Replaces header (RFC 3891), and finds the leg that an INVITE with it replaces (3). */
import { parseParameters, type SipRequest } from "../message/index.ts";
import { NULL_TAG } from "./convert.ts";
import type { DialogName } from "./dialog.ts";
import type { BaseLeg } from "./leg.ts";
import { SipOutgoingLeg } from "./outgoing-leg.ts";

/** The leg, or a status code to reject the INVITE. Null if it replaces nothing. */
export function replacedLeg(request: SipRequest, legs: Iterable<BaseLeg>): BaseLeg | number | null {
  const name = replacesOf(request);
  if (name === null) return null;
  if (name === undefined) return 400;
  for (const leg of legs) {
    const dialog = leg.dialogNamed(name);
    if (!dialog) continue;
    // While it rings, only a call that we placed may be replaced.
    if (dialog.early) return leg instanceof SipOutgoingLeg ? leg : 481;
    return name.earlyOnly ? 486 : leg;
  }
  return 481;
}

interface Replaces extends DialogName {
  readonly earlyOnly: boolean;
}

/**
 * RFC 3891 6.1. Null if the request replaces nothing; undefined if its header is malformed, or if
 * there are two.
 */
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
