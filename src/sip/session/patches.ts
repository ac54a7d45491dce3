/**
 * Defects of SIP.js 0.21.2 mended from outside, each with its reason. Pinned to that version: an
 * update starts with reading this file again. Its missing timers A, E, G, D, I, J, K are not here:
 * `transaction/` stands below it and makes them unnecessary.
 */
import { Core, Invitation, Session, SessionState } from "sip.js";
import { hex } from "../../core/ids.ts";
import { systemRandom } from "../../core/random.ts";

type Method<This, Arguments extends unknown[], Result> = (
  this: This,
  ...input: Arguments
) => Result;

interface InvitationInternals {
  onAckTimeout: Method<Invitation, [], void>;
}
interface SessionInternals {
  onPrackRequest: Method<Session, [{ accept(): unknown }], void>;
}
interface ClientTransactionInternals {
  makeId(request: { method: string; branch?: string }): string;
}
interface DialogMap {
  get(id: string): Core.Dialog | undefined;
}
interface ClientInternals {
  authenticationGuard: Method<
    { message: Core.OutgoingRequestMessage; core: { dialogs: DialogMap } },
    [Core.IncomingResponseMessage, Core.Dialog | undefined],
    boolean
  >;
}

const LAST_RESORT_MS = 15 * 60_000;

let applied = false;

/** Idempotent; call before the first UserAgent is made. */
export function applySipJsPatches(): void {
  if (applied) return;
  applied = true;
  guardAckTimeout();
  strengthenBranches();
  keepCSeqInStep();
  answerLatePrack();
  leaveTimeoutsToUs();
}

/** A 2xx whose ACK never came, on a call already over, threw from a timer 32 s later. */
function guardAckTimeout(): void {
  const prototype = Invitation.prototype as unknown as InvitationInternals;
  const original = prototype.onAckTimeout;
  prototype.onAckTimeout = function () {
    if (this.state !== SessionState.Established || !this.dialog) return;
    original.call(this);
  };
}

/** Branches had 10^7 values from Math.random: guessable, and colliding after a few thousand calls. */
function strengthenBranches(): void {
  const transaction = Core.ClientTransaction as unknown as ClientTransactionInternals;
  transaction.makeId = (request) => {
    if (request.method !== "CANCEL") return `z9hG4bK${hex(systemRandom.bytes(12))}`;
    if (request.branch === undefined) throw new Error("CANCEL without the branch of its INVITE");
    return request.branch;
  };
}

/** A request repeated after a 401/407 inside a dialog left the dialog's CSeq behind. */
function keepCSeqInStep(): void {
  const prototype = Core.UserAgentClient.prototype as unknown as ClientInternals;
  const original = prototype.authenticationGuard;
  prototype.authenticationGuard = function (message, dialog) {
    const { callId, fromTag, toTag } = this.message;
    const known = toTag ? this.core.dialogs.get(callId + fromTag + toTag) : undefined;
    return original.call(this, message, dialog ?? known);
  };
}

/** PRACK in an established dialog threw "Unimplemented.". */
function answerLatePrack(): void {
  const prototype = Session.prototype as unknown as SessionInternals;
  prototype.onPrackRequest = (request) => {
    request.accept();
  };
}

/**
 * Timers B and F are ours: a request may go from server to server (routing/sender.ts) for longer
 * than SIP.js would wait. It is told through `TrunkUserAgent.fail`.
 */
function leaveTimeoutsToUs(): void {
  Core.Timers.TIMER_B = LAST_RESORT_MS;
  Core.Timers.TIMER_F = LAST_RESORT_MS;
}
