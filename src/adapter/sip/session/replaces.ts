/** Finds the leg that an INVITE with Replaces replaces (RFC 3891 3). */
import type { SipRequest } from "../message/index.ts";
import type { BaseLeg } from "./leg.ts";
import { SipOutgoingLeg } from "./outgoing-leg.ts";
import { replacesOf } from "./replaces-header.ts";

/** The leg; a status code to reject the INVITE; null: it replaces nothing. */
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
