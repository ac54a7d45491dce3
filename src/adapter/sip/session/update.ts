/**
 * UPDATE inside a dialog (RFC 3311), which SIP.js does not support: with an offer it changes the
 * media; without one it refreshes the session (RFC 4028).
 */
import { type Session, SessionState } from "sip.js";
import type { Random } from "../../../core/random.ts";
import { randomInt } from "../../../core/random.ts";
import { type ResponseParts, type SipRequest, withPlainSdp } from "../message/index.ts";
import { dialogNamed, nameOfRequest, noteRequest } from "./dialog.ts";
import type { MediaNegotiator } from "./media-negotiator.ts";

/** RFC 3311 5.2: when the remote party may try again. */
const retryAfter = (random: Random): ResponseParts => ({
  statusCode: 500,
  headers: [["Retry-After", randomInt(random, 11)]],
});

/** Returns the response; an offer is applied. Never rejects. */
export async function answerUpdate(
  received: SipRequest,
  session: Session,
  negotiator: MediaNegotiator,
  random: Random,
): Promise<ResponseParts> {
  const request = withPlainSdp(received);
  if (!dialogNamed(session, nameOfRequest(request))) return { statusCode: 481 };
  if (!noteRequest(session, request)) return { statusCode: 500 };
  if (request.body === "") return { statusCode: 200 };
  if (!negotiator.hasDescription(request.headers.get("content-type") ?? ""))
    return { statusCode: 415, headers: [["Accept", "application/sdp"]] };
  // Our offer is unanswered: glare. Otherwise theirs is not answered yet.
  if (negotiator.awaitsAnswer) return { statusCode: 491 };
  if (session.state !== SessionState.Established && !negotiator.plan) return retryAfter(random);
  if (!negotiator.canAnswer(request.body)) return { statusCode: 488 };
  try {
    await negotiator.setDescription(request.body);
    const { body, contentType } = await negotiator.getDescription();
    return { statusCode: 200, headers: [["Content-Type", contentType]], body };
  } catch {
    await negotiator.rollbackDescription();
    return { statusCode: 488 };
  }
}
