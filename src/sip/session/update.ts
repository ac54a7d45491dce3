/**
 * UPDATE inside a dialog (RFC 3311), which SIP.js does not support. With an offer it changes the
 * media; without one it refreshes the session (RFC 4028 7.4 recommends it if the remote party
 * allows it). The dialog of SIP.js writes ours; the session timer adds its headers when it is sent.
 */
import { type BodyAndContentType, Core, type Session, SessionState } from "sip.js";
import { type Random, randomInt } from "../../core/random.ts";
import { ALLOW } from "../capabilities.ts";
import { type ResponseParts, type SipRequest, withPlainSdp } from "../message/index.ts";
import { dialogNamed, nameOfRequest, noteRequest } from "./dialog.ts";
import type { MediaNegotiator } from "./media-negotiator.ts";
import type { ReinviteOutcome } from "./renegotiation.ts";

/** When the remote party may try again (RFC 3311 5.2, RFC 3261 14.2). */
export const retryAfter = (random: Random): ResponseParts => ({
  statusCode: 500,
  headers: [["Retry-After", randomInt(random, 11)]],
});

/**
 * Returns the response; an offer is applied. `answerEarly` answers an offer while our INVITE's
 * offer has only a reliable provisional answer; undefined if it has none. Never rejects.
 */
export async function answerUpdate(
  received: SipRequest,
  session: Session,
  negotiator: MediaNegotiator,
  random: Random,
  answerEarly?: (offer: string) => BodyAndContentType | undefined,
): Promise<ResponseParts> {
  const request = withPlainSdp(received);
  if (!dialogNamed(session, nameOfRequest(request))) return { statusCode: 481 };
  if (!noteRequest(session, request)) return { statusCode: 500 };
  if (request.body === "") return { statusCode: 200 };
  if (!negotiator.hasDescription(request.headers.get("content-type") ?? ""))
    return { statusCode: 415, headers: [["Accept", "application/sdp"]] };
  // Our offer is unanswered: glare. Otherwise the remote offer is not answered yet.
  if (negotiator.awaitsAnswer) {
    if (!answerEarly) return { statusCode: 491 };
    const answer = answerEarly(request.body);
    return answer ? accepted(answer) : { statusCode: 488 };
  }
  if (session.state !== SessionState.Established && !negotiator.plan) return retryAfter(random);
  if (!negotiator.canAnswer(request.body)) return { statusCode: 488 };
  try {
    // In one step: the next request may already be waiting.
    const [, answer] = await Promise.all([
      negotiator.setDescription(request.body),
      negotiator.getDescription(),
    ]);
    return accepted(answer);
  } catch {
    await negotiator.rollbackDescription();
    return { statusCode: 488 };
  }
}

const accepted = ({ body, contentType }: BodyAndContentType): ResponseParts => ({
  statusCode: 200,
  headers: [["Content-Type", contentType]],
  body,
});

interface SessionInternals {
  readonly dialog?: Core.Dialog;
  readonly _contact?: string;
}

/** Sends one without an offer. Settles when the remote party has responded or the transaction has timed out. Never rejects. */
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
 * These codes are about the session, not the method: it does not exist, interval too short, glare,
 * retry later.
 */
const SESSION_FAILURES: ReadonlySet<number> = new Set([408, 422, 481, 491, 500, 503]);

/** The remote party listed UPDATE in Allow but rejects it; a re-INVITE may work. */
export const isUpdateUnwelcome = (outcome: ReinviteOutcome): boolean =>
  outcome.kind === "refused" && outcome.sipCode !== null && !SESSION_FAILURES.has(outcome.sipCode);
