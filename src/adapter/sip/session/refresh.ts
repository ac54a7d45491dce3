/**
 * UPDATE without an offer (RFC 3311 5.1): confirms the session without changing its media. RFC 4028
 * 7.4 recommends it for refreshes if the remote party allows it. SIP.js does not support UPDATE;
 * its dialog writes the request, and the session timer adds its headers when it is sent.
 */
import { Core, type Session } from "sip.js";
import { ALLOW } from "../capabilities.ts";
import type { ReinviteOutcome } from "./renegotiation.ts";

interface SessionInternals {
  readonly dialog?: Core.Dialog;
  readonly _contact?: string;
}

/** Settles when the remote party has responded or the transaction has timed out. Never rejects. */
export function sendUpdate(session: Session): Promise<ReinviteOutcome> {
  const { dialog, _contact: contact } = session as unknown as SessionInternals;
  if (!dialog || contact === undefined) return Promise.resolve({ kind: "busy" });
  const extraHeaders = [`Contact: ${contact}`, `Allow: ${ALLOW}`];
  const request = dialog.createOutgoingRequestMessage("UPDATE", { extraHeaders });
  return new Promise((resolve) => {
    const onReject = ({ message }: Core.IncomingResponse) => resolve(outcomeOf(message));
    new Core.UserAgentClient(Core.NonInviteClientTransaction, dialog.userAgentCore, request, {
      onAccept: () => resolve({ kind: "accepted" }),
      onRedirect: onReject,
      onReject: onReject,
    });
  });
}

/** The meaning of a rejected in-dialog request for the session timer. */
export function outcomeOf(message: Core.IncomingResponseMessage): ReinviteOutcome {
  const minSe = message.getHeader("min-se");
  const sipCode = message.statusCode ?? null;
  return { kind: "refused", sipCode, ...(minSe === undefined ? {} : { minSe }) };
}

/**
 * These codes concern the session, not the method: it does not exist, interval too short, glare,
 * retry later.
 */
const SESSION_FAILURE_CODES: ReadonlySet<number | null> = new Set([
  408,
  422,
  481,
  491,
  500,
  503,
  null,
]);

/** The remote party listed UPDATE in Allow but rejects it; a re-INVITE may work. */
export const isUpdateUnwelcome = (outcome: ReinviteOutcome): boolean =>
  outcome.kind === "refused" && !SESSION_FAILURE_CODES.has(outcome.sipCode);
