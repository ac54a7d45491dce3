/**
 * Our UPDATE without an offer (RFC 3311 5.1): says that the session still stands and leaves its media
 * alone, which is what RFC 4028 7.4 wants of a refresh where the far end allows it. SIP.js knows no
 * UPDATE; its dialog writes the request, and the session timer puts its headers in on the way out.
 */
import { Core, type Session } from "sip.js";
import { ALLOW } from "../capabilities.ts";
import type { ReinviteOutcome } from "./renegotiation.ts";

interface SessionInternals {
  readonly dialog?: Core.Dialog;
  readonly _contact?: string;
}

/** Settles when the far end, or the transaction's time, has decided. Never rejects. */
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

/** What a refusal of a request in a dialog says to the session timer. */
export function outcomeOf(message: Core.IncomingResponseMessage): ReinviteOutcome {
  const minSe = message.getHeader("min-se");
  const sipCode = message.statusCode ?? null;
  return { kind: "refused", sipCode, ...(minSe === undefined ? {} : { minSe }) };
}

/** Of the session, not of the method: nothing is there, too short, crossed, try later. */
const SESSION_FAILURE_CODES: ReadonlySet<number | null> = new Set([
  408,
  422,
  481,
  491,
  500,
  503,
  null,
]);

/** The far end named UPDATE in Allow and will not have it after all: a re-INVITE may do. */
export const isUpdateUnwelcome = (outcome: ReinviteOutcome): boolean =>
  outcome.kind === "refused" && !SESSION_FAILURE_CODES.has(outcome.sipCode);
